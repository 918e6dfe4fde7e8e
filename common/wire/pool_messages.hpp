// Messages between masters about a pool. With them the holder of its lock decides for the waiting
// claims of all masters (docs/design.md "Pools of several masters").
//
// `hold` is the token of the lock's grant; a claim's number is unique at its lender. Clocks of
// masters differ. Messages thus have waiting times and not moments. Assumes: messages of one master
// arrive in order. Thread rule: values. Bounds: limits.hpp. Errors: none here; the codec checks all
// bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/rooms.hpp"

namespace fixkeep::wire {

// "Lend me all claims of the pool that wait at you."
struct Gather {
  GroupKey pool;
  FencingToken hold;

  friend bool operator==(const Gather&, const Gather&) = default;
};

struct LentClaim {
  std::uint64_t number = 0;
  Claim claim;
  std::chrono::milliseconds waited{0};
  std::uint32_t passed = 0;  // times that it was passed over
  WorkerId avoid;            // worker that failed to boot its last room; may be empty
  bool asked = false;        // it is to be told why it waits

  friend bool operator==(const LentClaim&, const LentClaim&) = default;
};

// Answers Gather in one part or in several: the oldest claims first.
struct ClaimsPart {
  GroupKey pool;
  FencingToken hold;
  std::uint32_t index = 0;
  bool last = true;
  std::vector<LentClaim> claims;

  friend bool operator==(const ClaimsPart&, const ClaimsPart&) = default;
};

// The worker of the room has reserved seats for these claims of the receiver. A claim that is not
// on loan to this very hold gives its seats back.
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

  friend bool operator==(const ClaimsSeated&, const ClaimsSeated&) = default;
};

// Tickets and rooms that one rule refuses. A rule that refuses neither is left out.
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
  std::optional<std::chrono::milliseconds> in;  // time from the decision on

  friend bool operator==(const NearestMiss&, const NearestMiss&) = default;
};

// Why a claim of the receiver still waits (in the words of master/rules/plan/explain.hpp).
struct Explained {
  std::uint64_t number = 0;  // number of the claim
  std::uint32_t tickets = 0;
  std::uint32_t rooms = 0;
  std::uint32_t meets = 0;
  std::vector<RefusedBy> refused;
  std::optional<NearestMiss> nearest;
  std::uint32_t players_missing = 0;
  std::optional<std::chrono::milliseconds> enough_in;
  std::uint32_t regions_full = 0;  // bit r: it may play in region r, where no room can be made
  std::vector<std::uint32_t> roles_missing;

  friend bool operator==(const Explained&, const Explained&) = default;
};

// The hold has said all that it had to say: what is still on loan to it waits on.
struct CloseLoan {
  GroupKey pool;
  FencingToken hold;
  std::vector<std::uint64_t> passed;  // claims that were passed over
  bool again = false;                 // the next decision may do more without newcomers or widening
  std::vector<Explained> explained;   // some of those that wait on

  friend bool operator==(const CloseLoan&, const CloseLoan&) = default;
};

using PoolMessage = std::variant<Gather, ClaimsPart, ClaimsSeated, CloseLoan>;

}  // namespace fixkeep::wire
