// Reads `probes`, `ready`, `alive` and `players` of an entry of `games` into a probe::ProbePlan and
// a SeatRule. Both define how a worker probes a game from outside.
//
// Thread rule: free functions. Bounds: see configs/worker.schema.json and probe::problem_of().
// Errors: config::Problems.
#pragma once

#include <array>
#include <string>
#include <variant>

#include "common/config/loader.hpp"
#include "worker/core/room_host.hpp"
#include "worker/probe/core/probe_options.hpp"

namespace fixkeep::worker {

// The name of the players' port in a plan.
inline constexpr const char* main_port = "game";

// REQUIRES: check_probes() has found no problem in the entry.
[[nodiscard]] probe::ProbePlan read_probes(const config::Json& entry);
[[nodiscard]] SeatRule read_seat_rule(const config::Json& entry);

// Checks an entry, which is at `key` in the document. REQUIRES: the entry is valid by the schema.
void check_probes(const config::Json& entry, const std::string& key,
                  const config::Document& document, config::Problems& problems);

// The keys of an entry that are about probes.
inline constexpr std::array<const char*, 4> asked_keys{"probes", "ready", "alive", "players"};

// Calls `told` with the command of each command probe. `Plan` is ProbePlan or const ProbePlan.
template <class Plan>
void visit_commands(Plan& plan, const auto& told) {
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
