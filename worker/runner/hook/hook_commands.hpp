// Runs the commands of a hook. Each command is a process with a time limit and a bounded output.
//
// A command leads its own process group. It dies with the worker, even if the worker is killed.
// Otherwise the next run could not tell whether a start is under way or has done nothing. A process
// that has left the group (setsid) survives its command. A command can thus start a room on this
// machine. Fault model: a command ignores signals, writes without end, leaves its output open to
// other processes or never ends. At the limit, the command and its group are killed. Thread rule:
// the thread of the io_context; `done` is never called from within run(). Bounds: three descriptors
// a command; `most_answer_bytes` of its output and the end of its error output. Errors:
// HookAnswer::problem.
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

 private:
  class Run;

  boost::asio::io_context& context_;
  std::set<std::shared_ptr<Run>> runs_;
};

}  // namespace fixkeep::worker
