// The runner of hooks, for the suite: with the hook that is the example, configs/hooks/local.sh.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/worker/runner/runner_subject.hpp"
#include "worker/runner/hook/hook_engine.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

std::string hook() {
  return (fs::current_path() / "configs/hooks/local.sh").string();
}

Launch hook_launch(const std::string& folder, const std::string& room,
                   std::vector<std::string> start) {
  Launch launch;
  launch.name = room;
  launch.object = "fixkeep-test-" + room;
  launch.game.command = std::move(start);
  launch.stop_command = {hook(), "stop"};
  launch.list_command = {hook(), "list"};
  launch.game.environment = {"PATH=/usr/bin:/bin", "OUT=" + folder, "FIXKEEP_ROOM_ID=" + room,
                             "HOOK_FOLDER=" + folder + "/hook"};
  launch.command_limit = std::chrono::seconds{60};
  return launch;
}

void run(const std::string& folder, const Launch& launch, const std::string& words) {
  const auto command = "HOOK_FOLDER=" + folder + "/hook FIXKEEP_OBJECT=" + launch.object + " " +
                       hook() + " " + words;
  if (std::system(command.c_str()) != 0) throw std::runtime_error{command};
}

}  // namespace

RunnerSubject hook_subject() {
  using namespace std::chrono_literals;
  return {
      .name = "hook",
      .make =
          [](boost::asio::io_context& context, const std::string& folder) {
            return make_hook_runner(
                context,
                {.cluster = "test", .worker = WorkerId{"w1"}, .state_folder = folder + "/state"},
                {.look_every = 50ms, .first_pause = 20ms});
          },
      .launch =
          [](const std::string& folder, const std::string& room, const std::string& script) {
            return hook_launch(folder, room, {hook(), "start", "/bin/sh", "-c", script});
          },
      .broken =
          [](const std::string& folder, const std::string& room) {
            return hook_launch(folder, room, {"/bin/sh", "-c", "echo no credit >&2; exit 1"});
          },
      .slow =
          [](const std::string& folder, const std::string& room) {
            return hook_launch(folder, room,
                               {"/bin/sh", "-c", "sleep 1; exec " + hook() + " start sleep 600"});
          },
      .exists =
          [](const std::string& folder, const Launch& launch) {
            const auto words = "list | grep -qx " + launch.object;
            const auto command = "HOOK_FOLDER=" + folder + "/hook " + hook() + " " + words;
            return std::system(command.c_str()) == 0;
          },
      .remove = [](const std::string& folder,
                   const Launch& launch) { run(folder, launch, "stop " + launch.object); },
      .occupy = [](const std::string& folder,
                   const Launch& launch) { run(folder, launch, "start sleep 600"); },
      .tells_how = false};
}

}  // namespace fixkeep::worker
