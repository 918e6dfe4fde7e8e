#include "worker/runner/process/keeper_plan.hpp"

#include <filesystem>

namespace fixkeep::worker {
namespace {

keeper::Keep keep_of(KeepFolder keep) {
  switch (keep) {
    case KeepFolder::never: return keeper::Keep::never;
    case KeepFolder::if_failed: return keeper::Keep::if_failed;
    case KeepFolder::always: return keeper::Keep::always;
  }
  return keeper::Keep::always;
}

}  // namespace

std::string absolute(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
}

keeper::Plan keeper_plan(const Launch& launch, const RoomFiles& files, const std::string& program) {
  keeper::Plan plan;
  plan.program = program;
  plan.arguments = launch.command;
  plan.environment = launch.environment;
  plan.working_folder =
      launch.working_folder.empty() ? files.game() : absolute(launch.working_folder);
  plan.place = files.folder;
  plan.own_folder = files.game();
  for (const Launch::File& file : launch.files) plan.files.push_back({file.path, file.text});
  plan.keep = keep_of(launch.keep_folder);
  plan.daemon = launch.daemon;
  plan.follow = launch.follow;
  plan.terminal = launch.terminal;
  plan.open_files = launch.open_files;
  plan.limits = launch.limits;
  if (launch.alone > std::chrono::milliseconds{0}) plan.record = files.record();
  plan.alone = launch.alone;
  plan.grace = launch.grace;
  return plan;
}

}  // namespace fixkeep::worker
