// A keeper's plan is made of the launch here, as far as it comes from the launch alone.
// Thread rule: free functions. Bounds: those of the launch. Errors: none.
#pragma once

#include <string>

#include "worker/keeper/plan.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/process/room_files.hpp"

namespace fixkeep::worker {

// The path as this process understands it, for a keeper that runs elsewhere.
[[nodiscard]] std::string absolute(const std::string& path);

// Without user, control group and output: those are the runner's to find. `program`: a path.
[[nodiscard]] keeper::Plan keeper_plan(const Launch& launch, const RoomFiles& files,
                                       const std::string& program);

}  // namespace fixkeep::worker
