// Promises stores the highest fencing tokens that this worker has promised and seen, per group.
// This is the acceptor's side of the fence (Paxos' first phase).
//
// An order names its basis: the newest fence that the order's master knows. If the worker has
// promised a newer fence, it refuses the order, because the master does not know the rooms that
// were ordered under the newer fence. The order's own token is not compared with the fence: until a
// master notices that the mesh broke, its counter may be as high as the fence's, although it does
// not know these rooms.
//
// Each time a master acquires the lock, it gets a new token. The worker promises each token at most
// once, and only if the token is new to the worker. After an order has used the token, the worker
// refuses orders that other master runs send under this token. A master that has restarted or
// forgotten its grants thus makes no second room under an old token.
//
// If a group has no rooms, and the worker has accepted no order or token of the group for the time
// `memory`, the worker forgets the group. No message is under way for that long. The highest token
// of the forgotten group becomes the floor for all groups that are not remembered, so tokens never
// fall. Masters forget groups much earlier, so a healthy master uses higher tokens than the floor.
// Beyond `most` groups, the group that was idle for the longest time is forgotten early. The floor
// then includes the promises of this group. A flood of groups can thus force a master to repeat its
// request with a higher token, but no stale order is ever carried out.
//
// Invariants: 1. The result of highest() for a group never falls.
//             2. No token is promised twice and two runs of masters never order under the same
//                highest token.
// Thread rule: one owner. Bounds: `most` groups.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "worker/core/memory.hpp"

namespace fixkeep::worker {

class Promises {
 public:
  explicit Promises(Duration memory, std::size_t most = 100'000) : memory_(memory), most_(most) {}

  // Returns the group's highest token. For a group that is not remembered, returns the floor.
  [[nodiscard]] FencingToken highest(const GroupKey& group) const;
  // Returns the highest counter of all tokens ever seen in any group.
  [[nodiscard]] std::uint64_t highest_counter() const { return highest_counter_; }

  // Promises the token if it is higher than the group's highest token. Returns whether it was
  // promised.
  [[nodiscard]] bool promise(const GroupKey& group, FencingToken token, TimePoint now);
  // Returns whether a fence newer than `basis` was promised.
  [[nodiscard]] bool has_passed(const GroupKey& group, FencingToken basis) const;
  // Returns whether an order may be carried out. If so, stores the order's token as seen, and the
  // master run that sent the order.
  [[nodiscard]] bool allow(const GroupKey& group, const CreationId& order, FencingToken basis,
                           TimePoint now);

  // Returns the earliest time at which forget_idle() can forget a group; TimePoint::max() if none.
  [[nodiscard]] TimePoint next_tick() const;
  // Forgets idle groups. If `in_use(group)` is true, the group has rooms and is remembered for the
  // time `memory` again.
  void forget_idle(TimePoint now, auto in_use) {
    while (next_tick() <= now) {
      const GroupKey group = by_turn_.begin()->second;
      if (in_use(group)) {
        use(group, now);
      } else {
        forget_oldest();
      }
    }
  }

  // --- records for the worker's next run
  void note_changes() { noting_ = true; }  // from now on, stores changes for take_records()
  [[nodiscard]] Records take_records();
  void snapshot(Records& out) const;
  // REQUIRES: nothing was promised yet.
  void restore(const Memory& memory, TimePoint now);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // Appends all state that decides about promises and orders. Leaves out the times at which groups
  // are forgotten.
  void append_bytes(std::string& out) const;

 private:
  struct Entry {
    FencingToken highest;                // the highest token in orders and promises
    std::optional<Incarnation> orderer;  // the master run that has ordered under `highest`, if any
    FencingToken promised;               // never above `highest`
    TimePoint used;
    std::uint64_t turn = 0;
  };
  [[nodiscard]] const Entry* find(const GroupKey& group) const;
  [[nodiscard]] PromiseFloors floors() const { return {floor_, promised_floor_, highest_counter_}; }
  Entry& saw(const GroupKey& group, FencingToken token, TimePoint now);
  void use(const GroupKey& group, TimePoint now);
  void forget_oldest();
  void forget_beyond_most();

  Duration memory_;
  std::size_t most_;
  FencingToken floor_;           // floor for all forgotten groups
  FencingToken promised_floor_;  // promise floor of groups that were forgotten early
  std::uint64_t highest_counter_ = 0;
  std::uint64_t turn_ = 0;
  std::map<GroupKey, Entry> entries_;
  std::map<std::uint64_t, GroupKey> by_turn_;  // the least recently used first
  bool noting_ = false;
  std::vector<GroupKey> changed_;
  PromiseFloors recorded_floors_;
};

}  // namespace fixkeep::worker
