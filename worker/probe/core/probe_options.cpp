#include "worker/probe/core/probe_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fixkeep::probe {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::size_t most_probes = 8;  // per list
constexpr std::size_t most_exchanges = 4;
constexpr std::size_t most_copies = 4;
constexpr std::size_t most_arguments = 64;
constexpr std::uint32_t most_failures = 100;
constexpr Duration shortest = milliseconds{10};
constexpr Duration longest_limit = minutes{1};
constexpr Duration longest_interval = hours{1};

std::string problem_of(const PlayerPattern& players) {
  if (players.rule == PlayerPattern::Rule::count || players.pattern.groups() > 0) return {};
  return "the pattern for the number of players has no group to read a number from";
}

std::string problem_of(const Exchange& exchange, bool first) {
  const auto size = std::max(exchange.question.size(), exchange.padded_to);
  if (size == 0) return "a question needs bytes";
  if (size > most_pattern_bytes || exchange.answer.bytes.size() > most_pattern_bytes) {
    return fmt::format("a packet has at most {} bytes", most_pattern_bytes);
  }
  if (first && !exchange.copies.empty()) return "there is no answer yet to copy bytes from";
  if (exchange.copies.size() > most_copies) return "there are too many copies";
  for (const auto& [from, to, bytes] : exchange.copies) {
    if (bytes == 0 || bytes > size || to > size - bytes || from > most_pattern_bytes) {
      return "bytes are copied behind the end of the packet";
    }
  }
  return {};
}

std::string problem_of(const TcpProbe& /*unused*/) {
  return {};
}
std::string problem_of(const UdpProbe& probe) {
  if (probe.exchanges.empty()) return "there is nothing to ask";
  if (probe.exchanges.size() > most_exchanges) return "there are too many questions";
  for (const Exchange& exchange : probe.exchanges) {
    auto problem = problem_of(exchange, &exchange == &probe.exchanges.front());
    if (!problem.empty()) return problem;
  }
  return probe.players ? problem_of(*probe.players) : "";
}
std::string problem_of(const A2sProbe& /*unused*/) {
  return {};
}
std::string problem_of(const LineProbe& /*unused*/) {
  return {};
}
std::string problem_of(const CommandProbe& probe) {
  if (probe.command.empty() || probe.command.front().empty()) return "there is no command";
  if (probe.command.size() > most_arguments) return "the command has too many arguments";
  return probe.players ? problem_of(*probe.players) : "";
}
std::string problem_of(const AliveProbe& probe) {
  return probe.after > longest_interval ? "it is alive only after more than an hour" : "";
}

std::string problem_of(const ConnectionsProbe& /*unused*/) {
  return {};
}

bool counts_players(const TcpProbe& /*unused*/) {
  return false;
}
bool counts_players(const UdpProbe& probe) {
  return probe.players.has_value();
}
bool counts_players(const A2sProbe& /*unused*/) {
  return true;
}
bool counts_players(const LineProbe& /*unused*/) {
  return false;
}
bool counts_players(const CommandProbe& probe) {
  return probe.players.has_value();
}
bool counts_players(const AliveProbe& /*unused*/) {
  return false;
}
bool counts_players(const ConnectionsProbe& /*unused*/) {
  return true;
}

std::optional<AskedPort> port_of(const TcpProbe& probe) {
  return AskedPort{Protocol::tcp, probe.port};
}
std::optional<AskedPort> port_of(const UdpProbe& probe) {
  return AskedPort{Protocol::udp, probe.port};
}
std::optional<AskedPort> port_of(const A2sProbe& probe) {
  return AskedPort{Protocol::udp, probe.port};
}
std::optional<AskedPort> port_of(const LineProbe& /*unused*/) {
  return std::nullopt;
}
std::optional<AskedPort> port_of(const CommandProbe& /*unused*/) {
  return std::nullopt;
}
std::optional<AskedPort> port_of(const AliveProbe& /*unused*/) {
  return std::nullopt;
}
std::optional<AskedPort> port_of(const ConnectionsProbe& /*unused*/) {
  return std::nullopt;
}

std::string problem_of(const Probe& probe, const Ports& ports) {
  auto problem = std::visit([](const auto& target) { return problem_of(target); }, probe.target);
  if (!problem.empty()) return problem;
  const auto port = asked_port(probe.target);
  if (port && !ports.contains(port->name)) {
    return fmt::format("the game has no port with the name \"{}\"", port->name);
  }
  if (probe.limit < shortest || probe.limit > longest_limit) {
    return "the limit is to be between 10 ms and a minute";
  }
  if (probe.spacing < shortest) return "the spacing is to be at least 10 ms";
  if (probe.interval < probe.spacing || probe.interval > longest_interval) {
    return "the interval is to be between the spacing and an hour";
  }
  return {};
}

}  // namespace

std::optional<AskedPort> asked_port(const Target& target) {
  return std::visit([](const auto& probe) { return port_of(probe); }, target);
}

std::string problem_of(const ProbePlan& plan, const Ports& ports) {
  const auto list_problem = [&](const std::vector<Probe>& list,
                                std::string_view name) -> std::string {
    if (list.size() > most_probes) {
      return fmt::format("{}: there are more than {} probes", name, most_probes);
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto problem = problem_of(list[i], ports);
      if (!problem.empty()) return fmt::format("{}[{}]: {}", name, i, problem);
    }
    return {};
  };
  auto problem = list_problem(plan.readiness, "readiness");
  if (problem.empty()) problem = list_problem(plan.liveness, "liveness");
  if (!problem.empty()) return problem;
  for (const Probe& probe : plan.liveness) {
    if (std::holds_alternative<AliveProbe>(probe.target)) {
      return "liveness: that the process is alive needs no probe";
    }
  }
  if (plan.failures == 0 || plan.failures > most_failures) {
    return fmt::format("failures: they are to be between 1 and {}", most_failures);
  }
  if (!plan.players) return {};
  if (!std::visit([](const auto& target) { return counts_players(target); },
                  plan.players->target)) {
    return "players: this probe does not count players";
  }
  problem = problem_of(*plan.players, ports);
  return problem.empty() ? "" : "players: " + problem;
}

}  // namespace fixkeep::probe
