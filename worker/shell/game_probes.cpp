#include "worker/shell/game_probes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

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
// Commands get a longer time between tries: each is a new process, perhaps with an interpreter.
constexpr Duration spacing_of_commands = std::chrono::seconds{1};
constexpr Duration limit_of_commands = std::chrono::seconds{5};

struct Unreadable {
  std::string where;  // ".exchanges[0].send"
  std::string why;
};
template <class Value>
using Read = std::variant<Value, Unreadable>;

std::string port_of(const ProbeKeys& keys) {
  return keys.port.empty() ? main_port : keys.port;
}

Read<probe::TextPattern> read_expression(const std::string& matches) {
  auto [pattern, problem] = probe::TextPattern::matching(matches);
  if (!pattern) return Unreadable{".matches", "must be a regular expression: " + problem};
  return std::move(*pattern);
}

// If a probe may count players, reads its key `players` into the probe's target.
Read<probe::Target> with_players(const ProbeKeys& keys, auto target) {
  if (!keys.players) return target;
  auto pattern = read_expression(keys.players->matches);
  if (auto* wrong = std::get_if<Unreadable>(&pattern)) {
    return Unreadable{".players" + wrong->where, wrong->why};
  }
  target.players = probe::PlayerPattern{.pattern = std::move(std::get<probe::TextPattern>(pattern)),
                                        .rule = keys.players->rule,
                                        .number = keys.players->number};
  return target;
}

// Reports each given key that a probe of this kind does not have.
void check_keys_of_kind(const ProbeKeys& keys, const std::string& key, config::CrossCheck& check) {
  struct KindsOfKey {
    bool given;
    const char* name;
    std::string_view kinds;
  };
  for (const auto& [given, name, kinds] : {
           KindsOfKey{!keys.port.empty(), "port", "tcp, udp or a2s"},
           KindsOfKey{!keys.exchanges.empty(), "exchanges", "udp"},
           KindsOfKey{!keys.contains.empty(), "contains", "line"},
           KindsOfKey{!keys.matches.empty(), "matches", "line"},
           KindsOfKey{!keys.command.empty(), "command", "command"},
           KindsOfKey{keys.after_ms > 0, "after_ms", "alive"},
           KindsOfKey{keys.players.has_value(), "players", "udp or command"},
       }) {
    if (!given || kinds.find(keys.by) != std::string_view::npos) continue;
    check.report(config::member_key(key, name), "belongs to a probe by " + std::string{kinds} +
                                                    ", and this one is by " + keys.by +
                                                    ": take it out, or change by");
  }
}

// If the text looks like a pattern, suggests a correct pattern.
std::string meant_bytes(const std::string& text) {
  constexpr std::size_t shown = 200;
  const auto pattern = probe::nearest_byte_pattern(text);
  return pattern.empty() || pattern.size() > shown ? "" : "; did you mean \"" + pattern + "\"?";
}

Read<probe::Exchange> read_exchange(const ExchangeKeys& keys) {
  const auto sent = probe::parse_byte_pattern(keys.send);
  const auto question = sent ? sent->exactly() : std::nullopt;
  if (!question) {
    return Unreadable{".send",
                      "must be pairs of hexadecimal digits, or texts in single quotes, separated "
                      "by spaces, like ff ff 'info'; a space in a text is 20" +
                          meant_bytes(keys.send)};
  }
  probe::Exchange exchange{.question = *question, .padded_to = keys.padded_to, .copies = keys.copy};
  if (keys.expect.empty()) return exchange;
  const auto expected = probe::parse_byte_pattern(keys.expect);
  if (!expected) {
    return Unreadable{".expect",
                      "must be pairs of hexadecimal digits, ?? or texts in single quotes, "
                      "separated by spaces, like ff ?? 'info'; a space in a text is 20" +
                          meant_bytes(keys.expect)};
  }
  exchange.answer = *expected;
  return exchange;
}

Read<probe::Target> read_udp(const ProbeKeys& keys) {
  probe::UdpProbe udp{.port = port_of(keys)};
  if (keys.exchanges.empty()) return Unreadable{"", "must have exchanges, since it is by udp"};
  for (std::size_t i = 0; i < keys.exchanges.size(); ++i) {
    auto exchange = read_exchange(keys.exchanges[i]);
    if (auto* wrong = std::get_if<Unreadable>(&exchange)) {
      return Unreadable{".exchanges[" + std::to_string(i) + "]" + wrong->where, wrong->why};
    }
    udp.exchanges.push_back(std::move(std::get<probe::Exchange>(exchange)));
  }
  return with_players(keys, std::move(udp));
}

Read<probe::Target> read_line(const ProbeKeys& keys) {
  if (keys.contains.empty() == keys.matches.empty()) {
    return Unreadable{"", "must have either contains or matches, since it is by line"};
  }
  if (!keys.contains.empty()) {
    return probe::LineProbe{probe::TextPattern::containing(keys.contains)};
  }
  auto pattern = read_expression(keys.matches);
  if (auto* wrong = std::get_if<Unreadable>(&pattern)) return *wrong;
  return probe::LineProbe{std::move(std::get<probe::TextPattern>(pattern))};
}

Read<probe::Target> read_target(const ProbeKeys& keys) {
  if (keys.by == "udp") return read_udp(keys);
  if (keys.by == "line") return read_line(keys);
  if (keys.by == "tcp") return probe::TcpProbe{.port = port_of(keys)};
  if (keys.by == "a2s") return probe::A2sProbe{.port = port_of(keys)};
  if (keys.by == "command") {
    if (keys.command.empty()) return Unreadable{"", "must have a command, since it is by one"};
    return with_players(keys, probe::CommandProbe{.command = keys.command});
  }
  if (keys.after_ms == 0) return Unreadable{"", "must have after_ms, since it is by alive"};
  return probe::AliveProbe{.after = std::chrono::milliseconds{keys.after_ms}};
}

Read<probe::Probe> read_probe(const ProbeKeys& keys) {
  auto target = read_target(keys);
  if (auto* wrong = std::get_if<Unreadable>(&target)) return *wrong;
  probe::Probe probe{.target = std::move(std::get<probe::Target>(target))};
  if (std::holds_alternative<probe::CommandProbe>(probe.target)) {
    probe.spacing = spacing_of_commands;
    probe.limit = limit_of_commands;
  }
  if (keys.interval_ms > 0) probe.interval = std::chrono::milliseconds{keys.interval_ms};
  return probe;
}

probe::Probe named(const AskedKeys& asked, const std::string& name) {
  auto probe = std::get<probe::Probe>(read_probe(asked.probes.at(name)));
  probe.name = name;
  return probe;
}

bool reads_lines(const std::vector<probe::Probe>& probes) {
  return std::any_of(probes.begin(), probes.end(), [](const probe::Probe& each) {
    return std::holds_alternative<probe::LineProbe>(each.target);
  });
}

// Reports a name that no probe has, and suggests the nearest existing name.
void check_name(const std::string& name, const std::string& key, const AskedKeys& asked,
                std::vector<std::string> words, config::CrossCheck& check) {
  for (const auto& [known, value] : asked.probes) words.push_back(known);
  if (std::find(words.begin(), words.end(), name) != words.end()) return;
  std::string list;
  for (const auto& word : words) list += (list.empty() ? "" : ", ") + word;
  check.report(key, "must be a name of probes, is \"" + name + "\"" +
                        config::suggestion(name, words) + " (there are: " + list + ")");
}

}  // namespace

probe::ProbePlan read_probes(const AskedKeys& asked) {
  probe::ProbePlan plan;
  for (const std::string& name : asked.ready) {
    if (name == by_sdk) {
      plan.said_ready = true;
    } else {
      plan.readiness.push_back(named(asked, name));
    }
  }
  for (const std::string& name : asked.alive) plan.liveness.push_back(named(asked, name));
  if (asked.players == connections) {
    plan.players = {.target = probe::ConnectionsProbe{}, .name = asked.players};
  } else if (read_seat_rule(asked) == SeatRule::counted) {
    plan.players = named(asked, asked.players);
  }
  return plan;
}

SeatRule read_seat_rule(const AskedKeys& asked) {
  if (asked.players == by_sdk) return SeatRule::told;
  if (asked.players == until_exit) return SeatRule::until_exit;
  return asked.players == for_a_time ? SeatRule::for_a_time : SeatRule::counted;
}

void check_probes(const Json& entry, const std::string& key, const config::Document& document,
                  config::Problems& problems) {
  const std::size_t before = problems.size();
  config::CrossCheck check{document, problems};
  AskedKeys asked;
  auto fields = config::Fields::reading(entry);
  describe(fields, asked);
  for (const auto& [name, probe] : asked.probes) {
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
  for (std::size_t i = 0; i < asked.ready.size(); ++i) {
    check_name(asked.ready[i], config::entry_key(key + ".ready", i), asked, {by_sdk}, check);
  }
  for (std::size_t i = 0; i < asked.alive.size(); ++i) {
    check_name(asked.alive[i], config::entry_key(key + ".alive", i), asked, {}, check);
  }
  check_name(asked.players, key + ".players", asked, {by_sdk, until_exit, for_a_time, connections},
             check);
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
  for (auto i = entry.value("neighbour_ports", 0U); i > 0; --i) ports[neighbour_name(i)] = 1;
  const auto problem = probe::problem_of(read_probes(asked), ports);
  if (!problem.empty()) check.report(key + ".probes", problem);
}

bool reads_lines_while_booting(const probe::ProbePlan& plan) {
  return reads_lines(plan.readiness) || reads_lines_for_good(plan);
}

bool reads_lines_for_good(const probe::ProbePlan& plan) {
  return reads_lines(plan.liveness);
}

}  // namespace fixkeep::worker
