// Messages between masters about a pool. The holder of the pool's lock decides for the waiting
// claims of all masters (docs/design.md "Pools of several masters").
//
// `hold` is the token of the lock's grant. A claim's number is unique at its lender. Masters'
// clocks differ: thus messages contain waiting times, not times of day. Assumes: messages from one
// master arrive in order. Thread rule: values. Bounds: limits.hpp. Errors: none here; the codec
// checks all bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/rooms.hpp"

namespace fixkeep::wire {

// Asks another master to lend all its waiting claims of the pool.
struct Gather {
  GroupKey pool;
  FencingToken hold;

  friend bool operator==(const Gather&, const Gather&) = default;
};

struct LentClaim {
  std::uint64_t number = 0;
  Claim claim;
  std::chrono::milliseconds waited{0};
  std::uint32_t passed = 0;  // number of decisions that passed over the claim
  WorkerId avoid;            // worker whose last room for the claim failed; may be empty
  bool asked = false;        // the holder shall explain why the claim waits

  friend bool operator==(const LentClaim&, const LentClaim&) = default;
};

// Answers Gather in one or more parts, the oldest claims first.
struct ClaimsPart {
  GroupKey pool;
  FencingToken hold;
  std::uint32_t index = 0;
  bool last = true;
  std::vector<LentClaim> claims;

  friend bool operator==(const ClaimsPart&, const ClaimsPart&) = default;
};

// The room's worker has reserved seats for these claims of the receiver. If one of these claims is
// not on loan to this hold, the receiver gives the claim's seats back.
struct ClaimsSeated {
  GroupKey pool;
  FencingToken hold;
  RoomId room;
  ModeName mode;
  std::uint32_t capacity = 0;
  ReservationId reservation;
  WorkerTime granted_at{};
  std::chrono::milliseconds reserved_for{0};  // see SeatReply
  std::vector<std::uint64_t> claims;
  std::vector<std::uint32_t> teams;  // team of each claim, from 1; 0: unknown

  friend bool operator==(const ClaimsSeated&, const ClaimsSeated&) = default;
};

// The numbers of tickets and rooms refused by one rule. A rule that refuses none is omitted.
struct RefusedBy {
  std::uint32_t by = 0;
  std::uint32_t tickets = 0;
  std::uint32_t rooms = 0;

  friend bool operator==(const RefusedBy&, const RefusedBy&) = default;
};

struct NearestMiss {
  std::uint32_t by = 0;
  bool room = false;
  std::uint64_t beyond = 0;
  std::optional<std::chrono::milliseconds> in;  // counted from the decision

  friend bool operator==(const NearestMiss&, const NearestMiss&) = default;
};

// Explains why a claim of the receiver still waits (see master/rules/plan/explain.hpp).
struct Explained {
  std::uint64_t number = 0;  // number of the claim
  std::uint32_t tickets = 0;
  std::uint32_t rooms = 0;
  std::uint32_t meets = 0;
  std::vector<RefusedBy> refused;
  std::optional<NearestMiss> nearest;
  std::uint32_t players_missing = 0;
  std::optional<std::chrono::milliseconds> enough_in;
  std::uint32_t regions_full = 0;  // bit r: region r is allowed, but no room can be made there
  std::vector<std::uint32_t> roles_missing;

  friend bool operator==(const Explained&, const Explained&) = default;
};

// Reports that the holder has decided. Claims that are still on loan to this hold continue to wait.
struct CloseLoan {
  GroupKey pool;
  FencingToken hold;
  std::vector<std::uint64_t> passed;  // claims that the decision passed over
  bool again = false;                 // ask again soon: more may be possible without new claims
  std::vector<Explained> explained;   // for some of the waiting claims

  friend bool operator==(const CloseLoan&, const CloseLoan&) = default;
};

using PoolMessage = std::variant<Gather, ClaimsPart, ClaimsSeated, CloseLoan>;

}  // namespace fixkeep::wire
