// Decides which command of a hook is run when, for all rooms of a worker that somebody else runs.
//
// Commands answer late, wrongly or never, and their answers may be lost; what they have done, only
// the list tells. So nothing is believed but a list that was begun after what it is to tell of:
// before a start it says that the name is free, and after a stop that there is no such room any
// more. A start that failed may have made its room all the same, now or soon, so it is stopped like
// one that ran. A list that fails tells nothing.
//
// Invariants: 1. an object is started once, and only after a list has not shown it.
//             2. a room has ended when a list does not show its object; of one that is to run two
//                in a row, since services are slow to show what they have just made.
//             3. the record of an object is written before its start, and is there for as long as
//                the object may be.
// Fault model: any command fails, hangs until it is killed, or is cut off with the worker. A start
// that was given up may still make its room: for `remembered` its name is looked for, and stopped.
// Thread rule: one owner; sans-IO. Bounds: the rooms of the worker, `most_remembered` starts that
// were given up, `at_once` commands beside one list of each kind. Errors: in the words of GameEnd.
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
  Duration look_every = std::chrono::seconds{2};  // while nothing but rooms that run is looked for
  Duration look_for_the_end_every = std::chrono::milliseconds{500};  // of a game that was asked
  Duration first_pause = std::chrono::milliseconds{100};  // before a stop or a list is repeated
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
  bool kill = false;  // else the game is asked
};
struct RunList {
  std::string list;
};
struct RecordObject {
  std::string object;
  std::optional<wire::RoomPlace> place;  // nothing: its start has not answered
};
struct ForgetObject {
  std::string object;
};
struct HookPlaced {
  RoomNumber room;
  wire::RoomPlace place;
  bool begins = true;  // false: it has run before
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

  // `list`: names the command that lists the object, which is the same for many.
  void start(RoomNumber room, const std::string& object, const std::string& list, TimePoint now,
             HookActions& out);
  // An earlier run has recorded the object; without a place its start had not answered.
  void adopt(RoomNumber room, const std::string& object, const std::string& list,
             std::optional<wire::RoomPlace> place, TimePoint now, HookActions& out);
  // An earlier run has recorded it, and nobody adopts it.
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
  [[nodiscard]] std::size_t waiting() const;  // rooms that are not being started yet
  [[nodiscard]] bool any() const;             // may still run, those of earlier runs too
  [[nodiscard]] bool knows(const std::string& object) const { return entries_.contains(object); }

 private:
  enum class Phase : std::uint8_t {
    fresh,     // a list is to say that the name is free
    queued,    // for a place among those on their way
    starting,  // its command runs
    running,
    ending,    // stopped until no list shows it, also if its start failed or was not heard
    given_up,  // it was not there; what appears of it is stopped
  };
  struct Entry {
    std::optional<RoomNumber> room;  // nothing: nobody is told
    std::string list;
    Phase phase = Phase::fresh;
    std::uint64_t since = 0;  // lists that began before tell nothing of it
    bool wants_list = false;  // at once
    TimePoint due{};          // of the next stop
    Duration pause{};         // before that
    TimePoint forget_at{};    // given up
    int missed = 0;           // lists in a row
    bool busy = false;        // a command for it runs
    bool asked = false;       // it is to be asked to end, and was not yet
    bool unwanted = false;
    bool begun = false;
    std::string why;  // it did not start
  };
  struct Look {
    std::optional<std::uint64_t> began;  // it runs
    TimePoint last{};
    TimePoint due{};  // not before
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
  std::size_t busy_ = 0;              // commands for objects
  std::uint64_t turn_ = 0;            // counts what has happened
};

}  // namespace fixkeep::worker
