// A waiting claim: its players, its tickets and its present place.
//
// A claim is one match request, or several requests from one player (retries while the first
// request waits). The claim's tickets share the seats. The claim's number is its permanent place in
// the group's queue. Thus, after a lost room or a failed boot, the claim is served before all later
// claims again.
//
// Each part is changed by one class and only read by others (kept_by.hpp): Claims changes the
// claim's place, and Requests changes the tickets. Seating changes the history of the seats, and
// Lending changes the reason why the claim waits. Invariants: invariants 1 and 4 of claims.hpp;
// class Tickets contains the same tickets. Thread rule: values of one MasterCore.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "common/wire/pool_messages.hpp"
#include "master/core/groups/kept_by.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

using ClaimNumber = std::uint64_t;

enum class ClaimPlace : std::uint8_t {
  nowhere,   // between two places
  queued,    // waits in its group's queue for any room
  pinned,    // waits for one room: its player's room, or the only accepted room
  parked,    // waits for the end of a player's other seat or earlier claim
  asked,     // a worker is being asked for seats for the claim
  ordered,   // part of a SpawnRoom, an order for a room
  lent,      // lent to a hold of its pool (pools/lending.hpp)
  reserved,  // has its seats in a room that is not ready yet
  unseen,    // waits for a worker out of sight that may have reserved seats
};

class Claims;
class Requests;
class Seating;
class Lending;
struct Group;

// Seats that a worker reserved for a claim. The master measures a reservation from the time at
// which it sent its own request. Thus the reservation ends earlier for the master than for the
// worker, even if the answer arrived late.
struct Reservation {
  ReservationId id;
  TimePoint asked_at;
  wire::WorkerTime granted_at{};
  Duration length{};       // begins at granted_at or, in a starting room, at its opening
  std::uint32_t team = 0;  // in a pool: the claim's team, from 1; 0: unknown

  // Returns the time until which the seats are certainly reserved.
  [[nodiscard]] TimePoint ends(wire::WorkerTime opened_at, TimePoint now) const {
    const Duration since_asked = now - asked_at;
    const Duration booted = std::max(Duration{opened_at - granted_at}, Duration{0});
    return asked_at + std::min(booted, since_asked) + length;
  }
};

struct Whereabouts {
  ClaimPlace place = ClaimPlace::nowhere;
  // Counts the earlier claims that must end first, each once for every common player.
  std::uint32_t behind = 0;
  RoomId room;  // the claim's room if `reserved` or `pinned`; only its worker if `unseen`
  // When this time comes, the claim is refused if one of its players still has a seat in another
  // room; max(): no such seat is known. Time in which the master is held up does not count.
  TimePoint parked_until = TimePoint::max();
};

struct Askers {
  ClientAddress client;
  TimePoint since;                // start of the oldest ticket
  std::vector<TicketId> tickets;  // empty: cancelled while a worker is asked
};

struct SeatTries {
  Reservation reserved;  // in place `reserved`: its seats
  std::uint32_t boots_failed = 0;
  std::uint32_t losses = 0;  // how often the claim lost seats or orders with a worker or a room
  WorkerId avoid;            // worker at which its last room failed to boot
};

struct Told {
  std::shared_ptr<const wire::Explained> why;  // null: not explained yet
  TimePoint at;
  bool asked = false;  // the next decision should explain why the claim waits
};

struct Waiting {
  Waiting(Group& its_group, wire::Claim&& its_claim, SeatScope scope, std::optional<RoomId> room)
      : group(&its_group),
        claim(std::move(its_claim)),
        one_seat_per(scope),
        only(std::move(room)) {}

  Group* const group;
  const wire::Claim claim;
  const SeatScope one_seat_per;
  const std::optional<RoomId> only;  // if set, the only accepted room
  KeptBy<Claims, Whereabouts> where;
  KeptBy<Requests, Askers> askers;
  KeptBy<Seating, SeatTries> seats;
  KeptBy<Lending, Told> told;
};

// Returns an upper bound for the bytes of a claim in a message.
[[nodiscard]] inline std::size_t bytes_of(const wire::Claim& claim) {
  constexpr std::size_t trace_bytes = 32;
  std::size_t bytes = 8 + claim.player.text().size() + claim.brings.size();
  bytes += claim.context.request_id.size() + (claim.context.trace ? trace_bytes : 0);
  for (const PlayerId& player : claim.party) bytes += 4 + player.text().size();
  for (const std::string& each : claim.party_brings) bytes += 4 + each.size();
  if (claim.match) bytes += claim.match->bytes();
  return bytes;
}

}  // namespace fixkeep::master
