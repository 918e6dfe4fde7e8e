#include "worker/runner/process/keeper_plan.hpp"

#include <filesystem>

namespace fixkeep::worker {
std::string absolute(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
}

keeper::Plan keeper_plan(const Launch& launch, const RoomFiles& files, const std::string& program) {
  keeper::Plan plan;
  plan.program = program;
  plan.game = launch.game;
  std::string& folder = plan.game.working_folder;
  folder = folder.empty() ? files.game() : absolute(folder);
  plan.place = files.folder;
  plan.own_folder = files.game();
  plan.follow = launch.follow;
  if (launch.alone > std::chrono::milliseconds{0}) plan.record = files.record();
  plan.alone = launch.alone;
  plan.grace = launch.grace;
  return plan;
}

}  // namespace fixkeep::worker
