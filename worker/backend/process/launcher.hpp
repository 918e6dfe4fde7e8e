// Starts, watches and ends game processes.
//
// A process is started with vfork and execve: the cost does not grow with the worker's memory, and
// 32 rooms at once are 32 times half a millisecond. Between the two there are only calls that are
// safe there. They give the game a session and process group of its own, default signals, /dev/null
// as input, every other descriptor closed, and a death signal, so that no game outlives a worker
// that was killed. posix_spawn, the alternative, cannot set the death signal.
//
// Invariants: 1. every start() ends in exactly one call of its Exited handler, also if the program
//                could not be executed, and never from within start().
//             2. when Exited is called nothing of the process's group is left, and it is reaped.
// Fault model: a game may ignore signals, leave children behind, write without end or not at all.
// The death signal reaches the game itself, not children of its own: a game behind a wrapper script
// should be executed by it (exec), or it outlives a worker that was killed.
// What it writes goes where Launch::output says; see game_output.hpp.
// Thread rule: one io_context, one thread. That thread must live as long as the worker: the death
// signal is bound to the thread that starts the process, not to the worker's whole process.
// Errors: in the text that Exited gets.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

struct Launch {
  std::vector<std::string> command;      // the program, then its arguments; never a shell
  std::vector<std::string> environment;  // "NAME=value", all there will be
  int output = -1;  // becomes standard output and standard error; -1: /dev/null
};

class Launcher {
 public:
  using Exited = std::function<void(const std::string& how)>;

  explicit Launcher(boost::asio::io_context& context);
  ~Launcher();  // kills what is left
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // REQUIRES: the room has no process.
  void start(RoomNumber room, const Launch& launch, Exited exited);

  // To the whole process group. Nothing happens if the process has ended already.
  void ask_to_end(RoomNumber room);  // SIGTERM
  void kill(RoomNumber room);        // SIGKILL

  [[nodiscard]] std::size_t running() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
