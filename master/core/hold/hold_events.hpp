// Events and outputs of a holder: the seam between Hold and its drivers (Holds and the model
// checker).
//
// Events have names in the past tense, outputs in the imperative. Thread rule: values.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

// One run of one worker, as named by hinted rooms.
using WorkerRun = std::pair<WorkerId, Incarnation>;

enum class OrderFate : std::uint8_t {
  carried_out,
  refused,  // the worker cannot start the room now; another worker may
  no_warm,  // the order allows only a warm room, and the worker has none
  stale,    // the worker has promised a newer fence than the order's basis
  unknown,  // no answer, or an invalid answer
};

namespace hold {

// --- events
struct Granted {  // REQUIRES: phase none
  FencingToken token;
  FencingToken fence;            // newest fence that earlier holders knew
  bool needs_fence = false;      // the lock requires a fence, or its value is uncertain
  bool others_expected = false;  // see Look
  std::set<WorkerRun> missing;   // runs of hinted rooms without a link to this master
};
struct LinkChanged {  // the worker's link came up or went down
  WorkerId worker;
};
struct WorkerKnown {  // the worker has shown its state
  WorkerId worker;
  Incarnation run;
};
struct RunMissing {  // a run with an ordered and unseen room has lost its link
  WorkerRun run;
};
struct RoomOverdue {};  // an ordered room was not shown in time
struct Asked {          // reply to Prepare
  std::set<WorkerId> workers;
};
struct PromiseAnswered {
  WorkerId worker;
  FencingToken token;
  bool promised = false;
  FencingToken highest;  // highest token that the worker has seen
};
struct SeatsAsked {};  // a wave of SeatRequests was sent
struct Ordered {       // reply to OrderRooms; `rooms` 0: no room needed, or no worker
  std::uint32_t rooms = 0;
};
struct OrderEnded {
  std::uint64_t hold = 0;  // Hold::number() at the time of the order
  OrderFate fate = OrderFate::unknown;
  WorkerId worker;
  FencingToken highest;        // stale: highest token that the worker has seen
  std::uint64_t capacity = 0;  // refused: the present capacity generation (directory.hpp)
};
struct LockLost {};
// Asks the hold to continue, if possible. The members describe the present situation.
struct Look {
  bool all_known = true;         // every worker with a link has shown its state
  bool others_expected = false;  // awaits workers without a link, or claims of a pool
  bool somebody_waits = false;   // claims are queued or pinned, or rooms are being asked
  bool room_needed = false;      // some queued claim needs another room (seat_need.hpp)
  bool asking = false;           // some SeatRequest of the group has no answer
  bool seats_free = false;       // a known room has free seats; used only if !may_ask()
  bool orders_named = false;     // the lock value can name all unanswered orders
  bool out_of_sight = false;     // the group waits for a worker out of sight
  bool stopping = false;         // the master shuts down
  std::uint64_t used = 0;        // token counters up to this value may have been used
};
using Event = std::variant<Granted, LinkChanged, WorkerKnown, RunMissing, RoomOverdue, Asked,
                           PromiseAnswered, SeatsAsked, Ordered, OrderEnded, LockLost, Look>;

// --- outputs
struct LookAt {  // the driver passes Look to the hold at this time or earlier
  TimePoint at;
};
struct WaitedInVain {  // later holds need not wait for these runs
  std::set<WorkerRun> runs;
};
struct Prepare {  // send PrepareSpawn to all known workers, forget older rounds, reply Asked
  FencingToken token;
  bool again = false;  // this round replaces earlier promises and orders
};
struct TrySeats {};  // ask the known rooms; if any was asked, reply SeatsAsked
struct OrderRooms {  // order as many rooms as needed, reply Ordered
  FencingToken token;
  std::uint32_t first_index = 0;  // first index for creation ids
  FencingToken basis;
};
struct GiveBack {          // the hold ends: release the lock
  FencingToken highest;    // highest token used or seen during the hold
  FencingToken stamp;      // stamp of the lock value to write
  FencingToken fence;      // newest known fence
  bool uncertain = false;  // the next holder must fence
  bool pause = false;      // the hold ended early: wait a while before the next acquire
};
struct NoteUsed {  // the lock perhaps does not know that tokens up to this counter are used
  std::uint64_t counter = 0;
};
using Output =
    std::variant<LookAt, WaitedInVain, Prepare, TrySeats, OrderRooms, GiveBack, NoteUsed>;
using Outputs = std::vector<Output>;

}  // namespace hold
}  // namespace fixkeep::master
