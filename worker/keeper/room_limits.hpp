// All processes of a room together may have no more than its limits, which a control group is told.
// Thread rule: values, and a free function that writes files of the kernel. Bounds: two files a
// limit and folder. Errors: in words.
#pragma once

#include <cstdint>
#include <string>

#include "worker/keeper/cgroup.hpp"

namespace fixkeep::worker {

inline constexpr std::uint32_t usual_cpu_weight = 100;

// The limits hold for all processes of a room together: see
// worker/runner/process/room_cgroups.hpp.
struct RoomLimits {
  std::uint64_t memory_mib = 0;  // what the kernel keeps for them in files counts too; 0: no limit
  std::uint32_t processes = 0;   // at a time, a thread counts as one; 0: no limit
  std::uint32_t cpu_weight = usual_cpu_weight;  // 1 to 10000: share of a busy CPU, to others'

  friend bool operator==(const RoomLimits&, const RoomLimits&) = default;
};

// Writes those limits that differ from what is usual; the text says which one was not taken. With
// `only_lost` those alone that are not set to anything.
[[nodiscard]] std::string set_limits(const keeper::Cgroup& cgroup, const RoomLimits& limits,
                                     bool only_lost = false);

}  // namespace fixkeep::worker
