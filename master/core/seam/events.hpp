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
#include "master/core/seam/answers.hpp"
#include "master/core/seam/settings.hpp"
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
struct MatchOver {  // news: the room of a match has ended; told once
  RoomId room;
  wire::RoomResult result;  // an empty value: the game has said none
};

using lock::OrderEngine;

using Action = std::variant<SendToWorker, SendToPeer, CloseWorkerLink, ClosePeerLink, OrderEngine,
                            LockTaken, ModesInEffect, OrderDone, WorkerQuarantined, QuarantineEnded,
                            ResultHeard, MatchOver, Matched, Seated, Refused, SeatsGivenBack>;
using Actions = std::vector<Action>;

}  // namespace fixkeep::master
