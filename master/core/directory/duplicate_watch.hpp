// Finds the duplicates among this master's ordered rooms: they show an operator that a lock does
// not do its work.
//
// For a while after an order it watches the rooms of the group that were unknown at the order. It
// notes the most seats taken at one time. Then it goes through them in the order of their creation.
// A room was not needed if an earlier one had space for all its players. It counts if it is one of
// ours and another grant of the lock made the earlier room. In this way the masters' counts add up.
//
// It is a lower bound: rooms that only together could take a third one's players do not count. It
// can be too high in two cases. Clients hung up between order and look. Or the master was cut off
// from a worker and could not know its rooms. No lock can prevent the latter.
// Thread rule: one owner. Bounds: watches_most grants at a time. Orders of others are not judged. A
// look costs O(new rooms). Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

class DuplicateWatch {
 public:
  static constexpr Duration watched_for{std::chrono::seconds{1}};
  static constexpr Duration look_every{std::chrono::milliseconds{50}};
  static constexpr std::size_t watches_most = 256;

  using Counts = std::map<ModeName, std::uint64_t>;

  void ordered(const wire::SpawnRoom& order, const Directory& directory, TimePoint now);
  // Call it often. It costs nothing if nothing is due.
  void look(const Directory& directory, TimePoint now);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t total() const;  // sum over all modes

 private:
  struct Known {  // the newest room of a worker, when it was ordered
    Incarnation incarnation;
    RoomNumber newest;
  };
  struct Watch {
    GroupKey group;
    FencingToken token;
    TimePoint ends;
    std::map<WorkerId, Known> known;
    std::set<CreationId> orders;
    std::map<RoomId, std::uint32_t> most_taken;  // new rooms only
  };

  static void look(Watch& watch, const Directory& directory);
  void judge(const Watch& watch, const Directory& directory);

  std::deque<Watch> watches_;  // the first that ends first
  TimePoint next_look_;
  Counts counts_;
};

}  // namespace fixkeep::master
