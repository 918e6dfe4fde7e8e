// A GameRunner runs games. It is the interface between a worker and its games: processes,
// containers, or games that a studio's command starts.
//
// The worker manages rooms, seats and promises. It decides when a game starts, is asked to end and
// is killed. The runner reports where a room can be reached, when its game began, and when and how
// the game ended.
//
// Contract for every implementation:
//   1. For every start() and adopt(), `ended` is called exactly once, even if the game could not be
//      started. `ended` is never called from within start() or adopt(). Only leave() and stop()
//      prevent this call.
//   2. When `ended` is called, no process of the game runs any more, or the engine ends the game
//      without us. The game's object is then removed. No other game gets the object's name.
//   3. `placed` is called before `begun`, and `begun` before `ended`. Each is called at most once.
//      A runner with Traits::wants_ports gets the place in Launch::place instead. The place is
//      valid until the game has ended.
//   4. The object that runs a game has the name in Launch::object. The engine itself refuses a
//      second object of this name. The runner takes over our own object with this name. It does
//      not touch a foreign object, and the start fails.
//   5. No game outlives its worker unless Launch::alone allows it. This holds for any end of the
//      worker. The next run finds a game that has outlived its worker. It adopts the game, or ends
//      it with end_others().
// Fault model: a game may ignore a request to end and leave children behind. It may write output
// without end, or no output. It may end at any moment. Its engine may hang, refuse, lose an answer,
// restart, or remove our object. A full or forbidden disk costs only output, never a game. Thread
// rule: one thread makes the runner, calls it and runs its handlers. The runner lives as long as
// the worker. No call blocks except open(), end_others(), leave() and stop(). Bounds: see the
// options.
// Errors: described in GameEnd::how.
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

// The result of a game.
struct GameEnd {
  enum class Kind : std::uint8_t {
    exited,       // `number`: the exit code
    signalled,    // `number`: the signal
    not_started,  // the game never ran
    unknown,      // the end was not observed, or the observer was killed
  };
  Kind kind = Kind::unknown;
  int number = 0;
  bool blameless = false;         // only for not_started: the game is not the reason
  std::uint32_t left_behind = 0;  // processes that the game left behind and that were ended
  std::string how;         // for example "exit code 3", "signal SIGSEGV", "cannot execute …"
  std::string last_lines;  // last output of the game; at most 512 bytes
};
[[nodiscard]] inline GameEnd never_ran(const std::string& why, bool blameless) {
  return {GameEnd::Kind::not_started, 0, blameless, 0, why, {}};
}

// Keeps the output of games.
class RoomOutputs {
 public:
  virtual ~RoomOutputs() = default;
  // If `on` is true, Handlers::wrote gets the game's output from now on, unless it comes too fast.
  virtual void follow(RoomNumber room, bool on) = 0;
  // Returns at most `most` bytes of a game's last output. Nullopt: there is none.
  [[nodiscard]] virtual std::optional<std::string> output_of(const std::string& name,
                                                             std::size_t most) const = 0;
  [[nodiscard]] virtual std::string folder() const = 0;  // folder of the outputs; empty: none
};

// Runs commands beside the game of a room.
class RoomShell {
 public:
  struct CommandEnd {
    int exit_code = -1;  // -1: the command did not exit; see `problem`
    std::string problem;
    std::string text;  // output of the command as far as it is kept
  };
  virtual ~RoomShell() = default;
  // Runs a command as the game's user, in its folder, with its environment. Kills the command at
  // the limit. `done` is called one time, or never if the room ends earlier.
  virtual void run(RoomNumber room, const std::vector<std::string>& command,
                   std::chrono::milliseconds limit, std::function<void(CommandEnd)> done) = 0;
};

// Finds games' processes on this machine, to see their sockets and how long they waited to run.
class RoomProcesses {
 public:
  virtual ~RoomProcesses() = default;
  // Returns the game's own process and all its descendants. Empty if no process exists now.
  [[nodiscard]] virtual std::vector<pid_t> of(RoomNumber room) const = 0;
};

// Stores the worker's notes about a game for the worker's next run.
class RoomNotes {
 public:
  virtual ~RoomNotes() = default;
  // Replaces the previous note. Costs a copy of the text.
  virtual void note(RoomNumber room, std::string_view text) = 0;
  // Returns the note of the earlier run. Nullopt: no note. REQUIRES: the game is not adopted yet.
  [[nodiscard]] virtual std::optional<std::string> note_of(const std::string& name) const = 0;
};

class GameRunner {
 public:
  struct Handlers {
    // Called once when the game's place is known: perhaps within start() or adopt().
    std::function<void(const wire::RoomPlace& place)> placed = {};
    // Called when the game runs, after it has waited for its turn. Not called for an adopted game.
    std::function<void()> begun = {};
    // Called once after `begun`, with sockets that listen at Launch::listen_inside.
    std::function<void(std::vector<process::Descriptor> sockets)> listens = {};
    // Called after `begun`, when the game reports itself ready to its engine's SDK.
    std::function<void()> ready = {};
    std::function<void(const std::string& why)> closing = {};  // `why` empty: the game requests it
    std::function<void(std::uint32_t players)> counted = {};
    std::function<void(const GameEnd& end)> ended = {};
    std::function<void(const std::string& text)> wrote = {};  // called while output is followed
  };

  // A runner's abilities. They are set by its constructor and never change.
  struct Traits {
    std::string state_folder{};  // for data that must outlive the worker
    bool wants_ports = false;    // ports of the worker's range, in Launch::place
    bool is_elsewhere = false;   // games outlive this machine; the next run may be on another
    bool relays_sdk = false;     // a relay beside each game connects its SDK to the worker
    // The objects behind these pointers live as long as the runner. Null: not supported.
    RoomOutputs* outputs = nullptr;
    RoomShell* shell = nullptr;
    RoomProcesses* processes = nullptr;
    RoomNotes* notes = nullptr;
    LocalRooms* local = nullptr;
  };

  GameRunner() = default;
  virtual ~GameRunner() = default;  // same as stop()
  GameRunner(const GameRunner&) = delete;
  GameRunner& operator=(const GameRunner&) = delete;

  [[nodiscard]] const Traits& traits() const { return traits_; }

  // Called one time, before all other calls. Locks the state folder and finds the games of an
  // earlier run. Returns the error; empty: none. May take seconds.
  [[nodiscard]] virtual std::string open() = 0;

  // Continues a game of an earlier run. If the game is gone, reports its end. REQUIRES: the same as
  // start(). Called before the first start().
  virtual void adopt(RoomNumber room, const Launch& launch, Handlers handlers) = 0;
  // Ends all games of earlier runs that were not adopted. May take seconds.
  virtual void end_others() = 0;

  // Starts a game, which may have to wait for its turn. If the game is killed or asked to end
  // during that wait, it ends before it has run. REQUIRES: the room has no game.
  virtual void start(RoomNumber room, const Launch& launch, Handlers handlers) = 0;
  // Asks the game to end, by the launch's signal or command. Ignored if the game has already ended.
  virtual void ask_to_end(RoomNumber room) = 0;
  virtual void kill(RoomNumber room) = 0;  // all processes of the game

  [[nodiscard]] virtual std::size_t running() const = 0;  // running and waiting games
  [[nodiscard]] virtual std::size_t waiting() const = 0;  // games that wait for their turn
  // Returns the number of free places for games, as far as this is known. Nullopt: no limit. The
  // handler of on_places_changed() is called at every change.
  [[nodiscard]] virtual std::optional<std::uint32_t> places() const { return std::nullopt; }
  // Tells an operator why there are no places. Empty: there are places, or the reason is unknown.
  [[nodiscard]] virtual std::string why_no_places() const { return {}; }
  void on_places_changed(std::function<void()> told) { places_changed_ = std::move(told); }
  // Says why the runner could not start a game with this command now. Empty: no known reason.
  [[nodiscard]] virtual std::string problem_of(const std::vector<std::string>& command) const = 0;

  // Lets games continue as Launch::alone allows. Returns within seconds, as soon as the next run
  // can find the games that are being started. Afterwards no handler is called.
  virtual void leave() = 0;
  // Kills all running games. Returns as soon as they are gone, within seconds. No handler is called
  // later.
  virtual void stop() = 0;

 protected:
  void set_traits(Traits traits) { traits_ = std::move(traits); }
  void places_changed() const {
    if (places_changed_) places_changed_();
  }

 private:
  Traits traits_;
  std::function<void()> places_changed_;
};

}  // namespace fixkeep::worker
