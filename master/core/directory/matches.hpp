// Finds the rooms of matches (common/wire/match.hpp), and remembers the matches that have ended.
//
// An ended match is remembered for `memory`. Beyond `most` matches, the oldest matches are
// forgotten early: their workers remember them all the same. Thread rule: one owner. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

// Returns the room that a worker has shown for the match. Null: none, or the group is no match. If
// the worker of the first room was out of sight for too long, the match has two rooms. Then returns
// the room that was ordered last, because the later players are there.
[[nodiscard]] inline const Room* room_of_match(const Directory& directory, const GroupKey& group) {
  if (!wire::is_match(group)) return nullptr;
  const Room* latest = nullptr;
  for (const RoomId& id : directory.rooms_of(group)) {
    const Room* room = directory.find(id);
    if (room == nullptr || room->provisional) continue;
    if (latest == nullptr || latest->creation < room->creation) latest = room;
  }
  return latest;
}

class EndedMatches {
 public:
  static constexpr Duration memory = std::chrono::hours{1};
  static constexpr std::size_t most = 100'000;

  [[nodiscard]] bool contains(const GroupKey& group) const { return modes_.contains(group); }
  // Empty: the mode is not known.
  [[nodiscard]] ModeName mode_of(const GroupKey& group) const {
    const auto found = modes_.find(group);
    return found == modes_.end() ? ModeName{} : found->second;
  }

  void add(const GroupKey& group, const ModeName& mode, TimePoint now) {
    while (!by_age_.empty() && by_age_.front().first <= now) forget_oldest();
    const auto [known, is_new] = modes_.try_emplace(group, mode);
    if (known->second.empty()) known->second = mode;
    if (!is_new) return;
    by_age_.emplace_back(now + memory, group);
    if (by_age_.size() > most) forget_oldest();
  }

 private:
  void forget_oldest() {
    modes_.erase(by_age_.front().second);
    by_age_.pop_front();
  }

  std::map<GroupKey, ModeName> modes_;
  std::deque<std::pair<TimePoint, GroupKey>> by_age_;
};

}  // namespace fixkeep::master
