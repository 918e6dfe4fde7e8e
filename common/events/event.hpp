// An Event is one act of a node and its time. With events an observer can follow a match through
// masters and workers. They tell later which of two orders was sent first.
//
// A master reports its requests, lock, questions and orders. A worker reports its rooms. The time
// is the machine's wall clock at the batch of the event. A batch is all that had arrived when the
// node looked. The error within one machine is a few milliseconds under full load and some
// microseconds otherwise. Between machines the error of their clocks is added.
//
// Events of a pool (docs/design.md "Pools of several masters") also name players. They show which
// ones each decision seated together. A claim goes by its asking player. Elsewhere these members
// are empty and left out.
//
// Thread rule: values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::events {

// --- of a master ---------------------------------------------------------------------------------

struct MatchAsked {
  TicketId ticket;
  GroupKey group;
  std::uint32_t seats = 0;
  PlayerId player{};  // pools only
  friend bool operator==(const MatchAsked&, const MatchAsked&) = default;
};
struct MatchAnswered {
  TicketId ticket;
  std::string room;  // its id; empty: refused
  friend bool operator==(const MatchAnswered&, const MatchAnswered&) = default;
};
struct LockWanted {
  GroupKey group;
  friend bool operator==(const LockWanted&, const LockWanted&) = default;
};
struct LockGranted {
  GroupKey group;
  FencingToken token;
  friend bool operator==(const LockGranted&, const LockGranted&) = default;
};
struct LockLeft {  // released, abandoned or lost
  GroupKey group;
  friend bool operator==(const LockLeft&, const LockLeft&) = default;
};
struct FenceAsked {  // a worker is asked for its promise
  WorkerId worker;
  std::uint64_t request = 0;
  GroupKey group;
  friend bool operator==(const FenceAsked&, const FenceAsked&) = default;
};
struct FenceAnswered {
  WorkerId worker;
  std::uint64_t request = 0;
  friend bool operator==(const FenceAnswered&, const FenceAnswered&) = default;
};
struct SeatsAsked {
  WorkerId worker;
  std::uint64_t request = 0;
  RoomNumber room;
  std::uint32_t seats = 0;
  std::vector<PlayerId> players{};  // pools only: one of each claim, in the order of the claims
  friend bool operator==(const SeatsAsked&, const SeatsAsked&) = default;
};
struct SeatsAnswered {
  WorkerId worker;
  std::uint64_t request = 0;
  friend bool operator==(const SeatsAnswered&, const SeatsAnswered&) = default;
};
// Claims of the group that their master keeps for seats that it expects without another room. The
// seats are in rooms that it asks or has ordered and in rooms that others have ordered.
struct KeptBack {
  std::uint32_t claims = 0;
  std::uint32_t seats = 0;  // seats of all of them
  friend bool operator==(const KeptBack&, const KeptBack&) = default;
};
struct RoomOrdered {
  WorkerId worker;
  std::uint64_t request = 0;
  GroupKey group;
  CreationId creation;
  std::uint32_t capacity = 0;
  std::vector<std::uint32_t> claims;  // the seats of each
  KeptBack kept_back;                 // kept back at the time of the order
  std::vector<PlayerId> players{};    // pools only: one of each claim
  friend bool operator==(const RoomOrdered&, const RoomOrdered&) = default;
};
struct OrderAnswered {
  WorkerId worker;
  std::uint64_t request = 0;
  bool accepted = false;
  friend bool operator==(const OrderAnswered&, const OrderAnswered&) = default;
};

// --- of a worker ---------------------------------------------------------------------------------

// All of a room at the end of a batch that changed something of it.
struct RoomChanged {
  RoomId room;
  GroupKey group;
  CreationId creation;
  wire::RoomPhase phase = wire::RoomPhase::starting;
  std::uint32_t capacity = 0;
  std::uint32_t taken = 0;     // seats that are reserved or occupied
  std::uint32_t occupied = 0;  // seats of players in the room
  wire::CloseReason reason = wire::CloseReason::none;
  std::vector<PlayerId> seated{};  // pools only: seated now, and without a seat at the last report
  std::vector<PlayerId> left{};    // pools only: players that have lost their seat
  friend bool operator==(const RoomChanged&, const RoomChanged&) = default;
};

using What =
    std::variant<MatchAsked, MatchAnswered, LockWanted, LockGranted, LockLeft, FenceAsked,
                 FenceAnswered, SeatsAsked, SeatsAnswered, RoomOrdered, OrderAnswered, RoomChanged>;
using Happenings = std::vector<What>;

using EventTime = std::chrono::sys_time<std::chrono::microseconds>;

struct Event {
  std::string node;  // "m1", "w2"
  EventTime at;
  What what;
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace fixkeep::events
