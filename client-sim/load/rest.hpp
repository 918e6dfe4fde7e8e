// A cluster is at rest when the seats that its masters show are those that players of ours have.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "client-sim/load/observation.hpp"

namespace fixkeep::client_sim {

// Returns what `have` is above `allowed`.
[[nodiscard]] constexpr std::uint64_t excess(std::uint64_t have, std::uint64_t allowed) {
  return have > allowed ? have - allowed : 0;
}

// Seats that differ between a view at rest and what the judge knows.
struct SeatDifference {
  std::uint64_t leaked = 0;
  std::uint64_t uncounted = 0;

  [[nodiscard]] bool none() const { return leaked == 0 && uncounted == 0; }
};

// `inside`: how many players of ours sit in each room by room id.
[[nodiscard]] SeatDifference seat_difference(const RestingView& view,
                                             const std::map<std::string, std::uint32_t>& inside,
                                             const std::map<std::string, std::uint32_t>& before);

// Players of ours in each room when the load was over and seats taken in it before the run.
[[nodiscard]] std::map<std::string, std::uint32_t> inside_at_end(const Observation& seen);
[[nodiscard]] std::map<std::string, std::uint32_t> taken_before(const Observation& seen);

}  // namespace fixkeep::client_sim
