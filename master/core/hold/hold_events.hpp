// Events and outputs of a holder: the seam between Hold and its drivers (Holds and the model
// checker).
//
// Events are past tense, outputs imperatives. Thread rule: values.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

// One run of one worker, in which a hinted room is.
using WorkerRun = std::pair<WorkerId, Incarnation>;

enum class OrderFate : std::uint8_t {
  carried_out,
  refused,  // the worker cannot start the room now: another one may
  no_warm,  // the worker has no warm room left, and was asked for nothing else
  stale,    // the worker has promised a fence that is newer than the order's basis
  unknown,  // there was no answer, or none that makes sense
};

namespace hold {

// --- events
struct Granted {  // REQUIRES: phase none
  FencingToken token;
  FencingToken fence;            // the newest fence that the holders before knew of
  bool needs_fence = false;      // the lock says so, or its value is uncertain
  bool others_expected = false;  // see Look
  std::set<WorkerRun> missing;   // runs of hinted rooms that this master has no link to
};
struct LinkChanged {  // the worker's link came up or went down
  WorkerId worker;
};
struct WorkerKnown {  // the worker has told its state
  WorkerId worker;
  Incarnation run;
};
struct RunMissing {  // a room was ordered of the run, nobody has shown it, and its link is down
  WorkerRun run;
};
struct RoomOverdue {};  // an ordered room that was counted on was not shown in time
struct Asked {          // answers Prepare
  std::set<WorkerId> workers;
};
struct PromiseAnswered {
  WorkerId worker;
  FencingToken token;
  bool promised = false;
  FencingToken highest;  // highest token that the worker has seen
};
struct SeatsAsked {};  // a wave of SeatRequests went out
struct Ordered {       // answers OrderRooms; 0: there is nothing to order, or nobody to order it of
  std::uint32_t rooms = 0;
};
struct OrderEnded {
  std::uint64_t hold = 0;  // number() when it was ordered
  OrderFate fate = OrderFate::unknown;
  WorkerId worker;
  FencingToken highest;        // stale: that the worker has seen
  std::uint64_t capacity = 0;  // refused: the present capacity generation (directory.hpp)
};
struct LockLost {};
// Go on if possible in these circumstances.
struct Look {
  bool all_known = true;         // every worker with a link has told its state
  bool others_expected = false;  // workers that other masters know, or that were here lately
  bool somebody_waits = false;   // claims are queued, for whatever room, or being asked for
  bool room_needed = false;      // claims are queued that need another room: see seat_need.hpp
  bool asking = false;           // SeatRequests of the group are out
  bool seats_free = false;       // a room that is known has some; counts only unless may_ask()
  bool orders_named = false;     // the lock value will name every order that has no answer
  bool out_of_sight = false;     // rooms of the group are on a worker that is to come back
  bool stopping = false;         // the master shuts down
  std::uint64_t used = 0;        // token counters up to this one may have been used
};
using Event = std::variant<Granted, LinkChanged, WorkerKnown, RunMissing, RoomOverdue, Asked,
                           PromiseAnswered, SeatsAsked, Ordered, OrderEnded, LockLost, Look>;

// --- outputs
struct LookAt {  // step Look then at the latest
  TimePoint at;
};
struct WaitedInVain {  // the runs need not be waited for in later holds
  std::set<WorkerRun> runs;
};
struct Prepare {  // send PrepareSpawn to all known workers, answer with Asked; forget older ones
  FencingToken token;
  bool again = false;  // earlier promises and orders are void
};
struct TrySeats {};  // ask the rooms that are known; SeatsAsked if any was asked
struct OrderRooms {  // order as many as needed, answer with Ordered
  FencingToken token;
  std::uint32_t first_index = 0;  // first index of their creation ids
  FencingToken basis;
};
struct GiveBack {          // the hold is over: release the lock
  FencingToken highest;    // used or seen during the hold
  FencingToken stamp;      // stamp of the lock value to write
  FencingToken fence;      // the newest one that is known
  bool uncertain = false;  // a fence is owed to whoever comes next
  bool pause = false;      // the hold was cut short; do not ask for the next one at once
};
struct NoteUsed {  // tokens up to this counter may have been used, unknown to the lock
  std::uint64_t counter = 0;
};
using Output =
    std::variant<LookAt, WaitedInVain, Prepare, TrySeats, OrderRooms, GiveBack, NoteUsed>;
using Outputs = std::vector<Output>;

}  // namespace hold
}  // namespace fixkeep::master
