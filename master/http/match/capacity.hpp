// The reasons why no worker could start a room of a mode. An operator mends each of the six in
// another way.
//
// Thread rule: free functions of the master's thread. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "common/base/ids.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

enum class CapacityLack : std::uint8_t {
  no_worker,     // no worker has a link to this master
  mode_unknown,  // there are workers, and none of them runs the mode
  mode_drained,  // the mode's workers were told to start no room of it
  mode_failing,  // its games fail to boot, so those that run it wait before they try again
  workers_full,  // the mode's workers have no headroom
  workers_slow,  // they have headroom, but no room came of it in time
};

[[nodiscard]] CapacityLack capacity_lack(const Directory& directory, const ModeName& mode);

// "no-worker" and so on: `reason` of the problem document.
[[nodiscard]] std::string_view to_string(CapacityLack lack);
// Explains the lack and its remedy.
[[nodiscard]] std::string_view detail_of(CapacityLack lack);
// The reasons of the mode's last failed boots, by worker: "w1: exit code 1: cannot bind; w2: …". At
// most three workers; empty: no failure. It may be long ago: call it after a failed boot.
[[nodiscard]] std::string failures_of(const Directory& directory, const ModeName& mode);
// The reasons, in the same form, why starting rooms of the mode are not ready or were not had: "w1:
// not ready: it listens on 43950, not on 43326".
[[nodiscard]] std::string not_ready_of(const Directory& directory, const ModeName& mode);

}  // namespace fixkeep::master
