// Why no worker could start a room of a mode: four troubles that an operator mends in different
// ways.
//
// Thread rule: free functions of the master's thread. Errors: none.
#pragma once

#include <string_view>

#include "common/base/ids.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

enum class CapacityLack : std::uint8_t {
  no_worker,     // none has a link to this master
  mode_unknown,  // there are workers, and none of them runs the mode
  workers_full,  // those that run it have no headroom
  workers_slow,  // they have headroom, but no room came of it in time
};

[[nodiscard]] CapacityLack capacity_lack(const Directory& directory, const ModeName& mode);

// "no-worker" and so on: `reason` of the problem document.
[[nodiscard]] std::string_view to_string(CapacityLack lack);
// What it means, and what to do.
[[nodiscard]] std::string_view detail_of(CapacityLack lack);

}  // namespace fixkeep::master
