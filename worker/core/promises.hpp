// The highest fencing tokens that this worker has promised and seen, per group: the acceptor's side
// of the fence (Paxos' first phase).
//
// An order names its basis: the newest fence that the ordering master knows. The worker refuses the
// order if it has promised a newer one. The order's own token does not matter: the master knows
// neither that fence nor the rooms that came of it. Comparing tokens alone is not enough: until a
// master notices that the mesh broke, its counter may be as high as the fence's.
//
// A token belongs to one hold of the lock. It is promised once and only if it was never seen
// before. Once an order has used it, other runs of a master are refused. A master that has
// restarted or forgotten its grants thus makes no second room under an old token.
//
// A group without rooms that no master has asked about for `memory` is forgotten: no message lives
// that long. Its highest token becomes the floor under all groups that are not remembered, so
// tokens still grow. Masters forget groups much earlier, so a healthy one knows higher tokens and
// never meets the floor. Beyond `most` groups, the one idle longest is forgotten early. The floor
// then covers promises too: a flood of groups can make a master ask once more with a higher token.
// It can never let a stale order through.
//
// Invariants: 1. The answer of highest() for a group never falls.
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

  // Returns the floor for a group that is not remembered.
  [[nodiscard]] FencingToken highest(const GroupKey& group) const;
  // Returns the highest counter of all tokens ever seen in any group.
  [[nodiscard]] std::uint64_t highest_counter() const { return highest_counter_; }

  // True: the token is higher than any seen before and is promised from now on.
  [[nodiscard]] bool promise(const GroupKey& group, FencingToken token, TimePoint now);
  // Whether a fence was promised that a master with this basis does not know.
  [[nodiscard]] bool has_passed(const GroupKey& group, FencingToken basis) const;
  // Whether an order may be carried out. If so, its token counts as seen and its orderer is noted.
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
  void note_changes() { noting_ = true; }  // starts notes for take_records()
  [[nodiscard]] Records take_records();
  void snapshot(Records& out) const;
  // REQUIRES: nothing was promised yet.
  void restore(const Memory& memory, TimePoint now);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // All state that decides about promises and orders but not about when a group is forgotten.
  void append_bytes(std::string& out) const;

 private:
  struct Entry {
    FencingToken highest;                // the highest seen in orders and promises
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
  FencingToken floor_;           // floor under all forgotten groups
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
