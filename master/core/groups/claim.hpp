// A claim that waits: what it wants seats for, which tickets it answers, and where it is meanwhile.
//
// A claim is one match request, or several of the same player (a retry while the first one waits):
// its tickets share the seats. Its number is its place in the queue of its group for good, so a
// claim that comes back from a room or a failed boot is again before all that came later.
// Thread rule: values of one Matchmaker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

using ClaimNumber = std::uint64_t;

enum class ClaimPlace : std::uint8_t {
  nowhere,   // on its way from one place to another
  queued,    // in its group's queue, for any room
  pinned,    // waits for the room in which its player has a seat
  parked,    // waits for a seat or an earlier claim of one of its players to go
  asked,     // a room's worker is being asked for its seats
  ordered,   // part of a SpawnRoom
  reserved,  // has its seats in a room that is not ready yet
};

struct Group;

// Seats that a worker reserved for a claim. Their time is counted from the asking, so it is over
// here before it is over there, however long the answer took.
struct Reservation {
  ReservationId id;
  TimePoint asked_at;
  wire::WorkerTime granted_at{};
  Duration length{};  // from then on; in a room that was starting, from its opening

  // When the seats may lapse, at the latest believable time.
  [[nodiscard]] TimePoint ends(wire::WorkerTime opened_at, TimePoint now) const {
    const Duration since_asked = now - asked_at;
    const Duration booted = std::max(Duration{opened_at - granted_at}, Duration{0});
    return asked_at + std::min(booted, since_asked) + length;
  }
};

struct Waiting {
  Group* group = nullptr;
  wire::Claim claim;
  ClientAddress client;
  std::vector<TicketId> tickets;           // none: cancelled while a worker is being asked
  ClaimPlace place = ClaimPlace::nowhere;  // kept by Claims
  // Earlier claims that it has to wait for, each counted for every player in common; kept by Claims
  std::uint32_t behind = 0;
  RoomId room;  // reserved: where; pinned: where its player has a seat
  SeatScope one_seat_per = SeatScope::mode;
  TimePoint parked_until = TimePoint::max();  // then a claim is refused whose player sits elsewhere
  Reservation reserved;                       // reserved: the seats
  std::uint32_t boots_failed = 0;
  std::uint32_t losses = 0;  // seats or orders lost with a worker or a room
  WorkerId avoid;            // where its last room failed to boot
};

// The bytes that a claim takes in a message, at most.
[[nodiscard]] inline std::size_t bytes_of(const wire::Claim& claim) {
  constexpr std::size_t trace_bytes = 32;
  std::size_t bytes = 8 + claim.player.text().size();
  bytes += claim.context.request_id.size() + (claim.context.trace ? trace_bytes : 0);
  for (const PlayerId& player : claim.party) bytes += 4 + player.text().size();
  return bytes;
}

}  // namespace fixkeep::master
