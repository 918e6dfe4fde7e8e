// Results remembers what games have said about the end of their matches, once for each room. If a
// match (common/wire/match.hpp) ends without a result, an empty value is its result.
//
// A result stays as long as its room, and then for the time `memory`. If the results of rooms that
// are gone exceed `most_bytes`, the oldest are forgotten early. The results of all other rooms have
// at most `most_live_bytes`, so that a link can send them at once. Invariant: a room
// never has a second result. Thread rule: a value, one owner. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

struct ResultRecord {
  RoomNumber room;
  GroupKey group;
  CreationId creation;
  std::string value;                 // JSON; empty: the match ended without a result
  std::optional<TimePoint> ended{};  // when the room's game was gone

  friend bool operator==(const ResultRecord&, const ResultRecord&) = default;
};

class Results {
 public:
  static constexpr Duration memory = std::chrono::hours{1};
  static constexpr std::size_t most_bytes = 4U << 20U;
  static constexpr std::size_t most_live_bytes = 32U << 20U;

  [[nodiscard]] const ResultRecord* find(RoomNumber room) const {
    const auto found = results_.find(room);
    return found == results_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::map<RoomNumber, ResultRecord>& all() const { return results_; }

  [[nodiscard]] bool has_space_for(const std::string& value) const {
    return bytes_ - ended_bytes_ + value.size() <= most_live_bytes;
  }
  // Stores the state of one result. The first value of a room stays.
  void put(const ResultRecord& record) {
    const auto [at, fresh] = results_.try_emplace(record.room, record);
    ResultRecord& stored = at->second;
    if (fresh) bytes_ += bytes_of(stored);
    if (record.ended && ended_.emplace(*record.ended, record.room).second) {
      stored.ended = record.ended;
      ended_bytes_ += bytes_of(stored);
    }
    while (ended_bytes_ > most_bytes) forget_oldest();
  }
  [[nodiscard]] TimePoint next_tick() const {
    return ended_.empty() ? TimePoint::max() : ended_.begin()->first + memory;
  }
  void forget_old(TimePoint now) {
    while (next_tick() <= now) forget_oldest();
  }
  friend bool operator==(const Results&, const Results&) = default;

 private:
  static std::size_t bytes_of(const ResultRecord& result) {
    constexpr std::size_t least = 256;  // the group and the nodes of the maps
    return std::max(result.value.size(), least);
  }
  void forget_oldest() {
    const auto oldest = results_.find(ended_.begin()->second);
    bytes_ -= bytes_of(oldest->second);
    ended_bytes_ -= bytes_of(oldest->second);
    results_.erase(oldest);
    ended_.erase(ended_.begin());
  }

  std::map<RoomNumber, ResultRecord> results_;
  std::set<std::pair<TimePoint, RoomNumber>> ended_;  // results whose rooms are gone
  std::size_t bytes_ = 0;                             // the size of all results
  std::size_t ended_bytes_ = 0;
};

}  // namespace fixkeep::worker
