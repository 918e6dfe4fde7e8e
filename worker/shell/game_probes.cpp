#include "worker/shell/game_probes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/config/sections.hpp"
#include "common/config/suggestion.hpp"
#include "worker/shell/game_description.hpp"

namespace fixkeep::worker {
namespace {

using config::Json;

constexpr auto by_sdk = "sdk";
constexpr auto until_exit = "until-exit";
constexpr auto connections = "connections";
constexpr auto for_a_time = "for-a-time";
// Each command is a new process, perhaps with an interpreter on a busy machine.
constexpr Duration spacing_of_commands = std::chrono::seconds{1};
constexpr Duration limit_of_commands = std::chrono::seconds{5};

struct Unreadable {
  std::string where;  // ".exchanges[0].send"
  std::string why;
};
template <class Value>
using Read = std::variant<Value, Unreadable>;

std::string text_of(const Json& entry, const char* key, const std::string& otherwise = {}) {
  const auto found = entry.find(key);
  return found == entry.end() ? otherwise : found->get<std::string>();
}

Read<probe::TextPattern> read_expression(const Json& entry) {
  auto [pattern, problem] = probe::TextPattern::matching(entry.at("matches").get<std::string>());
  if (!pattern) return Unreadable{".matches", "must be a regular expression: " + problem};
  return std::move(*pattern);
}

Read<probe::PlayerPattern> read_players(const Json& entry) {
  auto pattern = read_expression(entry);
  if (auto* wrong = std::get_if<Unreadable>(&pattern)) {
    return Unreadable{".players" + wrong->where, wrong->why};
  }
  probe::PlayerPattern players{.pattern = std::move(std::get<probe::TextPattern>(pattern))};
  const auto rule = text_of(entry, "rule", "first");
  if (rule == "sum") players.rule = probe::PlayerPattern::Rule::sum;
  if (rule == "count") players.rule = probe::PlayerPattern::Rule::count;
  if (text_of(entry, "number") == "byte") players.number = probe::PlayerPattern::Number::byte;
  return players;
}

// Each key with the kinds of probes that have it. Other keys are for all kinds.
constexpr std::array<std::pair<const char*, std::string_view>, 7> keys_of_kinds{{
    {"port", "tcp, udp or a2s"},
    {"exchanges", "udp"},
    {"contains", "line"},
    {"matches", "line"},
    {"command", "command"},
    {"after_ms", "alive"},
    {"players", "udp or command"},
}};

void check_keys_of_kind(const Json& entry, const std::string& key, config::CrossCheck& check) {
  const auto& by = entry.at("by").get_ref<const std::string&>();
  for (const auto& [name, kinds] : keys_of_kinds) {
    if (!entry.contains(name) || kinds.find(by) != std::string_view::npos) continue;
    check.report(config::member_key(key, name), "belongs to a probe by " + std::string{kinds} +
                                                    ", and this one is by " + by +
                                                    ": take it out, or change by");
  }
}

// Suggests a pattern if the text seems to be meant as one.
std::string meant_bytes(const std::string& text) {
  constexpr std::size_t shown = 200;
  const auto pattern = probe::nearest_byte_pattern(text);
  return pattern.empty() || pattern.size() > shown ? "" : "; did you mean \"" + pattern + "\"?";
}

Read<probe::Exchange> read_exchange(const Json& entry) {
  const auto sent = probe::parse_byte_pattern(entry.at("send").get<std::string>());
  const auto question = sent ? sent->exactly() : std::nullopt;
  if (!question) {
    return Unreadable{".send",
                      "must be pairs of hexadecimal digits, or texts in single quotes, separated "
                      "by spaces, like ff ff 'info'; a space in a text is 20" +
                          meant_bytes(entry.at("send"))};
  }
  probe::Exchange exchange{.question = *question};
  config::FieldReader{entry}("padded_to", exchange.padded_to);
  for (const Json& copy : entry.value("copy", Json::array())) {
    exchange.copies.push_back({copy.at("from").get<std::size_t>(), copy.at("to").get<std::size_t>(),
                               copy.at("bytes").get<std::size_t>()});
  }
  if (!entry.contains("expect")) return exchange;
  const auto expected = probe::parse_byte_pattern(entry.at("expect").get<std::string>());
  if (!expected) {
    return Unreadable{".expect",
                      "must be pairs of hexadecimal digits, ?? or texts in single quotes, "
                      "separated by spaces, like ff ?? 'info'; a space in a text is 20" +
                          meant_bytes(entry.at("expect"))};
  }
  exchange.answer = *expected;
  return exchange;
}

Read<probe::Target> read_udp(const Json& entry) {
  probe::UdpProbe udp{.port = text_of(entry, "port", main_port)};
  const Json exchanges = entry.value("exchanges", Json::array());
  if (exchanges.empty()) return Unreadable{"", "must have exchanges, since it is by udp"};
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    auto exchange = read_exchange(exchanges[i]);
    if (auto* wrong = std::get_if<Unreadable>(&exchange)) {
      return Unreadable{".exchanges[" + std::to_string(i) + "]" + wrong->where, wrong->why};
    }
    udp.exchanges.push_back(std::move(std::get<probe::Exchange>(exchange)));
  }
  if (!entry.contains("players")) return udp;
  auto players = read_players(entry.at("players"));
  if (auto* wrong = std::get_if<Unreadable>(&players)) return *wrong;
  udp.players = std::move(std::get<probe::PlayerPattern>(players));
  return udp;
}

Read<probe::Target> read_line(const Json& entry) {
  if (entry.contains("contains") == entry.contains("matches")) {
    return Unreadable{"", "must have either contains or matches, since it is by line"};
  }
  if (entry.contains("contains")) {
    return probe::LineProbe{
        probe::TextPattern::containing(entry.at("contains").get<std::string>())};
  }
  auto pattern = read_expression(entry);
  if (auto* wrong = std::get_if<Unreadable>(&pattern)) return *wrong;
  return probe::LineProbe{std::move(std::get<probe::TextPattern>(pattern))};
}

Read<probe::Target> read_command(const Json& entry) {
  if (!entry.contains("command")) return Unreadable{"", "must have a command, since it is by one"};
  probe::CommandProbe command{.command = entry.at("command").get<std::vector<std::string>>()};
  if (!entry.contains("players")) return command;
  auto players = read_players(entry.at("players"));
  if (auto* wrong = std::get_if<Unreadable>(&players)) return *wrong;
  command.players = std::move(std::get<probe::PlayerPattern>(players));
  return command;
}

Read<probe::Target> read_target(const Json& entry) {
  const auto by = entry.at("by").get<std::string>();
  if (by == "udp") return read_udp(entry);
  if (by == "line") return read_line(entry);
  if (by == "command") return read_command(entry);
  if (by == "tcp") return probe::TcpProbe{.port = text_of(entry, "port", main_port)};
  if (by == "a2s") return probe::A2sProbe{.port = text_of(entry, "port", main_port)};
  probe::AliveProbe alive;
  config::FieldReader{entry}("after_ms", alive.after);
  if (alive.after == Duration{}) return Unreadable{"", "must have after_ms, since it is by alive"};
  return alive;
}

Read<probe::Probe> read_probe(const Json& entry) {
  auto target = read_target(entry);
  if (auto* wrong = std::get_if<Unreadable>(&target)) return *wrong;
  probe::Probe probe{.target = std::move(std::get<probe::Target>(target))};
  if (std::holds_alternative<probe::CommandProbe>(probe.target)) {
    probe.spacing = spacing_of_commands;
    probe.limit = limit_of_commands;
  }
  const config::FieldReader fields{entry};
  fields("interval_ms", probe.interval);
  fields("spacing_ms", probe.spacing);
  return probe;
}

probe::Probe named(const Json& entry, const std::string& name) {
  auto probe = std::get<probe::Probe>(read_probe(entry.at("probes").at(name)));
  probe.name = name;
  return probe;
}

bool reads_lines(const std::vector<probe::Probe>& probes) {
  return std::any_of(probes.begin(), probes.end(), [](const probe::Probe& each) {
    return std::holds_alternative<probe::LineProbe>(each.target);
  });
}

// Reports a name that no probe has, and suggests the nearest existing name.
void check_name(const std::string& name, const std::string& key, const Json& entry,
                std::vector<std::string> words, config::CrossCheck& check) {
  for (const auto& [known, value] : entry.at("probes").items()) words.push_back(known);
  if (std::find(words.begin(), words.end(), name) != words.end()) return;
  std::string list;
  for (const auto& word : words) list += (list.empty() ? "" : ", ") + word;
  check.report(key, "must be a name of probes, is \"" + name + "\"" +
                        config::suggestion(name, words) + " (there are: " + list + ")");
}

}  // namespace

probe::ProbePlan read_probes(const Json& entry) {
  probe::ProbePlan plan;
  for (const auto& name : entry.at("ready").get<std::vector<std::string>>()) {
    if (name == by_sdk) {
      plan.said_ready = true;
    } else {
      plan.readiness.push_back(named(entry, name));
    }
  }
  for (const auto& name : entry.at("alive").get<std::vector<std::string>>()) {
    plan.liveness.push_back(named(entry, name));
  }
  const auto players = entry.at("players").get<std::string>();
  if (players == connections) {
    plan.players = {.target = probe::ConnectionsProbe{}, .name = players};
  } else if (read_seat_rule(entry) == SeatRule::counted) {
    plan.players = named(entry, players);
  }
  return plan;
}

SeatRule read_seat_rule(const Json& entry) {
  const auto& how = entry.at("players").get_ref<const std::string&>();
  if (how == by_sdk) return SeatRule::told;
  if (how == until_exit) return SeatRule::until_exit;
  return how == for_a_time ? SeatRule::for_a_time : SeatRule::counted;
}

void check_probes(const Json& entry, const std::string& key, const config::Document& document,
                  config::Problems& problems) {
  const std::size_t before = problems.size();
  config::CrossCheck check{document, problems};
  for (const auto& [name, probe] : entry.at("probes").items()) {
    const auto at = config::member_key(key + ".probes", name);
    if (name == by_sdk || name == until_exit || name == for_a_time || name == connections) {
      check.report(at, "must have another name: this one has a meaning of its own");
    }
    check_keys_of_kind(probe, at, check);
    const auto read = read_probe(probe);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) {
      check.report(at + wrong->where, wrong->why);
    }
  }
  const auto& ready = entry.at("ready");
  for (std::size_t i = 0; i < ready.size(); ++i) {
    check_name(ready[i], config::entry_key(key + ".ready", i), entry, {by_sdk}, check);
  }
  const auto& alive = entry.at("alive");
  for (std::size_t i = 0; i < alive.size(); ++i) {
    check_name(alive[i], config::entry_key(key + ".alive", i), entry, {}, check);
  }
  check_name(entry.at("players"), key + ".players", entry,
             {by_sdk, until_exit, for_a_time, connections}, check);
  if (problems.size() != before) return;
  probe::Ports ports{{main_port, 1}};
  const auto names = entry.at("ports").get<std::vector<std::string>>();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != wire::main_port_name && ports.emplace(names[i], 1).second) continue;
    const bool is_main = names[i] == wire::main_port_name || names[i] == main_port;
    check.report(config::entry_key(key + ".ports", i),
                 "must be unique, and \"" + names[i] + "\" is " +
                     (is_main ? "the name of {port}" : "the name of another one"));
  }
  for (auto i = entry.at("neighbour_ports").get<std::uint32_t>(); i > 0; --i) {
    ports[neighbour_name(i)] = 1;
  }
  const auto problem = probe::problem_of(read_probes(entry), ports);
  if (!problem.empty()) check.report(key + ".probes", problem);
}

bool reads_lines_while_booting(const probe::ProbePlan& plan) {
  return reads_lines(plan.readiness) || reads_lines_for_good(plan);
}

bool reads_lines_for_good(const probe::ProbePlan& plan) {
  return reads_lines(plan.liveness);
}

}  // namespace fixkeep::worker
