// The highest fencing tokens that this worker has promised and seen, per group: the acceptor's side
// of the fence (Paxos' first phase).
//
// An order names its basis, the newest fence that the ordering master knows of. It is refused if
// this worker has promised anything newer, whatever the order's own token: the master does not know
// of that fence, hence not of the rooms that came of it. To compare tokens alone would let the
// order of a master pass that has not yet noticed that the mesh broke, since its counter may be as
// high as that of the fence.
//
// A token belongs to one hold of the lock. It is promised once, and only if it was never seen
// before; and once an order has used it, it is refused to any other run of a master. So a master
// that has forgotten what it granted, or that has restarted, makes no second room under an old
// token.
//
// A group without rooms that no master has asked about for `memory` is forgotten: no message lives
// that long. Its highest token becomes the floor under all groups that are not remembered, so
// tokens grow over forgetting. Masters forget groups much earlier, hence a healthy one knows of
// higher tokens and never meets the floor. If there are more groups than `most`, the one that has
// been idle longest is forgotten early; then the floor is also that of the promises: a flood of
// groups can make a master ask once more, with a higher token, but it can never let a stale order
// through.
//
// Invariants: 1. what highest() says of a group never falls.
//             2. no token is promised twice, and two runs of masters never order under the same
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

  // For a group that is not remembered it is the floor.
  [[nodiscard]] FencingToken highest(const GroupKey& group) const;
  // Returns the highest counter of all tokens ever seen, whatever their groups.
  [[nodiscard]] std::uint64_t highest_counter() const { return highest_counter_; }

  // True: the token is higher than any seen before, and is promised from now on.
  [[nodiscard]] bool promise(const GroupKey& group, FencingToken token, TimePoint now);
  // Whether a fence was promised of which somebody with this basis does not know.
  [[nodiscard]] bool has_passed(const GroupKey& group, FencingToken basis) const;
  // Whether an order may be carried out. If so, its token counts as seen, and its orderer is noted.
  [[nodiscard]] bool allow(const GroupKey& group, const CreationId& order, FencingToken basis,
                           TimePoint now);

  // The earliest time at which forget_idle() has something to do; TimePoint::max() if never.
  [[nodiscard]] TimePoint next_tick() const;
  // `in_use(group)`: the group has rooms, so it is remembered for another while.
  template <class InUse>
  void forget_idle(TimePoint now, InUse in_use) {
    while (next_tick() <= now) {
      const GroupKey group = by_turn_.begin()->second;
      if (in_use(group)) {
        use(group, now);
      } else {
        forget_oldest();
      }
    }
  }

  // --- records, for another life of the worker
  void note_changes() { noting_ = true; }  // from now on, for take_records()
  [[nodiscard]] Records take_records();
  void snapshot(Records& out) const;
  // REQUIRES: nothing was promised yet.
  void restore(const Memory& memory, TimePoint now);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // All that decides about promises and orders, but not about when a group is forgotten.
  void append_bytes(std::string& out) const;

 private:
  struct Entry {
    FencingToken highest;                // seen in orders and promises
    std::optional<Incarnation> orderer;  // the run that has ordered under `highest`, if any
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
  FencingToken floor_;           // of all groups that were forgotten
  FencingToken promised_floor_;  // of those that were forgotten early
  std::uint64_t highest_counter_ = 0;
  std::uint64_t turn_ = 0;
  std::map<GroupKey, Entry> entries_;
  std::map<std::uint64_t, GroupKey> by_turn_;  // the least recently used first
  bool noting_ = false;
  std::vector<GroupKey> changed_;
  PromiseFloors recorded_floors_;
};

}  // namespace fixkeep::worker
