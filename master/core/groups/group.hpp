// A Matchmaker keeps this of a group: its claims, what is asked for them, and its lock.
//
// Thread rule: a value of one Matchmaker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/lock/lock_machine.hpp"
#include "master/core/groups/claim.hpp"
#include "master/core/groups/claim_queue.hpp"
#include "master/core/hold/hinted_rooms.hpp"
#include "master/core/hold/hold.hpp"
#include "master/core/hold/promise_refusals.hpp"

namespace fixkeep::master {

// Questions keeps here what workers are being asked for a group.
struct AskedOfWorkers {
  std::set<std::uint64_t> seats;     // numbers of SeatRequests
  std::set<std::uint64_t> promises;  // numbers of PrepareSpawns of the round that counts
  std::set<std::uint64_t> orders;    // numbers of SpawnRooms, also those of holds that have ended

  [[nodiscard]] bool nothing() const { return seats.empty() && promises.empty() && orders.empty(); }
};

struct Group {
  explicit Group(const HoldOptions& options) : hold(options) {}

  GroupKey key;
  ModeName mode;
  std::uint32_t capacity = 0;
  ClaimQueue queue;
  std::map<RoomId, std::set<ClaimNumber>> pinned;
  std::size_t members = 0;  // claims of this group, wherever they are
  std::size_t tickets = 0;
  AskedOfWorkers asked;
  bool waits_for_lock = false;
  Hold hold;
  PromiseRefusals refusals;  // of this hold
  HintedRooms hinted;
  bool order_refused = false;  // by a worker, since one was last carried out
  bool pool_due = false;       // it has no claims: rooms are missing in a pool, or too many
  // Workers that had no warm room left for an order of this hold.
  std::set<WorkerId> without_warm;
  // Orders whose fate became known here since the last grant, and the link that told it
  // (Worker::link): as long as it lasts, what a lock value says of them is old.
  std::map<CreationId, std::uint64_t> known_orders;
  // Why the lock was not to be had the last time.
  std::optional<fixkeep::lock::LostReason> lock_failed;
  bool no_capacity = false;    // nobody could start a room the last time
  std::uint64_t slept_at = 0;  // capacity generation at which that was
  std::uint64_t place = 0;     // among those that sleep; 0: it has none
  TimePoint retry_at = TimePoint::min();
  bool marked = false;  // to be run before the present event is over

  [[nodiscard]] bool idle() const { return !waits_for_lock && !hold.active(); }
  [[nodiscard]] bool unused() const {
    return idle() && members == 0 && asked.nothing() && !pool_due;
  }
  [[nodiscard]] bool nobody_waits() const {
    return queue.empty() && pinned.empty() && asked.seats.empty() && !pool_due;
  }
};

}  // namespace fixkeep::master
