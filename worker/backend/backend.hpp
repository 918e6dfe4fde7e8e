// A Backend runs games: it is the seam between a worker and processes, containers or machines.
//
// The worker knows a game by the number of its room. It says when a game starts, is asked to end
// and is killed; the backend says when the game has ended and how.
//
// Contract, for every implementation:
//   1. Every start() ends in exactly one call of its `ended` handler, also if the game could not be
//      started, and never from within start(). Only stop() cuts that short.
//   2. When `ended` is called nothing of the game runs any more, so its ports are free.
//   3. No game outlives its worker, however the worker ends, unless Launch::alone allows it. Then
//      the next run of the worker finds it, and either adopts it or ends it with end_others().
// Fault model: a game may ignore that it is asked to end, leave children behind, write without end
// or not at all, and end at any moment, also while it is asked to. A full or forbidden disk costs
// output, never a game.
// Thread rule: one thread, which makes the backend, calls it, and is the one that its handlers are
// called on; it lives as long as the worker. No call blocks, but for leave() and stop().
// Bounds: those of the options. Errors: in the words of GameEnd.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/process/descriptor.hpp"
#include "worker/backend/launch.hpp"
#include "worker/backend/user_range.hpp"

namespace fixkeep::worker {

// So much of what games write is kept.
struct GameOutputOptions {
  std::string folder;  // made when the first game starts; empty: output/ in the state folder
  std::uint32_t file_bytes = 1U << 20U;  // 0: what games write is thrown away
  std::uint32_t kept_rooms = 200;        // that have ended

  friend bool operator==(const GameOutputOptions&, const GameOutputOptions&) = default;
};

struct BackendOptions {
  std::string cluster;
  WorkerId worker;
  std::string state_folder;  // what must outlive the worker; empty: a place of its own
  bool upgrade = false;      // a worker that has it is asked to leave, with SIGUSR2
  GameOutputOptions output;
  std::uint32_t kept_folders = 100;  // of rooms that have ended: see Launch::keep_folder
  UserRange users;                   // that rooms have each for its own
  std::vector<RoomLimits> limits;    // that games will be started with, as far as it is known
  std::uint32_t starts_at_once = 0;  // games on their way at a time; 0: twice the cores
};

// This says how a game ended.
struct GameEnd {
  enum class Kind : std::uint8_t {
    exited,       // `number`: the exit code
    signalled,    // `number`: the signal
    not_started,  // it never ran
    unknown,      // what watched it was killed
  };
  Kind kind = Kind::unknown;
  int number = 0;
  std::uint32_t left_behind = 0;  // processes that outlived it, and that were ended
  std::string how;                // in words: "exit code 3", "signal SIGSEGV", "cannot execute …"
  std::string last_lines;         // that it wrote; at most 512 bytes
};

class Backend {
 public:
  struct Handlers {
    std::function<void(const GameEnd& end)> ended;
    std::function<void(const std::string& text)> wrote;  // while it is followed
    // The game's program was executed, after it has waited for its turn. At most once, and before
    // `ended`; not for an adopted game.
    std::function<void()> begun = {};
  };

  Backend() = default;
  virtual ~Backend() = default;  // as stop()
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  // Once, before everything else: takes its place on this machine, and finds what an earlier run
  // has left there. The text says why it cannot; empty: it has. May take seconds.
  [[nodiscard]] virtual std::string open() = 0;

  // --- for the next run of the worker

  // Notes what the next run is to know of the game; it replaces what was noted before. It costs a
  // copy of so many bytes. Nothing happens if the game would not go on without the worker.
  virtual void note(RoomNumber room, std::string_view text) = 0;

  // --- games of an earlier run: between open() and the first start()

  // Returns the text that the earlier run has noted of the game; nothing if it has noted none.
  // REQUIRES: it is not adopted yet.
  [[nodiscard]] virtual std::optional<std::string> note_of(const std::string& name) const = 0;

  // The sockets that a room's game was started with, which are the caller's from now on; nothing:
  // no such game runs.
  [[nodiscard]] virtual std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string& name) = 0;
  // Does what start() does for a game that runs already, or that has ended meanwhile. REQUIRES: as
  // start().
  virtual void adopt(RoomNumber room, const Launch& launch, Handlers handlers) = 0;
  // Ends all that were not adopted. May take seconds.
  virtual void end_others() = 0;

  // The game waits for its turn if many are to be started. One that is asked to end or
  // killed meanwhile ends without ever having run.
  // REQUIRES: the room has no game.
  virtual void start(RoomNumber room, const Launch& launch, Handlers handlers) = 0;
  // Asks the game in the way that the launch says. Nothing happens if the game has ended already.
  virtual void ask_to_end(RoomNumber room) = 0;
  // All that belongs to the game.
  virtual void kill(RoomNumber room) = 0;
  // Whether what the game writes is told from now on, as far as we keep up with it.
  virtual void follow(RoomNumber room, bool on) = 0;
  // Runs a command as the game's user, in its folder and with its environment, and kills it when
  // the limit is over. `done` is called once, unless the room ends before.
  struct CommandEnd {
    int exit_code = -1;  // -1: it did not end by itself; `problem` says more
    std::string problem;
    std::string text;  // what it wrote, as far as it is kept
  };
  virtual void run(RoomNumber room, const std::vector<std::string>& command,
                   std::chrono::milliseconds limit, std::function<void(CommandEnd)> done) = 0;
  // The game's own process and all below it; empty if it has none now.
  [[nodiscard]] virtual std::vector<pid_t> processes(RoomNumber room) const = 0;
  [[nodiscard]] virtual std::size_t running() const = 0;  // those that wait for their turn too
  [[nodiscard]] virtual std::size_t waiting() const = 0;  // for their turn

  // The room's own folder; nothing is in it before the game starts.
  [[nodiscard]] virtual std::string folder_of(const std::string& name) const = 0;
  // Why a game of this command could not be started now; empty: nothing speaks against it.
  [[nodiscard]] virtual std::string problem_of(const std::vector<std::string>& command) const = 0;
  // Where the output of games is kept; empty: nowhere.
  [[nodiscard]] virtual std::string output_folder() const = 0;

  // Returns the last words of the game of a room, while it runs or as long as its output is kept;
  // nothing if there are none. Reads at most so many bytes, from a file.
  [[nodiscard]] virtual std::optional<std::string> output_of(const std::string& name,
                                                             std::size_t most) const = 0;

  // The folder for what must outlive the worker.
  [[nodiscard]] virtual std::string state_folder() const = 0;

  // No handler is called any more, and what runs goes on as Launch::alone allows. Returns within
  // seconds, when what is being started can be found by the next run.
  virtual void leave() = 0;
  // Kills what still runs; no handler is called any more. Returns when nothing runs, within
  // seconds.
  virtual void stop() = 0;
};

}  // namespace fixkeep::worker
