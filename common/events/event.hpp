// An Event is what a node did and when, told one by one: so that somebody outside can follow a
// match through masters and workers, and can say after the fact which of two orders was sent first.
//
// A master tells of its requests, its lock, its questions and its orders; a worker of its rooms.
// Time is the wall clock of the node's machine at the batch in which it happened; a batch is what
// had arrived when the node looked, so within one machine the error is below a few milliseconds
// under full load and some microseconds otherwise. Between machines it is that of their clocks.
//
// Of a pool (docs/design.md, "Pools of several masters") events also name players, so that it can
// be said of each decision who was seated with whom. A claim goes by the player who asked for it.
// Elsewhere these members are empty, and are not told.
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
  PlayerId player{};  // of a pool
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
  std::vector<PlayerId> players{};  // of a pool: one of each claim, in the order of the claims
  friend bool operator==(const SeatsAsked&, const SeatsAsked&) = default;
};
struct SeatsAnswered {
  WorkerId worker;
  std::uint64_t request = 0;
  friend bool operator==(const SeatsAnswered&, const SeatsAnswered&) = default;
};
// Claims of the group that their master keeps for seats that it expects without another room: in
// rooms that it asks or has ordered, and in those that others have ordered.
struct KeptBack {
  std::uint32_t claims = 0;
  std::uint32_t seats = 0;  // of all of them
  friend bool operator==(const KeptBack&, const KeptBack&) = default;
};
struct RoomOrdered {
  WorkerId worker;
  std::uint64_t request = 0;
  GroupKey group;
  CreationId creation;
  std::uint32_t capacity = 0;
  std::vector<std::uint32_t> claims;  // the seats of each
  KeptBack kept_back;                 // when it was ordered
  std::vector<PlayerId> players{};    // of a pool: one of each claim
  friend bool operator==(const RoomOrdered&, const RoomOrdered&) = default;
};
struct OrderAnswered {
  WorkerId worker;
  std::uint64_t request = 0;
  bool accepted = false;
  friend bool operator==(const OrderAnswered&, const OrderAnswered&) = default;
};

// --- of a worker ---------------------------------------------------------------------------------

// All of a room, as it was at the end of a batch in which something of it had changed.
struct RoomChanged {
  RoomId room;
  GroupKey group;
  CreationId creation;
  wire::RoomPhase phase = wire::RoomPhase::starting;
  std::uint32_t capacity = 0;
  std::uint32_t taken = 0;     // seats that are reserved or occupied
  std::uint32_t occupied = 0;  // seats whose player is in the room
  wire::CloseReason reason = wire::CloseReason::none;
  std::vector<PlayerId> seated{};  // of a pool: have a seat, and had none when it was last told of
  std::vector<PlayerId> left{};    // of a pool: have none any more
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
