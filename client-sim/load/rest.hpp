// A cluster is at rest when its masters show exactly the seats that players of this run have.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "client-sim/load/observation.hpp"

namespace fixkeep::client_sim {

// Returns `have` − `allowed`, at least zero.
[[nodiscard]] constexpr std::uint64_t excess(std::uint64_t have, std::uint64_t allowed) {
  return have > allowed ? have - allowed : 0;
}

// Differences in seats between a master's view at rest and the judge's knowledge.
struct SeatDifference {
  std::uint64_t leaked = 0;
  std::uint64_t uncounted = 0;

  [[nodiscard]] bool none() const { return leaked == 0 && uncounted == 0; }
};

// Compares `view` with the players. `inside`: players of this run in each room, by room id.
// `before`: seats taken before the run.
[[nodiscard]] SeatDifference seat_difference(const RestingView& view,
                                             const std::map<std::string, std::uint32_t>& inside,
                                             const std::map<std::string, std::uint32_t>& before);

// Count, for each room, the players of this run at the end of the load and the seats taken before
// the run.
[[nodiscard]] std::map<std::string, std::uint32_t> inside_at_end(const Observation& seen);
[[nodiscard]] std::map<std::string, std::uint32_t> taken_before(const Observation& seen);

}  // namespace fixkeep::client_sim
