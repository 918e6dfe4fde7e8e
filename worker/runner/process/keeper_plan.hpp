// Makes the part of a keeper's plan that depends only on the launch.
// Thread rule: free functions.
// Bounds: those of the launch. Errors: none.
#pragma once

#include <string>

#include "worker/keeper/plan.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/process/room_files.hpp"

namespace fixkeep::worker {

// Makes a path absolute: the keeper runs in another folder.
[[nodiscard]] std::string absolute(const std::string& path);

// Makes a plan without user, control group and output: the runner adds these. `program` is a path.
[[nodiscard]] keeper::Plan keeper_plan(const Launch& launch, const RoomFiles& files,
                                       const std::string& program);

}  // namespace fixkeep::worker
