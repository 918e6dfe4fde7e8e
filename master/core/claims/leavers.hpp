// Leavers are players that have just given back a seat. The worker has not confirmed this yet.
//
// Until the worker confirms, the directory shows the seat as taken. Without this class, a new
// request of the player would be answered with this old seat. A worker does not free the seat of a
// player that is in the game. Therefore an entry ends at its time `until`: then the seat counts
// again.
//
// Thread rule: one owner; reads no clock. Bounds: at most `most` players. Beyond this bound, a
// player can get its old seat again. Errors: none.
#pragma once

#include <cstddef>
#include <map>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

class Leavers {
 public:
  static constexpr std::size_t most = 10'000;

  // `until`: after this time the seat counts again if the directory still shows it.
  void add(const PlayerId& player, const RoomId& room, TimePoint until, TimePoint now) {
    if (left_.size() >= most) {
      std::erase_if(left_, [&](const auto& entry) { return now >= entry.second.until; });
      if (left_.size() >= most) return;
    }
    left_.insert_or_assign(player, Left{room, until});
  }
  [[nodiscard]] bool has(const PlayerId& player, const RoomId& room, TimePoint now) const {
    const auto at = left_.find(player);
    return at != left_.end() && at->second.room == room && now < at->second.until;
  }

 private:
  struct Left {
    RoomId room;
    TimePoint until;
  };
  std::map<PlayerId, Left> left_;
};

}  // namespace fixkeep::master
