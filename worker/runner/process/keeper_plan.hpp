// Makes the part of a keeper's plan that comes from the launch alone.
// Thread rule: free functions. Bounds: see the launch. Errors: none.
#pragma once

#include <string>

#include "worker/keeper/plan.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/process/room_files.hpp"

namespace fixkeep::worker {

// The absolute path for a keeper that runs in another folder.
[[nodiscard]] std::string absolute(const std::string& path);

// Leaves out user, control group and output. The runner adds them. `program`: a path.
[[nodiscard]] keeper::Plan keeper_plan(const Launch& launch, const RoomFiles& files,
                                       const std::string& program);

}  // namespace fixkeep::worker
