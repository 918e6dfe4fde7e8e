// A waiting claim: its players, its tickets and its present place.
//
// A claim is one match request or several of the same player (a retry while the first one waits).
// Its tickets share the seats. Its number is its permanent place in the queue of its group. A claim
// that comes back from a room or a failed boot is thus before all later ones again.
//
// One class changes each part and the others only read it (kept_by.hpp): Claims its place, Requests
// its tickets, Seating the history of its seats, Lending the reason of its wait.
// Invariants: invariants 1 and 4 of claims.hpp; tickets.hpp has the same tickets.
// Thread rule: values of one MasterCore.
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
  pinned,    // waits for the room in which its player has a seat, or which alone it wants
  parked,    // waits for a seat or an earlier claim of one of its players to go
  asked,     // a room's worker is being asked for its seats
  ordered,   // part of a SpawnRoom
  lent,      // lent to a hold of its pool (pools/lending.hpp)
  reserved,  // has its seats in a room that is not ready yet
  unseen,    // may have its seats at a worker that is out of sight, and waits for its return
};

class Claims;
class Requests;
class Seating;
class Lending;
struct Group;

// Seats that a worker reserved for a claim. Their time is counted from the asking: it ends here
// before it ends there, however long the answer took.
struct Reservation {
  ReservationId id;
  TimePoint asked_at;
  wire::WorkerTime granted_at{};
  Duration length{};  // counts from granted_at; in a starting room, from the opening

  // The latest believable time when the seats may lapse.
  [[nodiscard]] TimePoint ends(wire::WorkerTime opened_at, TimePoint now) const {
    const Duration since_asked = now - asked_at;
    const Duration booted = std::max(Duration{opened_at - granted_at}, Duration{0});
    return asked_at + std::min(booted, since_asked) + length;
  }
};

struct Whereabouts {
  ClaimPlace place = ClaimPlace::nowhere;
  // Earlier claims that it has to wait for, each counted for every player in common.
  std::uint32_t behind = 0;
  RoomId room;  // reserved: where; pinned: where its player has a seat; unseen: at which worker
  // Then it is refused if one of its players still sits elsewhere. It is max() without a known one.
  // The clock stands still while the master is held up.
  TimePoint parked_until = TimePoint::max();
};

struct Askers {
  ClientAddress client;
  TimePoint since;                // start of the oldest ticket
  std::vector<TicketId> tickets;  // empty: cancelled while a worker is asked
};

struct SeatTries {
  Reservation reserved;  // reserved: the seats
  std::uint32_t boots_failed = 0;
  std::uint32_t losses = 0;  // seats or orders lost with a worker or a room
  WorkerId avoid;            // worker at which its last room failed to boot
};

struct Told {
  std::shared_ptr<const wire::Explained> why;  // null: no decision has said it yet
  TimePoint at;
  bool asked = false;  // the next decision is to say it
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
  const std::optional<RoomId> only;  // no other room will do
  KeptBy<Claims, Whereabouts> where;
  KeptBy<Requests, Askers> askers;
  KeptBy<Seating, SeatTries> seats;
  KeptBy<Lending, Told> told;
};

// The bytes that a claim takes in a message, at most.
[[nodiscard]] inline std::size_t bytes_of(const wire::Claim& claim) {
  constexpr std::size_t trace_bytes = 32;
  std::size_t bytes = 8 + claim.player.text().size() + claim.brings.size();
  bytes += claim.context.request_id.size() + (claim.context.trace ? trace_bytes : 0);
  for (const PlayerId& player : claim.party) bytes += 4 + player.text().size();
  for (const std::string& each : claim.party_brings) bytes += 4 + each.size();
  return bytes;
}

}  // namespace fixkeep::master
