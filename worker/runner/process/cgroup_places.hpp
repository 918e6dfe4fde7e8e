// Where the control groups of this process are: read from what the kernel says of them.
//
// Version 2 is one hierarchy ("unified"), version 1 has one for each controller or for a few of
// them, and a machine may have both ("hybrid"). In a container the mount shows a part of a
// hierarchy only, and a path from outside of a cgroup namespace begins with "/..": what cannot be
// reached is not there. Format: cgroups(7), proc(5), Documentation/admin-guide/cgroup-v2.rst.
// Thread rule: pure functions. Bounds: those of the texts. Errors: lines that are none are skipped.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::worker {

// The folder of the process's own control group in each hierarchy; empty: there is none.
struct CgroupPlaces {
  std::string unified;    // version 2
  std::string memory;     // version 1, as the others
  std::string processes;  // the controller "pids"
  std::string cpu;

  friend bool operator==(const CgroupPlaces&, const CgroupPlaces&) = default;
};

// From the texts of /proc/self/mountinfo and /proc/self/cgroup.
[[nodiscard]] CgroupPlaces to_cgroup_places(std::string_view mountinfo, std::string_view own);

// Finds the places of this process.
[[nodiscard]] CgroupPlaces find_cgroup_places();

}  // namespace fixkeep::worker
