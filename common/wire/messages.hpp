// The messages between masters and workers, as plain values.
//
// They are the domain's own types: the cores and the simulator use them directly. codec.hpp turns
// them into the Protocol Buffers messages of fixkeep.proto and back. limits.hpp bounds every field.
// A message belongs to one direction and the receiver knows its sender: a message of another
// direction is malformed. Each core visits only the messages that it can hear.
// Thread rule: values. Errors: none here; the codec checks all bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/modes.hpp"
#include "common/wire/operator_calls.hpp"
#include "common/wire/pool_messages.hpp"
#include "common/wire/rooms.hpp"
#include "common/wire/spawn_outcome.hpp"
#include "common/wire/warm_pool.hpp"
#include "lock/core/messages.hpp"

namespace fixkeep::wire {
// --- worker to master ----------------------------------------------------------------------------

// The first message on every new connection of a worker. Replaces all that the master knew of it.
struct WorkerState {
  ZoneName zone;
  std::string address;          // host name or IP address of rooms whose place has none
  std::uint16_t ping_port = 0;  // port at that address, where players measure; 0: no pings
  std::uint32_t room_limit = 0;
  std::uint32_t headroom = 0;  // rooms that can be started soon: limit, places, memory, StartQueue
  RoomNumber newest_room;      // every room up to this number is in `rooms` or closed
  WorkerModes modes;
  std::vector<RoomInfo> rooms;
  std::uint64_t highest_counter = 0;  // highest of all tokens that it has seen
  SeatRoot seat_root{};
  StartQueue starts;
  ReservationId last_reservation{};  // most that ReleaseSeats::own_up_to may name

  friend bool operator==(const WorkerState&, const WorkerState&) = default;
};

// All changes since the last message to this master. Omits changes that a SeatReply or SpawnReply
// to this master has told.
struct RoomsChanged {
  std::uint32_t headroom = 0;
  RoomNumber newest_room;
  std::vector<RoomInfo> opened;  // new ones, and those that have a group, or a place, since
  std::vector<RoomChange> changed;
  std::optional<WorkerModes> modes;  // all of them, if anything of them has changed
  StartQueue starts;

  friend bool operator==(const RoomsChanged&, const RoomsChanged&) = default;
};

struct SeatReply {
  std::uint64_t request = 0;
  RoomNumber room;
  RoomPhase phase = RoomPhase::closed;  // closed also for an unknown room
  std::vector<std::uint32_t> granted;   // indices into the request's claims, ascending
  std::chrono::milliseconds reserved_for{
      0};                                  // counted from now; in a starting room, from its opening
  std::vector<PlayerId> seated;            // players of `granted` without a seat before
  ReservationId reservation;               // one for all that was granted, for ReleaseSeats
  CloseReason reason = CloseReason::none;  // reason of a closed room, if the worker still knows it
  WorkerTime granted_at{};
  WorkerTime opened_at{};  // 0 while the room is starting

  friend bool operator==(const SeatReply&, const SeatReply&) = default;
};

struct PrepareReply {
  std::uint64_t request = 0;
  GroupKey group;
  bool promised = false;
  FencingToken highest;  // the highest token this worker has seen for the group
  // The rooms of the group that are not closed (also starting ones). Those with free seats come
  // first. They are up to about 1 MiB. News about the others come as if there had been no reply.
  std::vector<RoomInfo> rooms;

  friend bool operator==(const PrepareReply&, const PrepareReply&) = default;
};

struct SpawnReply {
  std::uint64_t request = 0;
  SpawnOutcome outcome = SpawnOutcome::no_capacity;
  FencingToken highest;
  std::uint32_t headroom = 0;
  RoomInfo room;                       // set if accepted
  std::vector<std::uint32_t> granted;  // these four as in SeatReply
  std::chrono::milliseconds reserved_for{0};
  ReservationId reservation;
  WorkerTime granted_at{};

  friend bool operator==(const SpawnReply&, const SpawnReply&) = default;
};

// The core of a worker says these; an operator's answer comes from the shell around it.
using Report = std::variant<WorkerState, RoomsChanged, SeatReply, PrepareReply, SpawnReply>;
using FromWorker = std::variant<Report, OperatorAnswer>;

// --- master to worker ----------------------------------------------------------------------------

// Seats for the first claims that fit in their order. They are given at once and for good. A player
// with a seat in the room keeps it and the claim is granted. With a basis (as in SpawnRoom), a
// worker that has promised a newer one gives no new seats: a request of a pool may come after
// another holder has seated its claims elsewhere.
struct SeatRequest {
  std::uint64_t request = 0;
  RoomNumber room;
  std::vector<Claim> claims;
  std::optional<FencingToken> basis{};

  friend bool operator==(const SeatRequest&, const SeatRequest&) = default;
};

// Gives one reservation of seats back or all seats of the players there if `reservation` is 0. A
// seat stays if a later request was granted it or if its player is in the game. Not answered.
struct ReleaseSeats {
  RoomNumber room;
  std::vector<PlayerId> players;
  ReservationId reservation;
  // If `own_up_to` is set: gives back all reservations of this master with own_after < id <=
  // own_up_to. It cannot name them one by one: it may not have heard the answers.
  ReservationId own_after{};
  ReservationId own_up_to{};

  friend bool operator==(const ReleaseSeats&, const ReleaseSeats&) = default;
};

// "Refuse lower tokens for this group from now on, if this one is new, and show me its rooms."
struct PrepareSpawn {
  std::uint64_t request = 0;
  GroupKey group;
  FencingToken token;

  friend bool operator==(const PrepareSpawn&, const PrepareSpawn&) = default;
};

// Idempotent by (group, creation). `basis` is the newest fence that the order builds on: the
// ordering master's own if it has fenced and otherwise the one in the lock value. A worker that has
// promised a newer one refuses: the master does not know that fence and has not seen its results.
struct SpawnRoom {
  std::uint64_t request = 0;
  GroupKey group;
  ModeName mode;
  CreationId creation;
  FencingToken basis;
  std::uint32_t capacity = 0;
  std::vector<Claim> claims;  // the room is born with its first players
  // Only by giving away an open warm room. Else also one that starts or a new one.
  bool only_warm = false;

  friend bool operator==(const SpawnRoom&, const SpawnRoom&) = default;
};

// The core of a worker is told these; the shell around it takes an operator's call.
using Order =
    std::variant<SeatRequest, ReleaseSeats, PrepareSpawn, SpawnRoom, KeepWarm, CloseWarmRoom>;
using ToWorker = std::variant<Order, OperatorCall>;

// --- master to master ----------------------------------------------------------------------------

// The modes that the sender has read last, by the hash of their text in a configuration.
struct ModesKnown {
  std::uint64_t hash = 0;

  friend bool operator==(const ModesKnown&, const ModesKnown&) = default;
};

using BetweenMasters = std::variant<lock::MeshMessage, PoolMessage, ModesKnown>;

// --- any of them, for a sender that serves all directions ----------------------------------------

using Message = std::variant<FromWorker, ToWorker, BetweenMasters>;

}  // namespace fixkeep::wire
