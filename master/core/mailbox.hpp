// What a Matchmaker keeps per waiting claim, per group and per question to a worker.
//
// A claim is one match request, or several of the same player (a retry while the first one waits):
// its tickets share the seat. Its number is its place in the group's queue for good, so a claim
// that comes back from a room or a failed boot is again before all that came later.
// Thread rule: values of one Matchmaker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/lock/lock_machine.hpp"
#include "common/wire/messages.hpp"
#include "master/core/events.hpp"
#include "master/core/hold.hpp"
#include "master/core/settings.hpp"

namespace fixkeep::master {

using ClaimNumber = std::uint64_t;

enum class ClaimPlace : std::uint8_t {
  queued,    // in its group's queue, or pinned to the room in which its player has a seat
  parked,    // waits for a seat or an earlier claim of one of its players to go
  asked,     // a room's worker is being asked for its seats
  ordered,   // part of a SpawnRoom
  reserved,  // has its seats in a room that is not ready yet
};

struct Group;

// Seats that a worker granted to a claim. Their time is counted from the asking, so it is over here
// before it is over there, however long the answer took.
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
  std::vector<TicketId> tickets;  // none: cancelled while a worker is being asked
  ClaimPlace place = ClaimPlace::queued;
  RoomId room;  // reserved: where; queued and pinned: where its player has a seat
  bool pinned = false;
  SeatScope one_seat_per = SeatScope::mode;
  TimePoint parked_until = TimePoint::max();  // then a claim is refused whose player sits elsewhere
  Reservation reserved;                       // reserved: what the worker granted
  std::uint32_t boots_failed = 0;
  std::uint32_t losses = 0;  // seats or orders lost with a worker or a room
  WorkerId avoid;            // where its last room failed to boot
};

enum class QuestionKind : std::uint8_t { seats, promise, order };

// A message to a worker that wants an answer.
struct Question {
  QuestionKind kind = QuestionKind::seats;
  Group* group = nullptr;
  WorkerId worker;
  RoomId room;  // seats: the room
  std::vector<ClaimNumber> claims;
  std::uint32_t seats_left = 0;  // seats: what the room should have left, by belief
  std::uint64_t hold = 0;        // order: of which hold
  std::uint32_t capacity = 0;    // order
  FencingToken token;            // promise
  CreationId creation;           // order
  ClientAddress client;          // order: of its first claim
  TimePoint asked_at;
  TimePoint expires;
};

// A claim that lost its seats so often, to workers that went away or to other seats of its players,
// is given up rather than moved on.
inline constexpr std::uint32_t most_losses = 16;

struct Group {
  explicit Group(const HoldOptions& options) : hold(options) {}

  GroupKey key;
  ModeName mode;
  std::uint32_t capacity = 0;
  std::set<ClaimNumber> queue;
  std::uint64_t queued_seats = 0;  // of `queue`
  std::map<RoomId, std::set<ClaimNumber>> pinned;
  std::size_t members = 0;  // claims of this group, wherever they are
  std::size_t tickets = 0;
  std::set<std::uint64_t> asks;      // SeatRequests out
  std::set<std::uint64_t> promises;  // PrepareSpawns out, of the round that counts
  std::uint64_t seats_left = 0;      // of the rooms being asked, by belief
  std::size_t questions = 0;         // of any kind
  std::size_t orders = 0;            // unanswered, also those of holds that have ended
  bool waits_for_lock = false;
  Hold hold;
  std::vector<wire::RoomHint> absent;  // hints of the present hold whose worker is not here yet
  // Why the lock was not to be had the last time.
  std::optional<fixkeep::lock::LostReason> lock_failed;
  bool no_capacity = false;    // nobody could start a room the last time
  std::uint64_t slept_at = 0;  // capacity generation at which that was
  TimePoint retry_at = TimePoint::min();
  bool dirty = false;

  [[nodiscard]] bool idle() const { return !waits_for_lock && !hold.active(); }
  [[nodiscard]] bool nobody_waits() const {
    return queue.empty() && pinned.empty() && asks.empty();
  }
};

}  // namespace fixkeep::master
