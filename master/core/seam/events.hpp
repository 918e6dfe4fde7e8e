// Events and actions of a master: the seam between MasterCore and its drivers (the Asio shell and
// the simulator).
//
// Events are past tense, actions imperatives. The driver steps events one at a time and performs
// the actions in their order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
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
  TimePoint deadline;  // the request is refused if it has no seat by then
  ClientAddress client{};
  SeatScope one_seat_per = SeatScope::mode;
  // Only seats in this room are wanted. The group is then one that the room's has to be within.
  std::optional<RoomId> room{};
  // Null: players of the group are all equal. Else the claim says what they bring by these rules.
  std::shared_ptr<const plan::Rules> rules{};
};
struct RequestCancelled {  // the client hung up; its ticket is not answered
  TicketId ticket;
};
// A client asks why the request waits: MasterCore::why() says it once a decision has.
struct WhyAsked {
  TicketId ticket;
};
// The player gives back all that is reserved for it in the room.
struct SeatLeft {
  RoomId room;
  PlayerId player;
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
// The server of the lock has answered; only strategies of a server have one (lock/engines).
struct EngineSaid {
  GroupKey group;
  lock::EngineReply reply;
};
struct EngineReady {  // it can be reached, or not any more
  bool ready = false;
};
// These are the other masters from now on. REQUIRES: LockTable::list_refusal() has none.
struct MastersListed {
  std::vector<MasterId> others;
};
// The configuration has these modes now. ModesInEffect says when all masters have them.
struct ModesRead {
  CoreModes modes;
};
struct TimePassed {};  // MasterCore::next_tick() has come

using Event = std::variant<MatchRequested, RequestCancelled, WhyAsked, SeatLeft, WorkerConnected,
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
  std::optional<Misdeed> misdeed{};  // null: the worker is to connect anew
};
struct ClosePeerLink {
  MasterId peer;
};
struct LockTaken {  // news: this master has the lock; it comes before acts under it
  GroupKey group;
  FencingToken token;
};
struct ModesInEffect {};  // news: the modes of the last ModesRead count from now on
// News: an order of this master has ended, with the end of its room's start.
struct OrderDone {
  enum class How : std::uint8_t {
    opened,
    given,         // a warm room
    failed,        // its room did not open
    refused,       // there is no room
    out_of_sight,  // the link is down; its room may open all the same
  };
  WorkerId worker;
  GroupKey group;
  CreationId creation;
  wire::RequestContext cause;  // context of its first claim that has one
  TimePoint ordered_at;
  RoomId room{};  // its worker is empty while unknown
  How how = How::out_of_sight;
  std::string_view why{};  // reason of a failure or refusal; a literal
};
struct WorkerQuarantined {  // news; the core does the rest itself
  Quarantine::Stay stay;
};
struct QuarantineEnded {  // the worker is tried again
  Quarantine::Stay stay;
};
struct Seated {
  TicketId ticket;
  RoomId room;
  GroupKey group;
  SeatRoot seat_root{};           // seat root of the room's worker
  wire::RoomPlace place;          // its host is never empty
  std::vector<PlayerId> players;  // the claim's player first, then the party
  Duration reserved_for{};        // time left to connect
};
enum class Refusal : std::uint8_t {
  not_joined,        // this master has not met the others yet; ask another or later
  queue_full,        // too many requests wait already
  no_capacity,       // no worker could start a room before the deadline
  boot_failed,       // rooms were started for this request and none came up
  wait_timeout,      // the deadline passed for any other reason
  lock_timeout,      // the group's lock was not to be had
  lock_unavailable,  // the server that has the locks cannot be reached
  too_many_rooms,    // too many rooms are starting because of this client's requests
  party_too_large,   // the party has more players than a room has seats
  already_seated,    // a player has a seat in another room, or is about to get one
  stopping,          // this master shuts down
  room_full,         // the room that was asked for has no seats for the claim
  room_closed,       // there is no such room that takes players of the mode and the group
  worker_away,       // the worker of the room that was asked for has no link to this master
};
struct Refused {
  TicketId ticket;
  Refusal reason = Refusal::wait_timeout;
  Duration retry_after{};
  std::optional<WhyWaits> why{};  // explanation of a wait_timeout in a pool
};

using lock::OrderEngine;

using Action =
    std::variant<SendToWorker, SendToPeer, CloseWorkerLink, ClosePeerLink, OrderEngine, LockTaken,
                 ModesInEffect, OrderDone, WorkerQuarantined, QuarantineEnded, Seated, Refused>;
using Actions = std::vector<Action>;

}  // namespace fixkeep::master
