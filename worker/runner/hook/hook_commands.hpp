// Runs the commands of a hook: each is a process with a time limit and a bounded output.
//
// A command leads a group of its own. It ends with the worker even if that is killed: the next run
// cannot tell a start under way from one that has done nothing. A process that has left the group
// (setsid) outlives it. A command may start a room on this machine in this way. Fault model: a
// command ignores signals, writes without end, leaves its output open to others or never ends. It
// is killed with its group at the limit. Thread rule: the io_context's; `done` is never called from
// within run(). Bounds: three descriptors a command; `most_answer_bytes` of its output and the end
// of its complaints. Errors: HookAnswer::problem.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "worker/runner/hook/hook_answer.hpp"

namespace fixkeep::worker {

struct HookCommand {
  std::string program;  // a path
  std::vector<std::string> words;
  std::vector<std::string> environment;
  std::chrono::milliseconds limit{};
};

class HookCommands {
 public:
  using Done = std::function<void(const HookAnswer& answer)>;

  explicit HookCommands(boost::asio::io_context& context);
  ~HookCommands();  // kills all running commands without calling `done`
  HookCommands(const HookCommands&) = delete;
  HookCommands& operator=(const HookCommands&) = delete;

  void run(const HookCommand& command, Done done);
  // Kills all running commands; calls each `done` from within.
  void cut_off();

 private:
  class Run;

  boost::asio::io_context& context_;
  std::set<std::shared_ptr<Run>> runs_;
};

}  // namespace fixkeep::worker
