// A GameRunner runs games. It is the seam between a worker and its games: processes, containers or
// the results of a studio's command.
//
// The worker knows rooms, seats and promises. The runner says where a room can be reached. The
// worker says when a game starts, is asked to end and is killed. The runner says when it began and
// when and how it ended.
//
// Contract for every implementation:
//   1. Every start() and adopt() ends in exactly one call of `ended`, also if the game could not be
//      started. It is never called from within them. Only leave() and stop() cut that short.
//   2. When `ended` is called, no process of the game runs any more or its engine has taken over
//      its end. Its object is then removed. Its name is never used again.
//   3. `placed` is called before `begun` and `begun` before `ended`: each at most once. A runner
//      with Traits::wants_ports is given the place by Launch::place instead. It holds until the
//      game has ended.
//   4. The object that runs a game has the name in Launch::object: the engine itself refuses a
//      second one. An object of ours with that name is taken over. A foreign one is left alone and
//      the start fails.
//   5. No game outlives its worker unless Launch::alone allows it. This holds for any end of the
//      worker. If allowed, the next run finds it and either adopts it or ends it with end_others().
// Fault model: a game may ignore a request to end and leave children behind. It may write without
// end or not at all and end at any moment. Its engine may hang, refuse, lose an answer, restart or
// remove an object of ours. A full or forbidden disk costs output and never a game. Thread rule:
// one thread makes the runner, calls it and gets its calls of handlers. It lives as long as the
// worker. No call blocks except open(), end_others(), leave() and stop(). Bounds: see the options.
// Errors: in the words of GameEnd.
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

// The end of a game.
struct GameEnd {
  enum class Kind : std::uint8_t {
    exited,       // `number`: the exit code
    signalled,    // `number`: the signal
    not_started,  // it never ran
    unknown,      // unseen, or its observer was killed
  };
  Kind kind = Kind::unknown;
  int number = 0;
  bool blameless = false;         // not_started, and the game is not the reason
  std::uint32_t left_behind = 0;  // processes that outlived it and were ended
  std::string how;                // "exit code 3", "signal SIGSEGV", "cannot execute …"
  std::string last_lines;         // its last output; at most 512 bytes
};
[[nodiscard]] inline GameEnd never_ran(const std::string& why, bool blameless) {
  return {GameEnd::Kind::not_started, 0, blameless, 0, why, {}};
}

// Keeps the output of games.
class RoomOutputs {
 public:
  virtual ~RoomOutputs() = default;
  // Says whether Handlers::wrote is told the game's output from now on as far as we keep up.
  virtual void follow(RoomNumber room, bool on) = 0;
  // Returns at most `most` last bytes of a game's output while it runs or its output is kept.
  // Nullopt: no output.
  [[nodiscard]] virtual std::optional<std::string> output_of(const std::string& name,
                                                             std::size_t most) const = 0;
  [[nodiscard]] virtual std::string folder() const = 0;  // where outputs are kept; empty: nowhere
};

// Runs commands beside the game of a room.
class RoomShell {
 public:
  struct CommandEnd {
    int exit_code = -1;  // -1: it did not end by itself; see `problem`
    std::string problem;
    std::string text;  // its output, as far as it is kept
  };
  virtual ~RoomShell() = default;
  // Runs a command as the game's user in its folder with its environment. Kills it at the limit.
  // `done` is called once unless the room ends before.
  virtual void run(RoomNumber room, const std::vector<std::string>& command,
                   std::chrono::milliseconds limit, std::function<void(CommandEnd)> done) = 0;
};

// Knows the processes of games on this machine. It serves to find their sockets and their waits for
// a processor.
class RoomProcesses {
 public:
  virtual ~RoomProcesses() = default;
  // The game's own process and all below it. Empty if no process is there now.
  [[nodiscard]] virtual std::vector<pid_t> of(RoomNumber room) const = 0;
};

// Keeps the worker's notes of a game for the worker's next run.
class RoomNotes {
 public:
  virtual ~RoomNotes() = default;
  // Replaces the note before. Costs a copy of the text.
  virtual void note(RoomNumber room, std::string_view text) = 0;
  // Returns the note of the earlier run. Nullopt: no note. REQUIRES: the game is not adopted yet.
  [[nodiscard]] virtual std::optional<std::string> note_of(const std::string& name) const = 0;
};

// --- the runner ----------------------------------------------------------------------------------

class GameRunner {
 public:
  struct Handlers {
    // Called once the game's place is known (maybe from within start() or adopt()).
    std::function<void(const wire::RoomPlace& place)> placed = {};
    // It runs after its wait for its turn. Not called for an adopted game.
    std::function<void()> begun = {};
    // Called once after `begun`: these sockets listen at Launch::listen_inside.
    std::function<void(std::vector<process::Descriptor> sockets)> listens = {};
    // The game says this to its engine's SDK after it has begun.
    std::function<void()> ready = {};
    std::function<void(const std::string& why)> closing = {};  // empty: the game has asked for it
    std::function<void(std::uint32_t players)> counted = {};
    std::function<void(const GameEnd& end)> ended = {};
    std::function<void(const std::string& text)> wrote = {};  // called while it is followed
  };

  // A runner's abilities. They are set by its constructor and never change.
  struct Traits {
    std::string state_folder{};  // holds data that must outlive the worker
    bool wants_ports = false;    // of the worker's range: they are in Launch::place
    bool is_elsewhere = false;   // games survive this machine; the next run may be on another one
    bool relays_sdk = false;     // a relay beside each game connects its SDK to the worker
    RoomOutputs* outputs = nullptr;  // each of these lives as long as its runner; null: unsupported
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

  // Comes once before everything else: takes its place and finds the games of an earlier run. The
  // text says why it cannot. Empty: it has. May take seconds.
  [[nodiscard]] virtual std::string open() = 0;

  // Does the same as start() for a game of an earlier run or tells its end if it is gone. REQUIRES:
  // as start(); before the first start().
  virtual void adopt(RoomNumber room, const Launch& launch, Handlers handlers) = 0;
  // Ends all games of earlier runs that were not adopted. May take seconds.
  virtual void end_others() = 0;

  // The game waits for its turn if many start. A game that is asked to end or killed meanwhile ends
  // without ever having run. REQUIRES: the room has no game.
  virtual void start(RoomNumber room, const Launch& launch, Handlers handlers) = 0;
  // Asks the game in the launch's way. Nothing happens if it has ended already.
  virtual void ask_to_end(RoomNumber room) = 0;
  virtual void kill(RoomNumber room) = 0;  // all that belongs to the game

  [[nodiscard]] virtual std::size_t running() const = 0;  // running and waiting games
  [[nodiscard]] virtual std::size_t waiting() const = 0;  // games that wait for their turn
  // Returns how many more games could be placed as far as it knows. Nullopt: no limit.
  // on_places_changed() is told of every change.
  [[nodiscard]] virtual std::optional<std::uint32_t> places() const { return std::nullopt; }
  // Says in an operator's words why there are no places. Empty: there are some or it is not known.
  [[nodiscard]] virtual std::string why_no_places() const { return {}; }
  void on_places_changed(std::function<void()> told) { places_changed_ = std::move(told); }
  // Says why a game of this command could not be started now; empty: no known reason.
  [[nodiscard]] virtual std::string problem_of(const std::vector<std::string>& command) const = 0;

  // No handler is called any more and games go on as Launch::alone allows. Returns within seconds
  // when the next run can find the games that are being started.
  virtual void leave() = 0;
  // Kills all running games and returns within seconds when they are gone. Calls no handler then.
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
