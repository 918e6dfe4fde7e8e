// The messages between masters and workers, as plain values.
//
// The cores and the simulator use these types directly. codec.hpp converts them to the Protocol
// Buffers messages of fixkeep.proto and back. limits.hpp bounds every field. A message belongs to
// one direction, and the receiver knows the sender's role: a message of another direction is
// malformed. Each core visits only the messages that it can receive.
// Thread rule: values. Errors: none here; the codec checks all bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/newcomers.hpp"
#include "common/wire/modes.hpp"
#include "common/wire/operator_calls.hpp"
#include "common/wire/pool_messages.hpp"
#include "common/wire/rooms.hpp"
#include "common/wire/spawn_outcome.hpp"
#include "common/wire/warm_pool.hpp"
#include "lock/core/messages.hpp"

namespace fixkeep::wire {
// --- worker to master ----------------------------------------------------------------------------

// The first message on every new connection from a worker. Replaces all that the master knew about
// this worker.
struct WorkerState {
  ZoneName zone;
  std::string address;          // host name or IP address of rooms whose place has no host
  std::uint16_t ping_port = 0;  // port at `address` for players' pings; 0: no pings
  std::uint32_t room_limit = 0;
  std::uint32_t headroom = 0;  // rooms that its limit, places, memory and StartQueue allow soon
  RoomNumber newest_room;      // rooms up to this number are in `rooms` or closed
  WorkerModes modes;
  std::vector<RoomInfo> rooms;
  std::uint64_t highest_counter = 0;  // highest counter that the worker has seen
  SeatRoot seat_root{};
  StartQueue starts;
  ReservationId last_reservation{};  // upper bound for ReleaseSeats::own_up_to
  bool keeps_matches = false;        // the worker keeps Claim::match; an older worker does not

  friend bool operator==(const WorkerState&, const WorkerState&) = default;
};

// All changes since the last message to this master, except changes reported by a SeatReply or
// SpawnReply to this master.
struct RoomsChanged {
  std::uint32_t headroom = 0;
  RoomNumber newest_room;
  std::vector<RoomInfo> opened;  // new rooms, and rooms with a new group or place
  std::vector<RoomChange> changed;
  std::optional<WorkerModes> modes;  // all modes, if any has changed
  StartQueue starts;
  std::vector<RoomResult> results{};  // new results; after WorkerState: all that are remembered

  friend bool operator==(const RoomsChanged&, const RoomsChanged&) = default;
};

struct SeatReply {
  std::uint64_t request = 0;
  RoomNumber room;
  RoomPhase phase = RoomPhase::closed;  // closed also for an unknown room
  std::vector<std::uint32_t> granted;   // ascending indices into the request's claims
  std::chrono::milliseconds reserved_for{
      0};                                  // counted from the reply; if starting, from the opening
  std::vector<PlayerId> seated;            // players of `granted` without a seat before
  ReservationId reservation;               // of all granted seats; used in ReleaseSeats
  CloseReason reason = CloseReason::none;  // why the room closed, if still known
  WorkerTime granted_at{};
  WorkerTime opened_at{};  // 0 while the room is starting
  RoomStage stage = RoomStage::gathering;

  friend bool operator==(const SeatReply&, const SeatReply&) = default;
};

struct PrepareReply {
  std::uint64_t request = 0;
  GroupKey group;
  bool promised = false;
  FencingToken highest;  // highest token seen by this worker for the group
  // The group's rooms that are starting, open or draining. Rooms with free seats come first. The
  // list is cut at about 1 MiB. RoomsChanged reports the changes of the omitted rooms as usual.
  std::vector<RoomInfo> rooms;
  bool match_ended = false;  // the group is a match whose room has ended here

  friend bool operator==(const PrepareReply&, const PrepareReply&) = default;
};

struct SpawnReply {
  std::uint64_t request = 0;
  SpawnOutcome outcome = SpawnOutcome::no_capacity;
  FencingToken highest;
  std::uint32_t headroom = 0;
  RoomInfo room;                       // set if accepted
  std::vector<std::uint32_t> granted;  // this and the next three members: see SeatReply
  std::chrono::milliseconds reserved_for{0};
  ReservationId reservation;
  WorkerTime granted_at{};

  friend bool operator==(const SpawnReply&, const SpawnReply&) = default;
};

// Answers a ReleaseSeats with a request number, also if the room or the seats are gone.
struct SeatsReleased {
  std::uint64_t request = 0;
  friend bool operator==(const SeatsReleased&, const SeatsReleased&) = default;
};

// A worker's core sends a Report; the shell around the core sends an OperatorAnswer.
using Report =
    std::variant<WorkerState, RoomsChanged, SeatReply, PrepareReply, SpawnReply, SeatsReleased>;
using FromWorker = std::variant<Report, OperatorAnswer>;

// --- master to worker ----------------------------------------------------------------------------

// Asks for seats. The worker grants as many claims as fit, in the order of the list. Grants are
// immediate and final. If a player already has a seat in the room, the player keeps the seat, and
// the claim is granted. With a `basis` (see SpawnRoom), a worker that has promised a newer fence
// grants no new seats, because a later holder of the pool may have seated the claims elsewhere.
struct SeatRequest {
  std::uint64_t request = 0;
  RoomNumber room;
  std::vector<Claim> claims;
  std::optional<FencingToken> basis{};

  friend bool operator==(const SeatRequest&, const SeatRequest&) = default;
};

// Gives back the seats of one reservation; if `reservation` is 0, all seats of the players in this
// room. A seat is kept if it was granted again to a later request, or if its player is in the game.
struct ReleaseSeats {
  RoomNumber room;
  std::vector<PlayerId> players;
  ReservationId reservation;
  // If `own_up_to` is set: gives back all reservations by this master with own_after < id <=
  // own_up_to. The master cannot list these reservations: it may not have received the answers.
  ReservationId own_after{};
  ReservationId own_up_to{};
  bool leaves_match = false;  // the players also leave the list of the room's match
  std::uint64_t request = 0;  // 0: wants no SeatsReleased

  friend bool operator==(const ReleaseSeats&, const ReleaseSeats&) = default;
};

// Asks the worker for a promise and for the group's rooms. The promise: from now on the worker
// refuses lower tokens for this group. The worker promises only if this token is higher than all
// earlier tokens of the group.
struct PrepareSpawn {
  std::uint64_t request = 0;
  GroupKey group;
  FencingToken token;

  friend bool operator==(const PrepareSpawn&, const PrepareSpawn&) = default;
};

// Orders a room. A repeated order (same group and creation) makes no second room. `basis` is the
// newest fence that the master knows: its own fence if it has fenced, otherwise the fence in the
// lock value. A worker that has promised a newer fence refuses: the master has not seen the results
// of that fence.
struct SpawnRoom {
  std::uint64_t request = 0;
  GroupKey group;
  ModeName mode;
  CreationId creation;
  FencingToken basis;
  std::uint32_t capacity = 0;
  std::vector<Claim> claims;  // the room starts with these players seated
  // True: only an open warm room may be used. False: also a starting or a new room.
  bool only_warm = false;
  Newcomers newcomers = Newcomers::always;  // the rule of the mode
  Duration newcomers_for{};                 // see Admission::lasts

  friend bool operator==(const SpawnRoom&, const SpawnRoom&) = default;
};

// A worker's core receives an Order; the shell around the core receives an OperatorCall.
using Order =
    std::variant<SeatRequest, ReleaseSeats, PrepareSpawn, SpawnRoom, KeepWarm, CloseWarmRoom>;
using ToWorker = std::variant<Order, OperatorCall>;

// --- master to master ----------------------------------------------------------------------------

// Identifies the modes that the sender has read last: the hash of their text in a configuration.
struct ModesKnown {
  std::uint64_t hash = 0;
  friend bool operator==(const ModesKnown&, const ModesKnown&) = default;
};

using BetweenMasters = std::variant<lock::MeshMessage, PoolMessage, ModesKnown>;

// --- all directions ------------------------------------------------------------------------------

using Message = std::variant<FromWorker, ToWorker, BetweenMasters>;

}  // namespace fixkeep::wire
