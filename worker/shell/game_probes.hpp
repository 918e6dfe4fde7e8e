// The keys `probes`, `ready`, `alive` and `players` of an entry of `games`, and their results: a
// probe::ProbePlan and a SeatRule. They define how a worker probes a game from outside.
//
// Thread rule: values and free functions. Bounds: those of the keys, and probe::problem_of().
// Errors: config::Problems.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/config/fields.hpp"
#include "worker/core/room_host.hpp"
#include "worker/probe/core/probe_options.hpp"

namespace fixkeep::worker {

// The name of the players' port in a plan.
inline constexpr const char* main_port = "game";

// The keys as the configuration gives them. An empty text or list, or the number 0, means that the
// key is missing.
struct ExchangeKeys {
  std::string send;
  std::uint32_t padded_to = 0;
  std::vector<probe::Exchange::Copy> copy;
  std::string expect;
};
struct PlayersKeys {
  std::string matches;
  probe::PlayerPattern::Rule rule = probe::PlayerPattern::Rule::first;
  probe::PlayerPattern::Number number = probe::PlayerPattern::Number::decimal;
};
struct ProbeKeys {
  std::string by = "tcp";
  std::string port;
  std::vector<ExchangeKeys> exchanges;
  std::string contains;
  std::string matches;
  std::vector<std::string> command;
  std::uint32_t after_ms = 0;
  std::optional<PlayersKeys> players;
  std::uint32_t interval_ms = 0;
};
struct AskedKeys {
  std::map<std::string, ProbeKeys> probes;
  std::vector<std::string> ready{"sdk"};
  std::vector<std::string> alive;
  std::string players = "sdk";
};
void describe(config::Fields& fields, AskedKeys& asked);

// REQUIRES: check_probes() has found no problem in the keys.
[[nodiscard]] probe::ProbePlan read_probes(const AskedKeys& asked);
[[nodiscard]] SeatRule read_seat_rule(const AskedKeys& asked);

// Checks an entry, which is at `key` in the document. REQUIRES: the entry is valid by the schema.
void check_probes(const config::Json& entry, const std::string& key,
                  const config::Document& document, config::Problems& problems);

// The keys of an entry that concern probes.
inline constexpr std::array<const char*, 4> asked_keys{"probes", "ready", "alive", "players"};

// Calls `told` with the command of each command probe. `Plan` is ProbePlan or const ProbePlan.
void visit_commands(auto& plan, const auto& told) {
  const auto look = [&](auto& probe) {
    auto* const asked = std::get_if<probe::CommandProbe>(&probe.target);
    if (asked != nullptr) told(asked->command);
  };
  for (auto& each : plan.readiness) look(each);
  for (auto& each : plan.liveness) look(each);
  if (plan.players) look(*plan.players);
}

// Returns whether the plan needs the game's output: during the boot, or all the time.
[[nodiscard]] bool reads_lines_while_booting(const probe::ProbePlan& plan);
[[nodiscard]] bool reads_lines_for_good(const probe::ProbePlan& plan);

}  // namespace fixkeep::worker
