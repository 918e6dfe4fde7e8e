// The results of rooms that workers have told this master, one for each room.
//
// A worker tells its results again after each connection; the first value of a room stays. If all
// results exceed `most_bytes`, the oldest are forgotten. Thread rule: one owner. Errors: none.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>

#include "common/base/ids.hpp"
#include "common/wire/match.hpp"
#include "common/wire/rooms.hpp"

namespace fixkeep::master {

class RoomResults {
 public:
  static constexpr std::size_t most_bytes = 64U << 20U;

  // Returns false if the room's result is already known. An empty result is stored for end().
  bool add(const RoomId& room, const wire::RoomResult& result) {
    const auto [at, is_new] = results_.try_emplace(room, result);
    if (!is_new) return false;
    at->second.room_ended = false;
    if (wire::is_match(result.group) && !result.value.empty())
      matches_.try_emplace({result.group, result.creation}, room);
    by_age_.push_back(room);
    bytes_ += bytes_of(result);
    while (bytes_ > most_bytes) forget_oldest();
    return true;
  }
  // Notes that the room has ended. Returns its result; null if the end is known, or the room not.
  const wire::RoomResult* end(const RoomId& room) {
    const auto at = results_.find(room);
    if (at == results_.end() || std::exchange(at->second.room_ended, true)) return nullptr;
    return &at->second;
  }
  // Returns null if none is known. If a match has had two rooms, the result of the room that was
  // ordered first counts, at every master.
  [[nodiscard]] const wire::RoomResult* of_match(const GroupKey& group) const {
    const auto first = matches_.lower_bound({group, CreationId{}});
    const bool found = first != matches_.end() && first->first.first == group;
    return found ? &results_.at(first->second) : nullptr;
  }

 private:
  static std::size_t bytes_of(const wire::RoomResult& result) {
    return 256 + 2 * result.group.text().size() + result.value.size();
  }
  void forget_oldest() {
    const auto oldest = results_.find(by_age_.front());
    bytes_ -= bytes_of(oldest->second);
    const auto match = matches_.find({oldest->second.group, oldest->second.creation});
    if (match != matches_.end() && match->second == oldest->first) matches_.erase(match);
    results_.erase(oldest);
    by_age_.pop_front();
  }

  std::map<RoomId, wire::RoomResult> results_;
  std::map<std::pair<GroupKey, CreationId>, RoomId> matches_;
  std::deque<RoomId> by_age_;
  std::size_t bytes_ = 0;
};

}  // namespace fixkeep::master
