// Events happen to one room, and outputs are what its worker does about them: they are the seam
// between RoomLife and its drivers (RoomHost and the model checker).
//
// Events are past tense, outputs imperatives or what has become of the room. Thread rule: values.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "common/base/time.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker::life {

// It says why the room is needed.
struct Need {
  bool taken = false;  // a seat of it
  bool came = false;   // somebody, since it is there
  bool warm = false;   // it has no group yet
  bool kept = false;   // warm, as a master that is connected wants it
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
  bool blameless = false;  // it never ran, and not for a reason that lies in the game
  bool early = false;      // it has been open for a moment only, and nobody was in it
};
struct Healthy {};     // a sign of life
struct Unhealthy {};   // it does not answer any more, as seen from outside
struct Silent {};      // there was no sign of life for too long
struct AskedToEnd {};  // by its game
struct Dismissed {     // its worker wants it no more
  wire::CloseReason reason = wire::CloseReason::none;
};
struct Drained {
  std::optional<TimePoint> until;  // none: as long as it takes
  bool occupied = false;           // a seat is taken
};
struct NeedChanged {
  Need need;
};
struct Recovered {  // by the next run of the worker, as the first event
  Need need;
  bool complete = true;  // no seat of it is missing
};
struct Seen {         // answers Look; an answer that does not come in time does not count
  Duration waited{};  // by its game for a processor, in all
};
struct Due {              // the time of timer() has come
  bool occupied = false;  // by players of whom no seat tells, as far as anybody knows
};
using Event = std::variant<Placed, Begun, Ready, Exited, Healthy, Unhealthy, Silent, AskedToEnd,
                           Dismissed, Drained, NeedChanged, Recovered, Seen, Due>;

// --- outputs
// Why the game is to blame for the end of its room, so that starts may be paused for it.
enum class Blame : std::uint8_t { none, slow, silent, ended, exited, exited_early };
// Why it is asked to end, where the reason does not say it all.
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
  bool silent = false;  // since it gave no sign of life
};
struct Look {};     // ask how its game does, before it is ended for being slow, silent or empty
struct ListenFor {  // a sign of life, for so much longer
  Duration time{};
};
struct Forget {          // its process is no more
  bool unbegun = false;  // and never was
};
using Output = std::variant<Open, Close, TellDrain, Signal, Kill, Look, ListenFor, Forget>;
using Outputs = std::vector<Output>;

}  // namespace fixkeep::worker::life
