// Events happen to one room; outputs are the worker's reactions. Together they are the interface
// between RoomLife and its drivers (RoomHost and the model checker).
//
// Names of events are in the past tense. Names of outputs are imperatives, or name the room's new
// state. Thread rule: values.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "common/base/time.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker::life {

// Why the room is needed.
struct Need {
  bool taken = false;  // a seat of the room is taken
  bool came = false;   // a player may have been in the room
  bool warm = false;   // the room has no group yet
  bool kept = false;   // warm, and wanted by a connected master
  bool over = false;   // no player without a seat can come any more
};

// --- events
struct Placed {  // the runner has reported the room's place
  bool valid = false;
};
struct Begun {};  // the process has left the start queue and runs
struct Ready {
  Need need;
};
struct Exited {
  bool blameless = false;  // the process never ran; this is not the game's fault
  bool early = false;      // the room was open only briefly and without players
};
struct Healthy {};     // a sign of life
struct Unhealthy {};   // an outside check found that the game no longer answers
struct Silent {};      // no sign of life for too long
struct AskedToEnd {};  // the game requests its own end
struct Dismissed {     // the worker no longer wants the room
  wire::CloseReason reason = wire::CloseReason::none;
};
struct Drained {
  std::optional<TimePoint> until;  // nullopt: no limit of time
  bool occupied = false;           // a seat is taken
};
struct NeedChanged {
  Need need;
};
struct Recovered {  // the first event: the worker's next run continues the room
  Need need;
  bool complete = true;  // the journal has every seat of the room
};
struct Seen {         // the answer to Look; a late answer does not count
  Duration waited{};  // total time in which the game waited for a processor
};
struct Due {              // the time of timer() has come
  bool occupied = false;  // the room seems to have players whose seats are not known
};
using Event = std::variant<Placed, Begun, Ready, Exited, Healthy, Unhealthy, Silent, AskedToEnd,
                           Dismissed, Drained, NeedChanged, Recovered, Seen, Due>;

// --- outputs
// The game's fault that ended the room. Such faults may pause starts.
enum class Blame : std::uint8_t { none, slow, silent, ended, exited, exited_early };
// Why the process is asked to end, if the close reason does not say enough.
enum class Why : std::uint8_t {
  closed,
  place_invalid,
  place_unknown,
  for_nobody,
  empty,
  unhealthy
};

struct Open {};
struct Close {
  wire::CloseReason reason = wire::CloseReason::none;
  Blame blame = Blame::none;
};
struct TellDrain {};  // the room begins to drain, or must now end earlier
struct Signal {       // ask the process to end
  Why why = Why::closed;
};
struct Kill {
  bool silent = false;  // the signs of life stopped
};
struct Look {};     // check the game before it is ended for being slow, silent or empty
struct ListenFor {  // wait this much longer for a sign of life
  Duration time{};
};
struct Forget {          // the process is gone
  bool unbegun = false;  // the process never began
};
using Output = std::variant<Open, Close, TellDrain, Signal, Kill, Look, ListenFor, Forget>;
using Outputs = std::vector<Output>;

}  // namespace fixkeep::worker::life
