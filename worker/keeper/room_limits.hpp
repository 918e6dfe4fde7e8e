// The limits of a room that a control group enforces. Thread rule: values and a free function that
// writes files of the kernel. Bounds: two files a limit and folder. Errors: in words.
#pragma once

#include <cstdint>
#include <string>

#include "worker/keeper/cgroup.hpp"

namespace fixkeep::worker {

// Each limit holds for all processes of a room together: see
// worker/runner/process/room_cgroups.hpp.
struct RoomLimits {
  std::uint64_t memory_mib = 0;  // memory, with the kernel's cache of their files; 0: no limit
  std::uint32_t processes = 0;   // processes and threads at a time; 0: no limit

  friend bool operator==(const RoomLimits&, const RoomLimits&) = default;
};

// Writes the limits that are not the usual ones. The text names the refused ones. With `only_lost`
// it writes only the limits that are not set.
[[nodiscard]] std::string set_limits(const keeper::Cgroup& cgroup, const RoomLimits& limits,
                                     bool only_lost = false);

}  // namespace fixkeep::worker
