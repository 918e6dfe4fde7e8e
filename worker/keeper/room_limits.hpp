// The limits of a room that a control group enforces. Thread rule: values and a free function that
// writes files of the kernel. Bounds: two files for each limit and folder. Errors: as text.
#pragma once

#include <cstdint>
#include <string>

#include "worker/keeper/cgroup.hpp"

namespace fixkeep::worker {

// Each limit is for all processes of a room together: see worker/runner/process/room_cgroups.hpp.
struct RoomLimits {
  std::uint64_t memory_mib = 0;  // memory, including the kernel's cache of files; 0: no limit
  std::uint32_t processes = 0;   // processes and threads at a time; 0: no limit

  friend bool operator==(const RoomLimits&, const RoomLimits&) = default;
};

// Writes each limit that is not 0. Returns the names of refused limits. With `only_lost`, writes
// only limits that are no longer set.
[[nodiscard]] std::string set_limits(const keeper::Cgroup& cgroup, const RoomLimits& limits,
                                     bool only_lost = false);

}  // namespace fixkeep::worker
