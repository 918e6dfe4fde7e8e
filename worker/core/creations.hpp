// Creations remembers which order made which room. A repeated order thus makes no second room.
//
// The entry outlives the room: a master may repeat an order after a lost answer, even after a
// failed boot. The master never expects a second room from the repeated order. Closed rooms are
// remembered for the time `memory`. Beyond `most` closed rooms, the oldest are forgotten early.
// Thread rule: one owner.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "worker/core/memory.hpp"

namespace fixkeep::worker {

class Creations {
 public:
  explicit Creations(Duration memory, std::size_t most = 20'000) : memory_(memory), most_(most) {}

  [[nodiscard]] std::optional<RoomNumber> find(const GroupKey& group,
                                               const CreationId& creation) const {
    const auto found = made_.find({group, creation});
    if (found == made_.end()) return std::nullopt;
    return found->second.room;
  }

  void add(const GroupKey& group, const CreationId& creation, RoomNumber room) {
    made_.emplace(Key{group, creation}, Made{room});
  }

  // Notes that the room of the order is closed. After a damaged journal, two rooms may have the
  // same order: the second call for this order has no effect.
  void closed(const GroupKey& group, const CreationId& creation, TimePoint now) {
    const auto found = made_.find({group, creation});
    if (found == made_.end() || std::exchange(found->second.closed, true)) return;
    closed_.emplace_back(now + memory_, Key{group, creation});
    if (closed_.size() > most_) forget_oldest();
  }

  // Appends the records of creations whose rooms are closed or given away, oldest first. Leaves out
  // the creations for which `known(creation, room)` is true.
  void snapshot(Records& out, auto known) const {
    for (const auto& [until, key] : closed_) {
      const RoomNumber room = made_.at(key).room;
      if (!known(key.second, room)) out.emplace_back(CreationRecord{key.first, key.second, room});
    }
  }

  [[nodiscard]] TimePoint next_tick() const {
    return closed_.empty() ? TimePoint::max() : closed_.front().first;
  }

  void forget_old(TimePoint now) {
    while (next_tick() <= now) forget_oldest();
  }

 private:
  using Key = std::pair<GroupKey, CreationId>;
  struct Made {
    RoomNumber room;
    bool closed = false;  // the room is closed and has its one entry in closed_
  };

  void forget_oldest() {
    made_.erase(closed_.front().second);
    closed_.pop_front();
  }

  Duration memory_;
  std::size_t most_;
  std::map<Key, Made> made_;
  std::deque<std::pair<TimePoint, Key>> closed_;
};

}  // namespace fixkeep::worker
