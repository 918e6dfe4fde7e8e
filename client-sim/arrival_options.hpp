// The options say how the players of a run arrive: one way or several. Each way gets runs of its
// own.
//
// Thread rule: free functions without state. Errors: a text that says what to write instead.
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

// These are the options as they were written.
struct ArrivalTexts {
  std::string names = "burst";
  std::optional<std::size_t> players;  // no value: the players of the workload
  double duration_s = 0;               // 0: set by --players
  std::uint32_t churn_stay_ms = 5000;
  std::optional<std::uint32_t> close_empty_ms;
  std::optional<std::uint32_t> room_limit;
};

// --arrival, --duration-s and --churn-stay-ms.
void add_arrival_options(CLI::App& command, ArrivalTexts& texts);

// The arrivals in the order given. Returns what is wrong.
[[nodiscard]] std::string read_arrivals(const ArrivalTexts& texts, std::vector<Arrival>& arrivals);

// The players of this arrival. They come at the rate of the workload if a duration was given.
[[nodiscard]] double players_of(const ArrivalTexts& texts, Arrival arrival,
                                const WorkloadOptions& workload);

}  // namespace fixkeep::client_sim
