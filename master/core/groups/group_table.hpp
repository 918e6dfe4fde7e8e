// The groups of a MasterCore and the marks of groups to be run.
//
// A group is made by its first claim and leaves memory with its last one. Functions of the core
// change state and mark groups. run_marked() then runs each marked group once: a group acts once a
// message.
//
// Invariants: 1. A Group stays where it is from find_or_make() until run_marked() forgets it.
//             2. A group with claims, questions or a lock is not forgotten.
// Thread rule: one owner. Bounds: the claims'. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/groups/group.hpp"
#include "master/core/groups/schedule.hpp"

namespace fixkeep::master {

class GroupTable {
 public:
  explicit GroupTable(const HoldOptions& options) : options_(options) {}

  [[nodiscard]] Group* find(const GroupKey& key);  // null if it is not in memory
  // A mode's capacity may change in a rolling upgrade. It does not shrink under waiting claims:
  // they must still fit.
  [[nodiscard]] Group& find_or_make(const GroupKey& key, const RoomKind& rooms);
  [[nodiscard]] std::size_t size() const { return groups_.size(); }

  // --- what is to be looked at
  void mark(Group& group);
  void mark(const GroupKey& key);  // no effect on a forgotten group
  void mark_at(TimePoint at, const Group& group) { timers_.add(at, group.key); }
  void forget_mark(TimePoint at, const Group& group) { timers_.remove(at, group.key); }
  void mark_due(TimePoint now);
  [[nodiscard]] TimePoint next_mark() const { return timers_.next(); }
  // Runs each group that is or gets marked. Forgets groups without use.
  template <class Run>
  void run_marked(Run run) {
    for (std::size_t i = 0; i < marked_.size(); ++i) {
      Group& group = *marked_[i];
      run(group);
      group.standing.change().marked = false;
      if (group.unused()) forget(group);
    }
    marked_.clear();
  }

  // --- waiting for capacity; `generation` as of Directory::capacity_generation()
  // No worker can start a room for the group now.
  void sleep(Group& group, std::uint64_t generation);
  // Rooms are ordered for it: it sleeps no more and has lost its place.
  void found_capacity(Group& group);
  // The group begins or ends asking for its lock.
  void set_waits_for_lock(Group& group, bool waits);
  // Groups that ask for their lock or have it: most of them want a room.
  [[nodiscard]] std::size_t trying() const { return waiting_for_lock_ + holding_.size(); }
  [[nodiscard]] bool anybody_sleeps() const { return !sleeping_.empty(); }
  [[nodiscard]] std::size_t sleeping() const { return sleeping_.size(); }
  // Marks at most `most` of the groups that fell asleep before this generation, the longest
  // sleepers first. If one possible room woke them all, all but one would ask for their locks in
  // vain. Returns their number.
  std::size_t wake(std::uint64_t generation, std::size_t most);

  // --- holding
  void begin_hold(const Group& group) { holding_.insert(group.key); }
  void end_hold(const Group& group) { holding_.erase(group.key); }
  [[nodiscard]] std::vector<Group*> holding();  // ordered by key

 private:
  void forget(Group& group);

  HoldOptions options_;
  std::unordered_map<GroupKey, Group> groups_;
  std::vector<Group*> marked_;
  Schedule<GroupKey> timers_;  // timers, also of forgotten groups
  struct Sleeper {
    Group* group = nullptr;
    std::uint64_t since = 0;  // the generation
  };
  std::map<std::uint64_t, Sleeper> sleeping_;  // key: place, the oldest first
  std::uint64_t last_place_ = 0;
  std::uint64_t tried_at_ = 0;   // all that sleep have found nothing at this generation
  std::uint64_t waking_at_ = 0;  // generation at which no group before `next_awake_` is to wake
  std::uint64_t next_awake_ = 0;
  std::size_t waiting_for_lock_ = 0;
  std::set<GroupKey> holding_;
};

}  // namespace fixkeep::master
