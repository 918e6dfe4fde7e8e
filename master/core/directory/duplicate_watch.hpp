// Which of the rooms that this master ordered were duplicates: for an operator's eyes, so that a
// lock that does not do its work is seen where it runs.
//
// For a while after an order the rooms of its group that the master did not know when it ordered
// are looked at, again and again, for the most seats that are taken at one time. Then they are
// gone through in the order of their creation: one whose players would all have fitted into one of
// those before it was not needed. It counts if it is one of ours and another grant of the lock made
// the room before it: so the masters' counts add up.
//
// It is a lower bound: two rooms that could share their players with a third count only if one of
// them has the seats for all of the other's. It can be too high by rooms whose clients hung up
// between order and look, and by those that a master could not know since it was cut off: with a
// worker that it does not reach, no lock can prevent them.
// Thread rule: one owner. Bounds: watches_most grants at a time; orders of others are not judged. A
// look costs as much as there are new rooms. Errors: none.
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
  // To be called often; costs nothing if nothing is due.
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
