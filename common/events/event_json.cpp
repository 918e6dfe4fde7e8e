#include "common/events/event_json.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace fixkeep::events {
namespace {

using nlohmann::json;

// The names of the events. REQUIRES: the same order as the alternatives of What.
constexpr std::array<std::string_view, std::variant_size_v<What>> names{
    "match-asked",    "match-answered", "lock-wanted", "lock-granted",   "lock-left",
    "fence-asked",    "fence-answered", "seats-asked", "seats-answered", "room-ordered",
    "order-answered", "room-changed",   "room-result"};

constexpr std::array<std::string_view, 4> phases{"starting", "open", "draining", "closed"};

// --- fields: one visit() per event serves both writing and reading ------------------------------

void visit(auto& fields, MatchAsked& event) {
  fields("ticket", event.ticket);
  fields("group", event.group);
  fields("seats", event.seats);
  fields.if_any("player", event.player);
}
void visit(auto& fields, MatchAnswered& event) {
  fields("ticket", event.ticket);
  fields("room", event.room);
}
void visit(auto& fields, LockWanted& event) {
  fields("group", event.group);
}
void visit(auto& fields, LockGranted& event) {
  fields("group", event.group);
  fields("counter", event.token.counter);
  fields("master", event.token.master);
}
void visit(auto& fields, LockLeft& event) {
  fields("group", event.group);
}
void visit(auto& fields, FenceAsked& event) {
  fields("worker", event.worker);
  fields("request", event.request);
  fields("group", event.group);
}
void visit(auto& fields, FenceAnswered& event) {
  fields("worker", event.worker);
  fields("request", event.request);
}
void visit(auto& fields, SeatsAsked& event) {
  fields("worker", event.worker);
  fields("request", event.request);
  fields("room", event.room);
  fields("seats", event.seats);
  fields.if_any("players", event.players);
}
void visit(auto& fields, SeatsAnswered& event) {
  fields("worker", event.worker);
  fields("request", event.request);
}
void visit(auto& fields, RoomOrdered& event) {
  fields("worker", event.worker);
  fields("request", event.request);
  fields("group", event.group);
  fields("creation", event.creation);
  fields("capacity", event.capacity);
  fields("claims", event.claims);
  fields("kept_back_claims", event.kept_back.claims);
  fields("kept_back_seats", event.kept_back.seats);
  fields.if_any("players", event.players);
  fields.if_any("teams", event.teams);
}
void visit(auto& fields, OrderAnswered& event) {
  fields("worker", event.worker);
  fields("request", event.request);
  fields("accepted", event.accepted);
}
void visit(auto& fields, RoomChanged& event) {
  fields("room", event.room);
  fields("group", event.group);
  fields("creation", event.creation);
  fields("phase", event.phase);
  fields("capacity", event.capacity);
  fields("taken", event.taken);
  fields("occupied", event.occupied);
  fields("reason", event.reason);
  fields.if_any("seated", event.seated);
  fields.if_any("left", event.left);
}

void visit(auto& fields, RoomResult& event) {
  fields("room", event.room);
  fields("group", event.group);
  fields("creation", event.creation);
  fields.if_any("match", event.match);
  fields("result", event.result);
}

// --- writing -------------------------------------------------------------------------------------

struct Writer {
  json& out;

  template <class Tag>
  void operator()(const char* key, const NamedId<Tag>& id) {
    out[key] = id.text();
  }
  template <class Tag, class Rep>
  void operator()(const char* key, NumberedId<Tag, Rep> id) {
    out[key] = id.number();
  }
  void operator()(const char* key, const CreationId& id) { out[key] = to_string(id); }
  void operator()(const char* key, const RoomId& id) { out[key] = to_string(id); }
  void operator()(const char* key, wire::RoomPhase phase) {
    out[key] = phases.at(static_cast<std::size_t>(phase));
  }
  void operator()(const char* key, wire::CloseReason reason) { out[key] = to_string(reason); }
  void operator()(const char* key, const std::vector<PlayerId>& players) {
    for (const PlayerId& player : players) out[key].push_back(player.text());
  }
  template <class Value>
  void operator()(const char* key, const Value& value) {
    out[key] = value;
  }
  // Omits the member if it is empty: only events of pools or matches fill it.
  void if_any(const char* key, const auto& value) {
    if (!value.empty()) (*this)(key, value);
  }
};

// --- reading -------------------------------------------------------------------------------------

struct Reader {
  const json& in;
  bool good = true;

  template <class Tag>
  void operator()(const char* key, NamedId<Tag>& id) {
    std::string text;
    (*this)(key, text);
    id = NamedId<Tag>{std::move(text)};
  }
  template <class Tag, class Rep>
  void operator()(const char* key, NumberedId<Tag, Rep>& id) {
    Rep number{};
    (*this)(key, number);
    id = NumberedId<Tag, Rep>{number};
  }
  void operator()(const char* key, CreationId& id) { read_by(parse_creation_id, key, id); }
  void operator()(const char* key, RoomId& id) { read_by(parse_room_id, key, id); }
  void operator()(const char* key, wire::RoomPhase& phase) {
    std::string text;
    (*this)(key, text);
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (phases.at(i) != text) continue;
      phase = static_cast<wire::RoomPhase>(i);
      return;
    }
    good = false;
  }
  void operator()(const char* key, wire::CloseReason& reason) {
    std::string text;
    (*this)(key, text);
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(wire::last_close_reason); ++i) {
      reason = static_cast<wire::CloseReason>(i);
      if (to_string(reason) == text) return;
    }
    good = false;
  }
  void operator()(const char* key, bool& value) {
    const auto found = in.find(key);
    if (found == in.end() || !found->is_boolean()) return fail();
    value = found->get<bool>();
  }
  void operator()(const char* key, std::string& value) {
    const auto found = in.find(key);
    if (found == in.end() || !found->is_string()) return fail();
    value = found->get<std::string>();
  }
  template <class Text>  // a name or a text
  requires std::is_constructible_v<Text, std::string>
  void operator()(const char* key, std::vector<Text>& texts) {
    const auto found = in.find(key);
    if (found == in.end() || !found->is_array()) return fail();
    for (const json& entry : *found) {
      if (!entry.is_string()) return fail();
      texts.emplace_back(entry.get<std::string>());
    }
  }
  void operator()(const char* key, std::vector<std::uint32_t>& value) {
    const auto found = in.find(key);
    if (found == in.end() || !found->is_array()) return fail();
    for (const json& entry : *found) value.push_back(whole<std::uint32_t>(entry));
  }
  template <class Number>
  requires std::is_unsigned_v<Number>
  void operator()(const char* key, Number& value) {
    const auto found = in.find(key);
    if (found == in.end()) return fail();
    value = whole<Number>(*found);
  }
  void if_any(const char* key, auto& value) {
    if (in.contains(key)) (*this)(key, value);
  }

 private:
  void fail() { good = false; }

  template <class Number>
  Number whole(const json& value) {
    if (!value.is_number_unsigned()) {
      fail();
      return {};
    }
    const auto wide = value.get<std::uint64_t>();
    const auto number = static_cast<Number>(wide);
    if (number != wide) fail();
    return number;
  }
  void read_by(auto parse, const char* key, auto& id) {
    std::string text;
    (*this)(key, text);
    if (auto parsed = parse(text)) {
      id = std::move(*parsed);
    } else {
      fail();
    }
  }
};

template <std::size_t index>
std::optional<What> read_as(Reader& reader) {
  std::variant_alternative_t<index, What> event;
  visit(reader, event);
  if (!reader.good) return std::nullopt;
  return event;
}

template <std::size_t... index>
std::optional<What> read(std::string_view name, Reader& reader, std::index_sequence<index...>) {
  std::optional<What> result;
  static_cast<void>(((name == names[index] && ((result = read_as<index>(reader)), true)) || ...));
  return result;
}

}  // namespace

std::string_view name_of(const What& what) {
  return names.at(what.index());
}

std::string to_json_line(EventTime at, const What& what) {
  json line;
  line["at_us"] = at.time_since_epoch().count();
  line["event"] = name_of(what);
  Writer writer{line};
  // visit() takes a mutable event because visit() also fills an event from JSON. So `event` is a
  // copy.
  std::visit([&writer](auto event) { visit(writer, event); }, what);
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Event> parse_event(const json& line, const std::string& node) {
  if (!line.is_object()) return std::nullopt;
  const auto at = line.find("at_us");
  const auto name = line.find("event");
  if (at == line.end() || !at->is_number_integer()) return std::nullopt;
  if (name == line.end() || !name->is_string()) return std::nullopt;
  Reader reader{line};
  auto what = read(name->get_ref<const std::string&>(), reader,
                   std::make_index_sequence<std::variant_size_v<What>>{});
  if (!what) return std::nullopt;
  return Event{node, EventTime{std::chrono::microseconds{at->get<std::int64_t>()}},
               std::move(*what)};
}

}  // namespace fixkeep::events
