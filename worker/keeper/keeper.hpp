// The keeper of one room makes the room's files and control groups, and starts its game. It runs
// until no process of the room is left.
//
// The keeper is the subreaper of all processes that the game starts: a wrapper's child or a daemon
// cannot escape. If the machine has control groups, the keeper puts every process that it starts
// into the room's group, but stays outside the group (cgroup.hpp). It reads the game's output. It
// records how the game ended, even without a worker. While the worker restarts, the keeper keeps
// the room's listening sockets and the worker's note open. It decides nothing while a worker is
// connected. Without a worker it ends the game after Plan::alone.
//
// The design follows containerd's shim and conmon, the monitor of Podman and CRI-O.
// Invariants: 1. The keeper exits only when no process is left below it or in the room's control
//                group.
//             2. The record is written before the worker is notified that the game has ended.
//             3. The keeper makes nothing before it has notified the worker of itself. It starts no
//                game before it has notified the worker that it listens in the room's folder. If
//                the worker is gone at one of these moments, the room never runs. Thus the worker's
//                next run finds every room that runs.
// Fault model: the game may fork, daemonise, ignore signals, write without end and end at any
// moment. The worker may vanish and return as another version of the program. If the keeper is
// killed, the game's own process dies too. The worker must then find the processes that the game
// had started.
// Thread rule: a process without other threads. Bounds: one worker at a time; `most_commands`
// commands; one read of each source in a turn of the loop. Errors: reported in the last packet. If
// the disk fails, output is lost.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/beside.hpp"
#include "worker/keeper/cgroup.hpp"
#include "worker/keeper/child.hpp"
#include "worker/keeper/commands.hpp"
#include "worker/keeper/output.hpp"
#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

class Keeper {
 public:
  // The keeper owns these descriptors and closes them.
  struct Descriptors {
    int worker = -1;             // the connection to the worker
    int note = -1;               // the worker's file for its next run; -1: none
    std::vector<int> listeners;  // the room's listening sockets, which the keeper only holds
  };
  Keeper(Plan plan, Descriptors descriptors);
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // Runs until nothing of the room is left. Returns false if the machine prevents the start, or if
  // the worker is gone before the start.
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
  void tell_end_beside(int status) const;
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
  Beside beside_;
  Output::Seen seen_;
  int signals_ = -1;
  int control_ = -1;  // socket to which the next worker connects
  int worker_ = -1;
  int note_ = -1;
  std::vector<int> listeners_;
  bool follows_ = false;  // sends the game's output to the worker
  Clock::time_point alone_until_;
  bool asked_to_end_ = false;
  pid_t game_ = 0;     // process of the game, and its process group; 0: the game has ended
  bool left_ = false;  // the program has exited with 0 and left the game behind
  bool ending_ = false;
  bool finished_ = false;
  std::string problem_;  // why no game was started
  Packet last_{.word = Word::ended};
};

}  // namespace fixkeep::worker::keeper
