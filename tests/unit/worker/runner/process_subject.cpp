// The runner of processes, for the suite.
#include <chrono>
#include <csignal>
#include <thread>

#include "common/process/proc.hpp"
#include "tests/unit/worker/runner/runner_subject.hpp"
#include "worker/runner/process/process_runner.hpp"

namespace fixkeep::worker {
namespace {

std::vector<pid_t> processes_of(const Launch& launch) {
  std::vector<pid_t> found;
  for (const pid_t each : process::all()) {
    if (process::environment_of(each, "FIXKEEP_ROOM_ID") == launch.name) found.push_back(each);
  }
  return found;
}

Launch shell_launch(const std::string& folder, const std::string& room,
                    std::vector<std::string> command) {
  Launch launch;
  launch.name = room;
  launch.object = "fixkeep-test-" + room;
  launch.game.command = std::move(command);
  launch.game.environment = {"PATH=/usr/bin:/bin", "OUT=" + folder, "FIXKEEP_ROOM_ID=" + room};
  launch.alone = std::chrono::minutes{1};
  launch.grace = std::chrono::seconds{1};
  return launch;
}

}  // namespace

RunnerSubject process_subject() {
  return {.name = "process",
          .make =
              [](boost::asio::io_context& context, const std::string& folder) {
                return make_process_runner(context, {.cluster = "test",
                                                     .worker = WorkerId{"w1"},
                                                     .state_folder = folder + "/state",
                                                     .output = {.file_bytes = 65536}});
              },
          .launch =
              [](const std::string& folder, const std::string& room, const std::string& script) {
                return shell_launch(folder, room, {"/bin/sh", "-c", script});
              },
          .broken =
              [](const std::string& folder, const std::string& room) {
                return shell_launch(folder, room, {"/no/such/game"});
              },
          .exists = [](const std::string&,
                       const Launch& launch) { return !processes_of(launch).empty(); },
          .remove =
              [](const std::string&, const Launch& launch) {
                // The environment of a program is there a moment after it was executed.
                auto found = processes_of(launch);
                for (; found.empty(); found = processes_of(launch)) std::this_thread::yield();
                for (const pid_t each : found) ::kill(each, SIGKILL);
              },
          .places = false};
}

std::vector<RunnerSubject> runner_subjects() {
  return {process_subject(), hook_subject(), agones_subject()};
}

}  // namespace fixkeep::worker
