// The highest fencing tokens that this worker has promised and seen, per group: the acceptor's side
// of the fence (Paxos' first phase).
//
// An order names its basis, the newest fence that its orderer knows of. It is refused if this
// worker has promised anything newer, whatever the order's own token: the orderer does not know of
// that fence, hence not of the rooms that came of it. Comparing tokens alone would let an orderer
// pass that has not yet noticed that the mesh broke, since its counter may be as high as the
// fence's.
//
// A group without rooms that nobody has asked about for `memory` is forgotten: no message lives
// that long. If there are more groups than `most`, the one that has been idle longest is forgotten
// early, and its counter becomes the floor under all groups that are not remembered. So a flood of
// groups can make a master ask once more, with a higher token, but it can never let a stale order
// through.
//
// Invariant: within `memory`, what highest() says of a group never falls.
// Thread rule: one owner.
#pragma once

#include <cstdint>
#include <map>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

class Promises {
 public:
  explicit Promises(Duration memory, std::size_t most = 100'000) : memory_(memory), most_(most) {}

  [[nodiscard]] FencingToken highest(const GroupKey& group) const;

  // True: the token is not lower than any seen before, and is promised from now on.
  [[nodiscard]] bool promise(const GroupKey& group, FencingToken token, TimePoint now);
  // Whether an order may be carried out; if so, its token is seen.
  [[nodiscard]] bool allow(const GroupKey& group, FencingToken token, FencingToken basis,
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

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    FencingToken highest;   // seen in orders and promises
    FencingToken promised;  // never above `highest`
    TimePoint used;
    std::uint64_t turn = 0;
  };
  void saw(const GroupKey& group, FencingToken token, TimePoint now);
  void use(const GroupKey& group, TimePoint now);
  void forget_oldest();

  Duration memory_;
  std::size_t most_;
  FencingToken floor_;
  std::uint64_t turn_ = 0;
  std::map<GroupKey, Entry> entries_;
  std::map<std::uint64_t, GroupKey> by_turn_;  // the least recently used first
};

}  // namespace fixkeep::worker
