// The control groups of this process, read from the kernel's texts.
//
// Version 2 is one hierarchy ("unified"). Version 1 has a hierarchy for each controller or for a
// few controllers. A machine may have both versions ("hybrid"). In a container the mount shows only
// a part of a hierarchy. If a path begins with "/..", its group is outside of the cgroup namespace.
// Such unreachable groups are left out. Format: cgroups(7), proc(5),
// Documentation/admin-guide/cgroup-v2.rst.
// Thread rule: pure functions. Bounds: those of the texts. Errors: malformed lines are skipped.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::worker {

// The folder of the process's own control group in each hierarchy. Empty: no group.
struct CgroupPlaces {
  std::string unified;    // version 2
  std::string memory;     // version 1
  std::string processes;  // version 1, controller "pids"

  friend bool operator==(const CgroupPlaces&, const CgroupPlaces&) = default;
};

// Reads the texts of /proc/self/mountinfo and /proc/self/cgroup.
[[nodiscard]] CgroupPlaces to_cgroup_places(std::string_view mountinfo, std::string_view own);

// Finds the control groups of this process.
[[nodiscard]] CgroupPlaces find_cgroup_places();

}  // namespace fixkeep::worker
