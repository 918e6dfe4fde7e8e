// A subject is one kind of runner, as the suite that all of them pass sees it
// (runner_suite_test.cpp).
//
// A new kind of runner has a function here that makes its subject, and a line in runner_subjects().
// Thread rule: one thread. Bounds: none. Errors: those of what a function calls, thrown.
#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker {

struct RunnerSubject {
  std::string name;
  // Makes a runner that keeps its state in the folder. One that is made later over the same folder
  // is that of the worker's next run. The folder is one test's own, and exists.
  std::function<std::shared_ptr<GameRunner>(boost::asio::io_context& context,
                                            const std::string& folder)>
      make;
  // Makes the launch of a game that does what the script says (for sh), and is asked to end with
  // SIGTERM. $OUT is a folder where the game runs.
  std::function<Launch(const std::string& folder, const std::string& room,
                       const std::string& script)>
      launch;
  // Makes the launch of a game that cannot be started, and of one whose start takes about a second;
  // without the latter no start does.
  std::function<Launch(const std::string& folder, const std::string& room)> broken;
  std::function<Launch(const std::string& folder, const std::string& room)> slow = {};
  // Says whether anything of the game is there: processes, or an object that nobody is ending.
  std::function<bool(const std::string& folder, const Launch& launch)> exists;
  // Says whether the game has made a file of this name in $OUT.
  std::function<bool(const std::string& folder, const Launch& launch, const std::string& file)>
      has_made = [](const std::string& folder, const Launch&, const std::string& file) {
        return std::filesystem::exists(folder + "/" + file);
      };
  // Removes the object that runs the game, as somebody else would.
  std::function<void(const std::string& folder, const Launch& launch)> remove;
  // Makes an object of the launch's name that is not ours; without it no other can have the name.
  std::function<void(const std::string& folder, const Launch& launch)> occupy = {};
  bool tells_how = true;  // exit codes and signals of games are known
  bool waits = true;      // a game that was asked has ended when it ends, and not when its engine
                          // has taken it on to end it
  bool places = true;     // says the place itself
};

inline void PrintTo(const RunnerSubject& subject, std::ostream* out) {
  *out << subject.name;
}

[[nodiscard]] RunnerSubject agones_subject();
[[nodiscard]] RunnerSubject hook_subject();
[[nodiscard]] RunnerSubject process_subject();

// Each program of the suite has its own.
[[nodiscard]] std::vector<RunnerSubject> runner_subjects();

}  // namespace fixkeep::worker
