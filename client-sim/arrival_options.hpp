// Options for the arrival of players. The user can give several kinds of arrival; each kind gets
// its own runs.
//
// Thread rule: free functions without state. Errors: a text with the correction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/load/workload.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

// The options as written by the user.
struct ArrivalTexts {
  std::string names = "burst";
  std::optional<std::size_t> players;  // no value: the workload's own number applies
  double duration_s = 0;               // 0: no duration; the number of players is fixed
  std::uint32_t churn_stay_ms = 5000;
  std::optional<std::uint32_t> close_empty_ms;
  std::optional<std::uint32_t> room_limit;
};

// Adds --arrival, --duration-s and --churn-stay-ms.
void add_arrival_options(CLI::App& command, ArrivalTexts& texts);

// Reads the kinds of arrival into `arrivals`, in the order in which they are given. Returns the
// mistake, if any.
[[nodiscard]] std::string read_arrivals(const ArrivalTexts& texts, std::vector<Arrival>& arrivals);

// Returns the number of players of a run with this arrival. For a burst, or without --duration-s,
// this is the given number; otherwise the workload's rate times the duration.
[[nodiscard]] double players_of(const ArrivalTexts& texts, Arrival arrival,
                                const WorkloadOptions& workload);

}  // namespace fixkeep::client_sim
