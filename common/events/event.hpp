// An Event is one act of a node and its time. With events an observer can follow a match through
// masters and workers, and find out which of two orders was sent first.
//
// A master reports its requests, lock, questions and orders. A worker reports its rooms. The time
// is the machine's wall clock at the event's batch (the events that a node handles together).
// Within one machine the error is some microseconds, under full load a few milliseconds. Between
// machines add the difference of their clocks.
//
// Events of a pool (docs/design.md "Pools of several masters") also name players, to show which
// players a decision seated together. A claim is named by the player that sent its request. In
// events of other groups, the lists of players are empty and omitted.
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
  std::string room;  // id of the room; empty: refused
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
struct FenceAsked {  // the master asks a worker for its promise
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
  std::vector<PlayerId> players{};  // pools only: the requesting player of each claim, in order
  friend bool operator==(const SeatsAsked&, const SeatsAsked&) = default;
};
struct SeatsAnswered {
  WorkerId worker;
  std::uint64_t request = 0;
  friend bool operator==(const SeatsAnswered&, const SeatsAnswered&) = default;
};
// Claims for which the master orders no new room, because it expects to seat them in other rooms.
// The master has already ordered these rooms or asked them for seats, or other masters have ordered
// them.
struct KeptBack {
  std::uint32_t claims = 0;
  std::uint32_t seats = 0;  // seats of all these claims
  friend bool operator==(const KeptBack&, const KeptBack&) = default;
};
struct RoomOrdered {
  WorkerId worker;
  std::uint64_t request = 0;
  GroupKey group;
  CreationId creation;
  std::uint32_t capacity = 0;
  std::vector<std::uint32_t> claims;  // seats of each claim
  KeptBack kept_back;                 // state at the time of the order
  std::vector<PlayerId> players{};    // pools only: the requesting player of each claim
  std::vector<std::string> teams{};   // pools with teams only: the team of each claim
  friend bool operator==(const RoomOrdered&, const RoomOrdered&) = default;
};
struct OrderAnswered {
  WorkerId worker;
  std::uint64_t request = 0;
  bool accepted = false;
  friend bool operator==(const OrderAnswered&, const OrderAnswered&) = default;
};

// --- of a worker ---------------------------------------------------------------------------------

// The whole state of a room, at the end of a batch that changed it.
struct RoomChanged {
  RoomId room;
  GroupKey group;
  CreationId creation;
  wire::RoomPhase phase = wire::RoomPhase::starting;
  std::uint32_t capacity = 0;
  std::uint32_t taken = 0;     // reserved or occupied seats
  std::uint32_t occupied = 0;  // seats of present players
  wire::CloseReason reason = wire::CloseReason::none;
  std::vector<PlayerId> seated{};  // pools only: players seated since the last report
  std::vector<PlayerId> left{};    // pools only: players that lost seats since the last report
  friend bool operator==(const RoomChanged&, const RoomChanged&) = default;
};

// The game has said the result of its room. A worker reports this once for each room.
struct RoomResult {
  RoomId room;
  GroupKey group;
  CreationId creation;
  std::string match;   // match id; empty: the group is no match
  std::string result;  // JSON
  friend bool operator==(const RoomResult&, const RoomResult&) = default;
};

using What = std::variant<MatchAsked, MatchAnswered, LockWanted, LockGranted, LockLeft, FenceAsked,
                          FenceAnswered, SeatsAsked, SeatsAnswered, RoomOrdered, OrderAnswered,
                          RoomChanged, RoomResult>;
using Happenings = std::vector<What>;

using EventTime = std::chrono::sys_time<std::chrono::microseconds>;

struct Event {
  std::string node;  // "m1", "w2"
  EventTime at;
  What what;
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace fixkeep::events
