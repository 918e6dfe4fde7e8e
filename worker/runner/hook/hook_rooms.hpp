// A service runs the rooms of a worker elsewhere. HookRooms decides when each command of the hook
// runs.
//
// Commands answer late, wrongly or never. Answers may be lost. Therefore only the list shows the
// results of commands. A list says something about an event only if it began after the event:
// before a start, that the name is free; after a stop, that the room is gone. A failed start may
// still make its room later, so the object is stopped like a running room. A failed list says
// nothing.
//
// Invariants: 1. An object is started once and only after a list without it.
//             2. A room has ended when a list does not contain its object. Until the room is
//                unwanted, two lists in a row are needed: services are slow to list new rooms.
//             3. The record of an object is written before its start. It remains as long as the
//                object may exist.
// Fault model: any command fails, hangs until it is killed or is killed with the worker. A start
// that was given up may still make its room: for the time `remembered`, its name is looked for and
// stopped.
// Thread rule: one owner; sans-IO. Bounds: the rooms of the worker; `most_remembered` starts that
// were given up; `at_once` commands and one list of each kind. Errors: in the words of GameEnd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/room_place.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/hook/hook_answer.hpp"

namespace fixkeep::worker {

struct HookOptions {
  std::size_t at_once = 8;
  Duration look_every = std::chrono::seconds{2};                     // while rooms only run
  Duration look_for_the_end_every = std::chrono::milliseconds{500};  // after a request to end
  Duration first_pause = std::chrono::milliseconds{100};  // before a repeated stop or list
  Duration longest_pause = std::chrono::seconds{30};
  Duration remembered = std::chrono::minutes{10};
  std::size_t most_remembered = 1000;
};

// --- actions -------------------------------------------------------------------------------------

struct RunStart {
  std::string object;
};
struct RunStop {
  std::string object;
  bool kill = false;  // true: kills the game; false: asks it to end
};
struct RunList {
  std::string list;
};
struct RecordObject {
  std::string object;
  std::optional<wire::RoomPlace> place;  // nullopt: the start command has not answered
};
struct ForgetObject {
  std::string object;
};
struct HookPlaced {
  RoomNumber room;
  wire::RoomPlace place;
  bool begins = true;  // false: the room ran before
};
struct HookEnded {
  RoomNumber room;
  GameEnd end;
};
using HookAction =
    std::variant<RunStart, RunStop, RunList, RecordObject, ForgetObject, HookPlaced, HookEnded>;
using HookActions = std::vector<HookAction>;

// --- the machine ---------------------------------------------------------------------------------

class HookRooms {
 public:
  explicit HookRooms(HookOptions options) : options_(options) {}

  // `list` is the name of the command that lists the object. Many objects share one name.
  void start(RoomNumber room, const std::string& object, const std::string& list, TimePoint now,
             HookActions& out);
  // Adds an object that an earlier run has recorded. Without `place`, its start had not answered.
  void adopt(RoomNumber room, const std::string& object, const std::string& list,
             std::optional<wire::RoomPlace> place, TimePoint now, HookActions& out);
  // Adds an object that an earlier run has recorded and that was not adopted.
  void end_other(const std::string& object, const std::string& list, TimePoint now,
                 HookActions& out);
  void end(const std::string& object, bool kill, TimePoint now, HookActions& out);

  void started(const std::string& object, const HookAnswer& answer, TimePoint now,
               HookActions& out);
  void stopped(const std::string& object, const HookAnswer& answer, TimePoint now,
               HookActions& out);
  void listed(const std::string& list, const HookAnswer& answer, TimePoint now, HookActions& out);
  void pass_time(TimePoint now, HookActions& out) { go_on(now, out); }

  [[nodiscard]] TimePoint next_tick() const;  // max(): nothing is due
  [[nodiscard]] std::size_t waiting() const;  // rooms whose start has not begun
  [[nodiscard]] bool any() const;  // some object may still run, perhaps from an earlier run
  [[nodiscard]] bool knows(const std::string& object) const { return entries_.contains(object); }

 private:
  enum class Phase : std::uint8_t {
    fresh,     // no list has shown yet that the name is free
    queued,    // waits for a place among the commands
    starting,  // the start command runs
    running,
    ending,    // stopped until no list contains it; also after a failed start
    given_up,  // no list contained it; if it appears later, it is stopped
  };
  struct Entry {
    std::optional<RoomNumber> room;  // nullopt: no end is to be reported
    std::string list;
    Phase phase = Phase::fresh;
    std::uint64_t since = 0;  // lists that began earlier say nothing about the object
    bool wants_list = false;  // needs a list immediately
    TimePoint due{};          // time of the next stop
    Duration pause{};         // pause before the next stop
    TimePoint forget_at{};    // only in Phase::given_up
    int missed = 0;           // consecutive lists without the object
    bool busy = false;        // a command for the object is running
    bool asked = false;       // the game is to be asked to end
    bool unwanted = false;
    bool begun = false;
    std::string why;  // reason of a failed start
  };
  struct Look {
    std::optional<std::uint64_t> began;  // `turn_` when the running list began; nullopt: none runs
    TimePoint last{};
    TimePoint due{};  // earliest time of the next list
    Duration pause{};
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  Entry& add(const std::string& object, const std::string& list, Phase phase);
  void show(const std::string& object, bool there, TimePoint now, HookActions& out);
  static void begin(Entry& entry, wire::RoomPlace place, bool now, HookActions& out);
  void remove(const std::string& object, HookActions& out);
  void give_up(const std::string& object, TimePoint now, HookActions& out);
  static void tell_end(Entry& entry, GameEnd::Kind kind, const std::string& how, HookActions& out);
  void end_soon(Entry& entry, TimePoint now) const;
  void look_for(Entry& entry) const;
  void pause(Entry& entry, TimePoint now) const;
  void go_on(TimePoint now, HookActions& out);
  void forget_old(TimePoint now, HookActions& out);
  void run_commands(TimePoint now, HookActions& out);
  void run_lists(TimePoint now, HookActions& out);
  [[nodiscard]] static bool wants_stop(const Entry& entry);
  [[nodiscard]] TimePoint next_look(const std::string& list, const Look& look) const;

  HookOptions options_;
  Entries entries_;
  std::map<std::string, Look> looks_;
  std::deque<std::string> queue_;
  std::deque<std::string> given_up_;  // the oldest first
  std::size_t busy_ = 0;              // running commands for objects
  std::uint64_t turn_ = 0;            // counter of events
};

}  // namespace fixkeep::worker
