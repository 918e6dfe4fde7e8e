#include "lock/node/commands.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "common/wire/limits.hpp"

namespace fixkeep::lock_node {

namespace {

using nlohmann::json;

// Reads the fields of one object and stores the first mistake.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {}

  std::uint64_t number(const char* name, std::uint64_t fallback, std::uint64_t least,
                       std::uint64_t most) {
    const auto* found = find(name);
    if (found == nullptr) return fallback;
    if (!found->is_number_unsigned() || *found < least || *found > most) {
      complain(fmt::format("\"{}\" has to be a whole number from {} to {}", name, least, most));
      return fallback;
    }
    return found->get<std::uint64_t>();
  }

  std::uint32_t count(const char* name, std::uint32_t fallback, std::uint32_t least = 1,
                      std::uint32_t most = most_count) {
    return static_cast<std::uint32_t>(number(name, fallback, least, most));
  }

  Duration seconds(const char* name, std::optional<Duration> fallback = {}) {
    const auto* found = find(name);
    if (found == nullptr && fallback) return *fallback;
    if (found == nullptr || !found->is_number() || !(*found > 0) || !(*found <= 3600)) {
      complain(std::string{"\""} + name + "\" has to be a number above 0, at most 3600");
      return std::chrono::seconds{1};
    }
    return Duration{std::llround(found->get<double>() * 1e6)};
  }

  std::string text(const char* name, std::size_t most) {
    const auto* found = find(name);
    if (found == nullptr) return {};
    if (!found->is_string() || found->get_ref<const std::string&>().size() > most) {
      complain(fmt::format("\"{}\" has to be a text of at most {} bytes", name, most));
      return {};
    }
    return found->get<std::string>();
  }

  bool flag(const char* name) {
    const auto* found = find(name);
    if (found == nullptr) return false;
    if (!found->is_boolean()) {
      complain(std::string{"\""} + name + "\" has to be true or false");
      return false;
    }
    return found->get<bool>();
  }

  GroupKey key() {
    auto name = text("key", wire::limits::group_bytes);
    if (name.empty()) complain("\"key\" is missing or empty");
    return GroupKey{std::move(name)};
  }

  MasterId peer() {
    if (!object_.contains("peer")) complain("\"peer\" is missing");
    return MasterId{static_cast<std::uint16_t>(number("peer", 1, 1, 255))};
  }

  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }

  // Returns the mistake, if any. An unknown field is a mistake too, probably a typing error.
  std::string finish() {
    for (const auto& [name, value] : object_.items()) {
      if (!known_.contains(name)) complain("there is no \"" + name + "\" here");
    }
    return mistake_;
  }

 private:
  const json* find(const char* name) {
    known_.insert(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  void complain(std::string text) {
    if (mistake_.empty()) mistake_ = std::move(text);
  }

  const json& object_;
  std::set<std::string> known_{"do", "id"};
  std::string mistake_;
};

Command contend(Fields& fields) {
  Contend made;
  made.keys = fields.count("keys", 1, 1, most_keys);
  made.time = fields.seconds("seconds");
  made.hold = Duration{fields.count("hold_us", 0, 0)};
  made.in_flight = fields.count("in_flight", 1, 1, most_keys);
  made.seed = fields.number("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
  constexpr auto latest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  made.at = TimePoint{Duration{static_cast<std::int64_t>(fields.number("at_us", 0, 0, latest))}};
  made.log = fields.text("log", 4096);
  return made;
}

Command uncontended(Fields& fields) {
  MeasureUncontended made;
  made.key = fields.key();
  made.peer = fields.peer();
  made.count = fields.count("count", made.count);
  made.warm_up = fields.count("warm_up", made.warm_up, 0);
  made.blocks = fields.count("blocks", made.blocks, 1, 1000);
  made.time = fields.seconds("seconds", made.time);
  return made;
}

struct Kind {
  std::string_view name;
  Command (*make)(Fields&);
};

constexpr std::array<Kind, 11> kinds{{
    {"acquire", [](Fields& fields) -> Command { return AcquireKey{fields.key()}; }},
    {"abandon", [](Fields& fields) -> Command { return AbandonKey{fields.key()}; }},
    {"release",
     [](Fields& fields) -> Command {
       auto key = fields.key();
       auto bytes = fields.text("bytes", wire::limits::lock_value_bytes);
       return ReleaseKey{std::move(key), std::move(bytes), fields.flag("uncertain")};
     }},
    {"status", [](Fields&) -> Command { return ShowStatus{}; }},
    {"statistics", [](Fields&) -> Command { return ShowStatistics{}; }},
    {"cut", [](Fields& fields) -> Command { return CutPeer{fields.peer()}; }},
    {"heal",
     [](Fields& fields) -> Command {
       return fields.has("peer") ? HealPeer{fields.peer()} : HealPeer{};
     }},
    {"echo",
     [](Fields& fields) -> Command {
       const auto peer = fields.peer();
       return MeasureEcho{peer, fields.count("count", 1000)};
     }},
    {"uncontended", uncontended},
    {"contend", contend},
    {"quit", [](Fields&) -> Command { return Quit{}; }},
}};

}  // namespace

std::variant<Request, Mistake> parse_command(std::string_view line) {
  const auto object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Mistake{"the line is not a JSON object", {}};
  const auto id = object.value("id", json{});
  const auto wanted = object.find("do");
  if (wanted == object.end() || !wanted->is_string()) {
    return Mistake{"\"do\" is missing: what is to be done?", id};
  }
  const auto& name = wanted->get_ref<const std::string&>();
  for (const auto& kind : kinds) {
    if (kind.name != name) continue;
    Fields fields{object};
    auto command = kind.make(fields);
    if (auto mistake = fields.finish(); !mistake.empty()) return Mistake{name + ": " + mistake, id};
    return Request{std::move(command), name, id};
  }
  std::string known;
  for (const auto& kind : kinds) known += " " + std::string{kind.name};
  return Mistake{"\"do\" has to be one of" + known, id};
}

}  // namespace fixkeep::lock_node
