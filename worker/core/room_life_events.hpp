// Events happen to one room. Outputs are its worker's reactions. They are the seam between RoomLife
// and its drivers (RoomHost and the model checker).
//
// Events are past tense, outputs imperatives or the room's new state. Thread rule: values.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "common/base/time.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker::life {

// Why the room is needed.
struct Need {
  bool taken = false;  // a seat of it is taken
  bool came = false;   // a player may have been in it
  bool warm = false;   // it has no group yet
  bool kept = false;   // warm, and wanted by a connected master
};

// --- events
struct Placed {  // the runner has said where it is
  bool valid = false;
};
struct Begun {};  // its turn has come, and its program runs
struct Ready {
  Need need;
};
struct Exited {
  bool blameless = false;  // it never ran, and the game is not the reason
  bool early = false;      // it was open only for a moment, and without players
};
struct Healthy {};     // a sign of life
struct Unhealthy {};   // the game no longer answers, seen from outside
struct Silent {};      // there was no sign of life for too long
struct AskedToEnd {};  // the game asks for its end
struct Dismissed {     // its worker no longer wants it
  wire::CloseReason reason = wire::CloseReason::none;
};
struct Drained {
  std::optional<TimePoint> until;  // nullopt: no limit of time
  bool occupied = false;           // a seat is taken
};
struct NeedChanged {
  Need need;
};
struct Recovered {  // the next run of the worker goes on with it: the first event
  Need need;
  bool complete = true;  // no seat of it is missing
};
struct Seen {         // answers Look; a late answer does not count
  Duration waited{};  // total time that its game waited for a processor
};
struct Due {              // the time of timer() has come
  bool occupied = false;  // players without known seats are in it, as far as is known
};
using Event = std::variant<Placed, Begun, Ready, Exited, Healthy, Unhealthy, Silent, AskedToEnd,
                           Dismissed, Drained, NeedChanged, Recovered, Seen, Due>;

// --- outputs
// Why the game is to blame for the end of its room; starts may be paused for it.
enum class Blame : std::uint8_t { none, slow, silent, ended, exited, exited_early };
// Why it is asked to end if the reason does not say it all.
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
struct TellDrain {};  // it drains, or sooner than before
struct Signal {       // ask it to end
  Why why = Why::closed;
};
struct Kill {
  bool silent = false;  // its signs of life stopped
};
struct Look {};     // ask how its game does, before it is ended for being slow, silent or empty
struct ListenFor {  // wait so much longer for a sign of life
  Duration time{};
};
struct Forget {          // its process is gone
  bool unbegun = false;  // its process never began
};
using Output = std::variant<Open, Close, TellDrain, Signal, Kill, Look, ListenFor, Forget>;
using Outputs = std::vector<Output>;

}  // namespace fixkeep::worker::life
