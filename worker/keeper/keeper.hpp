// The keeper of one room: makes the room's things on the machine, starts its game and stays until
// no process of the room runs any more.
//
// It is the subreaper of all that the game starts: neither a wrapper's child nor a daemon escapes
// it. If the machine has control groups, it puts all that it starts into the room's and stays
// outside itself (cgroup.hpp). It takes the game's output. It knows how the game ended even if no
// worker was there. It holds the room's listening sockets and the worker's note through restarts of
// the worker. It decides nothing while a worker is connected. Without one it ends the game after
// Plan::alone.
//
// Source of the shape: containerd's shim; conmon, the monitor of Podman and CRI-O.
// Invariants: 1. The keeper exits only after the last process below it and in the room's control
//                group.
//             2. The record is written before the worker is told that the game has ended.
//             3. Nothing is made before the worker was told of the keeper. No game is started
//                before it was told that the keeper can be found. If the worker is gone by then,
//                the room never runs. The next run of the worker finds every room that does.
// Fault model: the game may fork, daemonise, ignore signals, write without end and end at any
// moment. The worker may vanish and come back as another program. If the keeper is killed, the
// game's own process dies too. The worker has to find the processes that it had started.
// Thread rule: a process without other threads. Bounds: one worker at a time; most_commands; one
// look at each source a turn. Errors: in the last packet; a disk that fails costs output.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/cgroup.hpp"
#include "worker/keeper/child.hpp"
#include "worker/keeper/commands.hpp"
#include "worker/keeper/output.hpp"
#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

class Keeper {
 public:
  // The keeper owns them from then on.
  struct Descriptors {
    int worker = -1;             // the connection to the ordering worker
    int note = -1;               // the worker's file for its next run; -1: none
    std::vector<int> listeners;  // the room's listening sockets, which the keeper only keeps
  };
  Keeper(Plan plan, Descriptors descriptors);
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // Runs until nothing of the room is left. False: the machine does not let it start or the worker
  // is gone before that.
  [[nodiscard]] bool run();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool take_place();
  void start_game();
  void refuse(const Started& failed, std::string problem = {});
  void wait();
  [[nodiscard]] Clock::time_point next_tick() const;
  void time_passed();

  // --- the worker
  void accept();
  void hear();
  void obey(const Packet& packet);
  void run_command(const Packet& packet);
  [[nodiscard]] bool introduce();
  [[nodiscard]] bool show_state(const std::vector<int>& descriptors,
                                std::string_view last = {}) const;
  void answer_greeting() const;
  bool send(const Packet& packet) const;
  void tell_output(std::string_view bytes);
  void lost_worker();

  // --- processes
  void take_signals();
  void reap();
  void reaped(pid_t process, int status);
  [[nodiscard]] std::vector<pid_t> others() const;
  void game_left(int status);
  void ask_to_end(int signal);
  void end();
  void kill_all() const;
  void finish();
  void tell_limit();
  [[nodiscard]] bool keeps_folder() const;

  Plan plan_;
  Cgroup cgroup_;
  Output output_;
  Commands commands_;
  Output::Seen seen_;
  int signals_ = -1;
  int control_ = -1;  // socket for the next worker
  int worker_ = -1;
  int note_ = -1;
  std::vector<int> listeners_;
  bool follows_ = false;  // the worker wants what the game writes
  Clock::time_point alone_until_;
  bool asked_to_end_ = false;
  pid_t game_ = 0;     // also its group; 0: it has ended
  bool left_ = false;  // the program has ended well and left the game behind
  bool ending_ = false;
  bool finished_ = false;
  std::string problem_;  // why there is no game
  Packet last_{.word = Word::ended};
};

}  // namespace fixkeep::worker::keeper
