// The groups' orders to their locks and the locks' answers: the seam between a master's matching
// and the keeper of the locks.
//
// Thread rule: values.
#pragma once

#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "lock/core/lock_table.hpp"

namespace fixkeep::master {

struct AcquireLock {
  GroupKey group;
};
struct AbandonLock {
  GroupKey group;
};
struct ReleaseLock {
  GroupKey group;
  FencingToken highest;  // used or seen during the hold
  FencingToken stamp;    // token under which the hints were written
  FencingToken fence;    // newest fence that this master knows
  bool uncertain = false;
  std::vector<wire::RoomHint> hints;
};
using LockOrder = std::variant<AcquireLock, AbandonLock, ReleaseLock>;
using LockOrders = std::vector<LockOrder>;

struct LockGranted {
  GroupKey group;
  FencingToken token;
  FencingToken fence;  // newest fence that earlier holders knew
  bool needs_fence = false;
  bool uncertain = false;
  std::vector<wire::RoomHint> hints;
  std::vector<wire::RoomHint> earlier;  // hints of the holders before the last holder
};

struct LockLost {
  GroupKey group;
  lock::LostReason reason = lock::LostReason::wait_timeout;
};

// Converts the order for a LockTable.
[[nodiscard]] lock::LockValue value_of(const ReleaseLock& order);
// Converts the grant of a LockTable. An unreadable value counts as uncertain, because it hides its
// writer's rooms.
[[nodiscard]] LockGranted grant_of(lock::KeyGranted&& granted);

}  // namespace fixkeep::master
