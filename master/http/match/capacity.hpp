// The reasons why no worker could start a room of a mode. Each of the six reasons needs a different
// action by an operator.
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
  mode_unknown,  // no connected worker runs the mode
  mode_drained,  // the mode's workers were told to start no room of this mode
  mode_failing,  // the mode's games fail to boot, so its workers pause before a new try
  workers_full,  // the mode's workers have no headroom
  workers_slow,  // the mode's workers have headroom, but no room opened in time
};

[[nodiscard]] CapacityLack capacity_lack(const Directory& directory, const ModeName& mode);

// Returns `reason` of the problem document, for example "no-worker".
[[nodiscard]] std::string_view to_string(CapacityLack lack);
// Returns a text that explains the lack and its remedy.
[[nodiscard]] std::string_view detail_of(CapacityLack lack);
// Returns the reasons for the mode's last failed boots, by worker: "w1: exit code 1: cannot bind;
// w2: …". Names at most three workers; empty: no failure. Call this only after a boot has failed,
// because stored reasons can be old.
[[nodiscard]] std::string failures_of(const Directory& directory, const ModeName& mode);
// Returns in the same form why starting rooms of the mode are not ready: "w1: not ready: it listens
// on 43950, not on 43326".
[[nodiscard]] std::string not_ready_of(const Directory& directory, const ModeName& mode);

}  // namespace fixkeep::master
