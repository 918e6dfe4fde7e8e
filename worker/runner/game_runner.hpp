// A GameRunner runs games: it is the seam between a worker and what its games are, processes,
// containers, or whatever a command of the studio starts somewhere.
//
// The worker knows rooms, seats and promises; the runner says where a room can be reached. The
// worker says when a game starts, is asked to end and is killed; the runner says when it began, and
// when and how it ended.
//
// Contract, for every implementation:
//   1. Every start() and adopt() ends in exactly one call of `ended`, also if the game could not be
//      started, and never from within the call. Only leave() and stop() cut that short.
//   2. When `ended` is called nothing of the game runs any more, or its engine has taken it on to
//      end it. Its object is removed behind that, and its name is never used again.
//   3. `placed` is called before `begun`, and `begun` before `ended`, each at most once. A runner
//      that wants_ports() is given the place instead, by Launch::place. It holds until the game has
//      ended.
//   4. The object that runs a game carries the name that Launch::object gives, so that the engine
//      itself refuses a second one. An object of that name that is ours is taken over, one that is
//      not is left alone, and the start fails.
//   5. No game outlives its worker, however the worker ends, unless Launch::alone allows it. Then
//      the next run of the worker finds it, and either adopts it or ends it with end_others().
// Fault model: a game may ignore that it is asked to end, leave children behind, write without end
// or not at all, and end at any moment, also while it is asked to. What runs it may hang, refuse,
// lose an answer, restart, or remove an object that is ours. A full or forbidden disk costs output,
// never a game.
// Thread rule: one thread, which makes the runner, calls it, and is the one that its handlers are
// called on; it lives as long as the worker. No call blocks, but for open(), end_others(), leave()
// and stop().
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
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/process/descriptor.hpp"
#include "common/wire/room_place.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/local_rooms.hpp"

namespace fixkeep::worker {

// This says how a game ended.
struct GameEnd {
  enum class Kind : std::uint8_t {
    exited,       // `number`: the exit code
    signalled,    // `number`: the signal
    not_started,  // it never ran
    unknown,      // nobody saw it, or what watched it was killed
  };
  Kind kind = Kind::unknown;
  int number = 0;
  bool blameless = false;         // not_started, and not for a reason that lies in the game
  std::uint32_t left_behind = 0;  // processes that outlived it, and that were ended
  std::string how;                // in words: "exit code 3", "signal SIGSEGV", "cannot execute …"
  std::string last_lines;         // that it wrote; at most 512 bytes
};
[[nodiscard]] inline GameEnd never_ran(const std::string& why, bool blameless) {
  return {GameEnd::Kind::not_started, 0, blameless, 0, why, {}};
}

// It keeps what games write.
class RoomOutputs {
 public:
  virtual ~RoomOutputs() = default;
  // Says whether what the game writes is told to Handlers::wrote from now on, as far as we keep up.
  virtual void follow(RoomNumber room, bool on) = 0;
  // Returns the last words of the game of a room, at most so many bytes, while it runs or as long
  // as its output is kept; nothing if there are none.
  [[nodiscard]] virtual std::optional<std::string> output_of(const std::string& name,
                                                             std::size_t most) const = 0;
  [[nodiscard]] virtual std::string folder() const = 0;  // where they are kept; empty: nowhere
};

// It runs commands where the game of a room is.
class RoomShell {
 public:
  struct CommandEnd {
    int exit_code = -1;  // -1: it did not end by itself; `problem` says more
    std::string problem;
    std::string text;  // what it wrote, as far as it is kept
  };
  virtual ~RoomShell() = default;
  // It runs as the game's user, in its folder and with its environment, and is killed when the
  // limit is over. `done` is called once, unless the room ends before.
  virtual void run(RoomNumber room, const std::vector<std::string>& command,
                   std::chrono::milliseconds limit, std::function<void(CommandEnd)> done) = 0;
};

// Games are processes of this machine: whose socket it is, and for how long a game has waited for a
// processor, can be known.
class RoomProcesses {
 public:
  virtual ~RoomProcesses() = default;
  // The game's own process and all below it; empty if it has none now.
  [[nodiscard]] virtual std::vector<pid_t> of(RoomNumber room) const = 0;
};

// It keeps what the worker notes of a game for the worker's next run.
class RoomNotes {
 public:
  virtual ~RoomNotes() = default;
  // It replaces what was noted before. It costs a copy of so many bytes.
  virtual void note(RoomNumber room, std::string_view text) = 0;
  // Returns what the earlier run has noted; nothing if it has noted none. REQUIRES: it is not
  // adopted yet.
  [[nodiscard]] virtual std::optional<std::string> note_of(const std::string& name) const = 0;
};

// --- the runner ----------------------------------------------------------------------------------

class GameRunner {
 public:
  struct Handlers {
    // It comes as soon as it is known where the game will be, maybe from within start() or adopt().
    std::function<void(const wire::RoomPlace& place)> placed = {};
    // It runs, after it has waited for its turn; not if it is adopted.
    std::function<void()> begun = {};
    // Comes once after `begun`: these listen at Launch::listen_inside.
    std::function<void(std::vector<process::Descriptor> sockets)> listens = {};
    // It says this to an SDK that its engine has, after it has begun.
    std::function<void()> ready = {};
    std::function<void(const std::string& why)> closing = {};  // empty: the game has asked for it
    std::function<void(std::uint32_t players)> counted = {};
    std::function<void(const GameEnd& end)> ended = {};
    std::function<void(const std::string& text)> wrote = {};  // while it is followed
  };

  GameRunner() = default;
  virtual ~GameRunner() = default;  // as stop()
  GameRunner(const GameRunner&) = delete;
  GameRunner& operator=(const GameRunner&) = delete;

  // It comes once, before everything else, takes its place, and finds what an earlier run has left
  // there. The text says why it cannot; empty: it has. May take seconds.
  [[nodiscard]] virtual std::string open() = 0;

  // Does what start() does for a game of an earlier run, or tells its end if there is no such game
  // any more. REQUIRES: as start(); before the first start().
  virtual void adopt(RoomNumber room, const Launch& launch, Handlers handlers) = 0;
  // Ends all games of earlier runs that were not adopted. May take seconds.
  virtual void end_others() = 0;

  // The game waits for its turn if many are to be started. One that is asked to end or killed
  // meanwhile ends without ever having run. REQUIRES: the room has no game.
  virtual void start(RoomNumber room, const Launch& launch, Handlers handlers) = 0;
  // Asks the game in the way that the launch says. Nothing happens if the game has ended already.
  virtual void ask_to_end(RoomNumber room) = 0;
  virtual void kill(RoomNumber room) = 0;  // all that belongs to the game

  [[nodiscard]] virtual std::size_t running() const = 0;  // those that wait for their turn too
  [[nodiscard]] virtual std::size_t waiting() const = 0;  // for their turn
  // Games have ports of the worker's range: Launch::place, which is known before the game is
  // started. The handler `placed` is for the others.
  [[nodiscard]] virtual bool wants_ports() const { return false; }
  // Says how many games could be placed beside those that run, as far as it knows; nothing: it sets
  // no limit. on_places_changed() is told of every change.
  [[nodiscard]] virtual std::optional<std::uint32_t> places() const { return std::nullopt; }
  // Says why there are none, in an operator's words; empty: there are some, or it says nothing.
  [[nodiscard]] virtual std::string why_no_places() const { return {}; }
  void on_places_changed(std::function<void()> told) { places_changed_ = std::move(told); }
  // Says why a game of this command could not be started now; empty: nothing speaks against it.
  [[nodiscard]] virtual std::string problem_of(const std::vector<std::string>& command) const = 0;
  // Games go on when the worker's machine dies, and its next run may be on another one.
  [[nodiscard]] virtual bool is_elsewhere() const { return false; }
  // Returns the folder for what must outlive the worker.
  [[nodiscard]] virtual std::string state_folder() const = 0;
  // A relay beside a game brings what it says at the SDK's usual ports to the worker.
  [[nodiscard]] virtual bool relays_sdk() const { return false; }
  // Null: it is not capable of it.
  [[nodiscard]] virtual RoomOutputs* outputs() { return nullptr; }
  [[nodiscard]] virtual RoomShell* shell() { return nullptr; }
  [[nodiscard]] virtual RoomProcesses* processes() { return nullptr; }
  [[nodiscard]] virtual RoomNotes* notes() { return nullptr; }
  [[nodiscard]] virtual LocalRooms* local() { return nullptr; }

  // No handler is called any more, and what runs goes on as Launch::alone allows. Returns within
  // seconds, when what is being started can be found by the next run.
  virtual void leave() = 0;
  // Kills what still runs, and returns when it is gone, within seconds; no handler is called then.
  virtual void stop() = 0;

 protected:
  void places_changed() const {
    if (places_changed_) places_changed_();
  }

 private:
  std::function<void()> places_changed_;
};

}  // namespace fixkeep::worker
