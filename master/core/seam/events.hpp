// Events and actions of a master: the seam between MasterCore and its drivers, the Asio shell and
// the simulator. A driver passes events to step() one by one, and performs the actions in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/newcomers.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "lock/core/lock_table.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/why_waits.hpp"
#include "master/core/workers/quarantine.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

// --- events --------------------------------------------------------------------------------------

struct MatchRequested {
  TicketId ticket;  // chosen by the driver, never reused within a run
  GroupKey group;
  ModeName mode;
  std::uint32_t capacity = 0;  // seats of a room of this mode
  wire::Claim claim;
  TimePoint deadline;  // at this time an unanswered request is refused
  ClientAddress client{};
  SeatScope one_seat_per = SeatScope::mode;
  // If set, the only accepted room; `group` is then the group of this room.
  std::optional<RoomId> room{};
  std::shared_ptr<const plan::Rules> rules{};  // null: all players are equal
  // Start of the wait, if the players began to wait before this event. Null: they begin now.
  std::optional<TimePoint> since{};
  Newcomers newcomers = Newcomers::always;  // the mode's rule
  Duration newcomers_for{};
};
struct RequestCancelled {  // the client hung up, and expects no answer
  TicketId ticket;
};
// A client asks why its request waits. MasterCore::why() has the reason after a decision.
struct WhyAsked {
  TicketId ticket;
};
struct SeatsLeft {  // the players give back all their reserved seats in the room
  TicketId ticket;  // as in MatchRequested; answered with SeatsGivenBack or Refused
  RoomId room;
  std::vector<PlayerId> players;
  bool leaves_match = false;  // a service takes the players off the list of the room's match
};
struct WorkerConnected {
  WorkerId worker;
  Incarnation incarnation;
};
struct WorkerDisconnected {
  WorkerId worker;
};
struct WorkerSaid {
  WorkerId worker;
  wire::Report message;
};
struct PeerConnected {
  MasterId peer;
};
struct PeerDisconnected {
  MasterId peer;
};
struct PeerSaid {
  MasterId peer;
  wire::BetweenMasters message;
};
// The lock server has answered. This happens only if an engine keeps the locks (lock/engines).
struct EngineSaid {
  GroupKey group;
  lock::EngineReply reply;
};
struct EngineReady {  // the lock server became reachable or unreachable
  bool ready = false;
};
// The other masters from now on. REQUIRES: LockTable::list_refusal() is empty for them.
struct MastersListed {
  std::vector<MasterId> others;
};
// The configuration has these modes now. ModesInEffect says when all masters have them.
struct ModesRead {
  CoreModes modes;
};
struct TimePassed {};  // the time of MasterCore::next_tick() has come

using Event = std::variant<MatchRequested, RequestCancelled, WhyAsked, SeatsLeft, WorkerConnected,
                           WorkerDisconnected, WorkerSaid, PeerConnected, PeerDisconnected,
                           PeerSaid, EngineSaid, EngineReady, MastersListed, ModesRead, TimePassed>;

// --- actions -------------------------------------------------------------------------------------

struct SendToWorker {
  WorkerId worker;
  wire::Order message;
};
struct SendToPeer {
  MasterId peer;
  wire::BetweenMasters message;
};
struct CloseWorkerLink {
  WorkerId worker;
  std::optional<Misdeed> misdeed{};  // null: the worker should connect again
};
struct ClosePeerLink {
  MasterId peer;
};
struct LockTaken {  // news: this master has the lock; output before all acts under the lock
  GroupKey group;
  FencingToken token;
};
struct ModesInEffect {};  // news: the modes of the last ModesRead take effect now
struct OrderDone {        // news: how an order of this master has ended
  enum class How : std::uint8_t {
    opened,
    given,         // a warm room
    failed,        // the room did not open
    refused,       // no room was made
    out_of_sight,  // the link is down; the room may still open
  };
  WorkerId worker;
  GroupKey group;
  CreationId creation;
  wire::RequestContext cause;  // first context among the claims of the order
  TimePoint ordered_at;
  RoomId room{};  // `room.worker` empty: the room is not known yet
  How how = How::out_of_sight;
  std::string_view why{};  // reason of a failure or refusal; a literal
};
struct WorkerQuarantined {  // news; the core has already acted
  Quarantine::Stay stay;
};
struct QuarantineEnded {  // news; the worker is used again
  Quarantine::Stay stay;
};
struct ResultHeard {  // news: the result of a room; told once while the master remembers it
  RoomId room;
  wire::RoomResult result;
};
struct Matched {  // news: the ticket has seats in a starting room, or has lost them again
  TicketId ticket;
  bool has_seats = false;
};
struct Seated {
  TicketId ticket;
  RoomId room;
  GroupKey group;
  SeatRoot seat_root{};           // seat root of the room's worker
  wire::RoomPlace place;          // its host is never empty
  std::vector<PlayerId> players;  // the claim's player first, then the party
  Duration reserved_for{};        // time left to connect
  std::string team{};             // the players' team; empty: none, or unknown
};
enum class Refusal : std::uint8_t {
  not_joined,        // no contact to the other masters yet; ask another master, or retry later
  queue_full,        // too many requests wait already
  no_capacity,       // no worker could start a room in time
  boot_failed,       // rooms were started for this request, but none opened
  wait_timeout,      // the deadline passed for any other reason
  lock_timeout,      // the group's lock was not granted in time
  lock_unavailable,  // the lock server is unreachable
  too_many_rooms,    // too many rooms are starting because of this client's requests
  party_too_large,   // the party has more players than a room has seats
  already_seated,    // a player has a seat in another room, or will soon get one
  stopping,          // this master shuts down
  room_full,         // the requested room has no seats for the claim
  room_closed,       // the requested room is gone or accepts no players of this mode and group
  worker_away,       // the requested room's worker has no link to this master
  match_differs,     // the match of this id was made with another body
  match_ended,       // the room of the match has ended, or accepts no players
};
struct Refused {
  TicketId ticket;
  Refusal reason = Refusal::wait_timeout;
  Duration retry_after{};
  std::optional<WhyWaits> why{};    // explanation of a wait_timeout in a pool
  std::vector<PlayerId> players{};  // already_seated: the players that have or await another seat
};

struct SeatsGivenBack {  // the room's worker has ended the reservations
  TicketId ticket;
};

using lock::OrderEngine;

using Action = std::variant<SendToWorker, SendToPeer, CloseWorkerLink, ClosePeerLink, OrderEngine,
                            LockTaken, ModesInEffect, OrderDone, WorkerQuarantined, QuarantineEnded,
                            ResultHeard, Matched, Seated, Refused, SeatsGivenBack>;
using Actions = std::vector<Action>;

}  // namespace fixkeep::master
