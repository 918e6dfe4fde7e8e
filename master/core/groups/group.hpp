// The state of a group in a MasterCore. Each part is changed by one class and only read by others
// (kept_by.hpp).
//
//   part       is changed by   content
//   rooms      GroupTable      the kind of its rooms
//   standing   GroupTable      marks; its place among sleeping groups
//   claims     Claims          its waiting claims
//   tickets    Requests        the number of its waiting requests
//   asked      Questions       its open questions to workers
//   lock       Holds           the use of its lock, and the last result
//   pool_due   WarmPools       whether a warm pool needs rooms or has too many
//
// Invariants: 1. claims: invariants 1 and 2 of claims.hpp: a claim in `queue` or `pinned` is one of
//                the `members`. While a group has members, its mode does not change and its
//                capacity does not shrink: each member still fits.
//             2. asked: invariant 2 of questions.hpp.
//             3. standing: a group that waits for its lock has no active hold. A sleeping group has
//                a `place`. A group without a place does not sleep.
//             4. lock: `without_warm` and `refusals` belong to the latest hold. A grant clears
//                `known_orders`.
//             5. pool_due: true only for a warm pool, which has no claims.
// Thread rule: a value of one MasterCore; it does not move. Bounds: those of its parts. Errors:
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/newcomers.hpp"
#include "common/base/time.hpp"
#include "lock/core/lock_machine.hpp"
#include "master/core/groups/claim.hpp"
#include "master/core/groups/claim_queue.hpp"
#include "master/core/groups/kept_by.hpp"
#include "master/core/hold/hinted_rooms.hpp"
#include "master/core/hold/hold.hpp"
#include "master/core/hold/promise_refusals.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

class Claims;
class GroupTable;
class Holds;
class Questions;
class Requests;
class WarmPools;

struct RoomKind {
  ModeName mode;
  std::uint32_t capacity = 0;
  std::shared_ptr<const plan::Rules> rules{};  // null: all players are equal
  Newcomers newcomers = Newcomers::always;
  Duration newcomers_for{};
};

struct Standing {
  bool marked = false;  // the group runs before the present event ends
  bool waits_for_lock = false;
  bool no_capacity = false;    // the last try found no worker that could start a room
  std::uint64_t slept_at = 0;  // capacity generation of the last try
  std::uint64_t place = 0;     // place among the sleeping groups; 0: none
};

struct ClaimsOfGroup {
  ClaimQueue queue;
  std::map<RoomId, std::set<ClaimNumber>> pinned;
  std::size_t members = 0;  // claims of this group in all places
};

struct AskedOfWorkers {
  std::set<std::uint64_t> seats;     // numbers of SeatRequests
  std::set<std::uint64_t> promises;  // numbers of PrepareSpawns in the present fence round
  std::set<std::uint64_t> orders;    // numbers of SpawnRooms, also from ended holds

  [[nodiscard]] bool nothing() const { return seats.empty() && promises.empty() && orders.empty(); }
};

struct LockOfGroup {
  explicit LockOfGroup(const HoldOptions& options) : hold(options) {}

  Hold hold;
  PromiseRefusals refusals;
  HintedRooms hinted;
  bool order_refused = false;  // a worker refused an order, and no order has succeeded since
  // Workers that had no warm room for an order from this hold.
  std::set<WorkerId> without_warm;
  // Orders whose end this master has learned since the last grant. The value is the reporting link
  // (Worker::link). While that link lasts, this master knows more about these orders than a lock
  // value does.
  std::map<CreationId, std::uint64_t> known_orders;
  // Why the last acquire failed.
  std::optional<fixkeep::lock::LostReason> failed;
  TimePoint retry_at = TimePoint::min();
};

struct Group {
  Group(GroupKey its_key, const HoldOptions& options)
      : key(std::move(its_key)), lock(LockOfGroup{options}) {}

  const GroupKey key;
  KeptBy<GroupTable, RoomKind> rooms;
  KeptBy<GroupTable, Standing> standing;
  KeptBy<Claims, ClaimsOfGroup> claims;
  KeptBy<Requests, std::size_t> tickets;
  KeptBy<Questions, AskedOfWorkers> asked;
  KeptBy<Holds, LockOfGroup> lock;
  KeptBy<WarmPools, bool> pool_due;

  // Returns whether the group is a pool: its claims are planned together with the claims of other
  // masters (pools/lending.hpp).
  [[nodiscard]] bool is_pool() const { return rooms->rules != nullptr; }
  [[nodiscard]] bool idle() const { return !standing->waits_for_lock && !lock->hold.active(); }
  [[nodiscard]] bool unused() const {
    return idle() && claims->members == 0 && asked->nothing() && !*pool_due;
  }
  [[nodiscard]] bool nobody_waits() const {
    return claims->queue.empty() && claims->pinned.empty() && asked->seats.empty() && !*pool_due;
  }
};

}  // namespace fixkeep::master
