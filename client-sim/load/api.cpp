#include "client-sim/load/api.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "common/base/base64.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::json;

std::optional<json> parse_object(std::string_view body) {
  json value = json::parse(body, nullptr, false);
  if (!value.is_object()) return std::nullopt;
  return value;
}

std::optional<std::string> text(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

template <class T>
std::optional<T> number(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto value = found->get<std::uint64_t>();
  if (value > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(value);
}

const json* list(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? &*found : nullptr;
}

std::optional<Phase> parse_phase(std::string_view name) {
  if (name == "starting") return Phase::starting;
  if (name == "open") return Phase::open;
  if (name == "draining") return Phase::draining;
  if (name == "closed") return Phase::closed;
  return std::nullopt;
}

std::optional<RoomRow> parse_room(const json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto id = text(object, "room_id");
  const bool warm = object.contains("group") && object["group"].is_null();
  const auto group = warm ? std::optional<std::string>{""} : text(object, "group");
  const auto phase = parse_phase(text(object, "phase").value_or(""));
  const auto capacity = number<std::uint32_t>(object, "capacity");
  const auto reserved = number<std::uint32_t>(object, "reserved");
  const bool unknown = object.contains("occupied") && object["occupied"].is_null();
  const auto occupied = unknown ? std::optional{0U} : number<std::uint32_t>(object, "occupied");
  if (!id || !group || !phase || !capacity || !reserved || !occupied) return std::nullopt;
  return RoomRow{.id = *id,
                 .group = *group,
                 .phase = *phase,
                 .capacity = *capacity,
                 .reserved = *reserved,
                 .occupied = *occupied};
}

void collect_counters(const json& object, const std::string& prefix, LockReport& report) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) {
      const double amount = std::max(0.0, value.get<double>());
      report.counters.emplace_back(prefix + key, static_cast<std::uint64_t>(amount));
    } else if (value.is_object() && prefix.empty()) {
      collect_counters(value, key + ".", report);
    }
  }
}

// Reads exactly `count` digits, from position `at` on.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<std::chrono::sys_time<std::chrono::milliseconds>> parse_utc(std::string_view text) {
  namespace chrono = std::chrono;
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
  if (!text.ends_with('Z') || text.size() <= form.size()) return std::nullopt;
  for (std::size_t at = 0; at < form.size(); ++at) {
    if (form[at] != 'd' && form[at] != text[at]) return std::nullopt;
  }
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const chrono::year_month_day date{chrono::year{*year},
                                    chrono::month{static_cast<unsigned>(*month)},
                                    chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  int ms = 0;
  if (const auto rest = text.substr(form.size()); rest != "Z") {
    const auto places = std::min<std::size_t>(rest.size() - 2, 3);
    const auto fraction = digits(rest, 1, places);
    if (!rest.starts_with('.') || places == 0 || !fraction) return std::nullopt;
    ms = *fraction * (places == 3 ? 1 : places == 2 ? 10 : 100);
  }
  return chrono::sys_days{date} + chrono::hours{*hour} + chrono::minutes{*minute} +
         chrono::seconds{*second} + chrono::milliseconds{ms};
}

std::optional<MatchAnswer> parse_match_answer(std::string_view body) {
  const auto object = parse_object(body);
  if (!object) return std::nullopt;
  auto room = text(*object, "room_id");
  auto address = text(*object, "address");
  const auto port = number<std::uint16_t>(*object, "port");
  auto token = text(*object, "seat_token");
  if (!room || !address || !port || !token || *port == 0) return std::nullopt;
  std::vector<std::string> party;
  if (const json* members = list(*object, "party")) {
    for (const json& member : *members) {
      auto own = member.is_object() ? text(member, "seat_token") : std::nullopt;
      if (!own) return std::nullopt;
      party.push_back(std::move(*own));
    }
  }
  return MatchAnswer{.room_id = std::move(*room),
                     .group = text(*object, "group").value_or(""),
                     .address = std::move(*address),
                     .port = *port,
                     .seat_token = std::move(*token),
                     .team = text(*object, "team").value_or(""),
                     .party_tokens = std::move(party),
                     .expires_at = parse_utc(text(*object, "expires_at").value_or(""))};
}

bool token_agrees(const MatchAnswer& answer, std::string_view token, std::string_view player) {
  const auto claims = from_base64url(token.substr(0, token.find('.')));
  std::string_view rest{claims ? *claims : std::string_view{}};
  const auto line = [&rest] {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto found = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return found;
  };
  const auto version = line();
  if (version != "1" && version != "2") return answer.team.empty();
  line();  // the expiry
  const auto room = line();
  const auto facts = version == "2" ? parse_object(line()) : std::optional{json::object()};
  return room == answer.room_id && rest == player && facts &&
         text(*facts, "team").value_or("") == answer.team;
}

std::optional<Problem> parse_problem(std::string_view body) {
  const auto object = parse_object(body);
  if (!object) return std::nullopt;
  auto type = text(*object, "type");
  if (!type || type->empty()) return std::nullopt;
  constexpr std::string_view prefix = "urn:fixkeep:error:";
  if (type->starts_with(prefix)) type->erase(0, prefix.size());
  return Problem{.type = std::move(*type), .detail = text(*object, "detail").value_or("")};
}

std::optional<RoomPage> parse_rooms(std::string_view body) {
  const auto object = parse_object(body);
  const json* rooms = object ? list(*object, "rooms") : nullptr;
  if (rooms == nullptr) return std::nullopt;
  RoomPage page;
  page.rooms.reserve(rooms->size());
  for (const auto& entry : *rooms) {
    auto room = parse_room(entry);
    if (!room) return std::nullopt;
    page.rooms.push_back(std::move(*room));
  }
  page.next = text(*object, "next").value_or("");
  return page;
}

std::optional<std::vector<WorkerRow>> parse_workers(std::string_view body) {
  const auto object = parse_object(body);
  const json* workers = object ? list(*object, "workers") : nullptr;
  if (workers == nullptr) return std::nullopt;
  std::vector<WorkerRow> rows;
  for (const auto& entry : *workers) {
    if (!entry.is_object()) return std::nullopt;
    auto id = text(entry, "worker");
    const auto started = number<std::uint64_t>(entry, "rooms_started");
    if (!id || !started) return std::nullopt;
    rows.push_back({.id = std::move(*id), .rooms_started = *started});
  }
  return rows;
}

std::optional<LockReport> parse_locks(std::string_view body) {
  const auto object = parse_object(body);
  if (!object) return std::nullopt;
  LockReport report;
  report.strategy = text(*object, "strategy").value_or("");
  const auto statistics = object->find("statistics");
  if (statistics == object->end() || !statistics->is_object()) return std::nullopt;
  collect_counters(*statistics, "", report);
  return report;
}

nlohmann::json merge_locks(const std::vector<LockReport>& before,
                           const std::vector<LockReport>& after) {
  std::map<std::string, std::int64_t> sums;
  std::map<std::string, std::map<std::string, std::uint64_t>> worst;
  for (const auto& report : after) {
    for (const auto& [key, value] : report.counters) {
      const auto dot = key.find('.');
      if (dot == std::string::npos) {
        sums[key] += static_cast<std::int64_t>(value);
      } else {
        auto& most = worst[key.substr(0, dot)][key.substr(dot + 1)];
        most = std::max(most, value);
      }
    }
  }
  for (const auto& report : before) {
    for (const auto& [key, value] : report.counters) {
      const auto sum = sums.find(key);
      if (sum != sums.end()) sum->second -= static_cast<std::int64_t>(value);
    }
  }
  json merged = json::object();
  // If a master was restarted during the run, its counters started at zero again. After the
  // subtraction of the values from before the run, a sum can then be below zero.
  for (const auto& [key, sum] : sums) merged[key] = std::max<std::int64_t>(sum, 0);
  for (const auto& [key, values] : worst) merged[key] = values;
  return merged;
}

std::string match_body(const MatchQuestion& question) {
  // The modes of the example configurations require the attribute skill. All players have the same
  // skill, so this attribute divides no group.
  json body = {{"player_id", question.player},
               {"mode", question.mode},
               {"attributes",
                {{"region", question.region}, {"version", question.version}, {"skill", 1000}}}};
  for (const auto& [name, number] : question.attributes) body["attributes"][name] = number;
  for (const std::string& player : question.party) body["party"].push_back(player);
  if (question.wait_ms > 0) body["wait_ms"] = question.wait_ms;
  return body.dump();
}

std::string to_string(const Endpoint& endpoint) {
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return (v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::optional<Endpoint> parse_endpoint(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  if (url.starts_with(scheme)) url.remove_prefix(scheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  const auto colon = url.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto digits = url.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port == 0) {
    return std::nullopt;
  }
  auto host = url.substr(0, colon);
  if (host.find('/') != std::string_view::npos) return std::nullopt;
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (host.find(':') == std::string_view::npos) return std::nullopt;
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return std::nullopt;  // ambiguous: the last part can be a port or a part of the address
  }
  return Endpoint{.host = std::string{host}, .port = port};
}

}  // namespace fixkeep::client_sim
