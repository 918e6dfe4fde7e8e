// The groups of a MasterCore, and marks on the groups that should run.
//
// The first claim makes a group; after its last claim the group is forgotten. Functions of the core
// change state and mark groups. Then run_marked() runs each marked group, so a group acts at most
// once for each event.
//
// Invariants: 1. A Group does not move from find_or_make() until run_marked() forgets the group.
//             2. A group with claims, questions or a lock is not forgotten.
// Thread rule: one owner. Bounds: those of the claims. Errors: none.
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
  // Returns the group. Makes it if it is not in memory. In a rolling upgrade `rooms` may differ
  // from the group's known RoomKind. If claims wait, only a larger capacity is accepted, because
  // these claims must still fit.
  [[nodiscard]] Group& find_or_make(const GroupKey& key, const RoomKind& rooms);
  [[nodiscard]] std::size_t size() const { return groups_.size(); }

  // --- marks
  void mark(Group& group);
  void mark(const GroupKey& key);  // no effect on a forgotten group
  void mark_at(TimePoint at, const Group& group) { timers_.add(at, group.key); }
  void forget_mark(TimePoint at, const Group& group) { timers_.remove(at, group.key); }
  void mark_due(TimePoint now);
  [[nodiscard]] TimePoint next_mark() const { return timers_.next(); }
  // Runs each group that is or becomes marked. Forgets unused groups.
  void run_marked(auto run) {
    for (std::size_t i = 0; i < marked_.size(); ++i) {
      Group& group = *marked_[i];
      run(group);
      group.standing.change().marked = false;
      if (group.unused()) forget(group);
    }
    marked_.clear();
  }

  // --- waiting for capacity. `generation`: from Directory::capacity_generation().
  // Puts the group to sleep because no worker can start a room for the group now.
  void sleep(Group& group, std::uint64_t generation);
  // Notes that rooms were ordered for the group. The group no longer sleeps and loses its place
  // among the sleepers.
  void found_capacity(Group& group);
  // Notes whether the group waits for its lock.
  void set_waits_for_lock(Group& group, bool waits);
  // Returns the number of groups that wait for their lock or have it. Most of these groups want a
  // room.
  [[nodiscard]] std::size_t trying() const { return waiting_for_lock_ + holding_.size(); }
  [[nodiscard]] bool anybody_sleeps() const { return !sleeping_.empty(); }
  [[nodiscard]] std::size_t sleeping() const { return sleeping_.size(); }
  // Marks at most `most` groups that fell asleep before this generation, in the order in which they
  // fell asleep. Returns how many groups were marked. More groups must not wake: if one free place
  // woke all groups, one group would use the place, and the others would acquire their locks in
  // vain.
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
  Schedule<GroupKey> timers_;  // may contain forgotten groups
  struct Sleeper {
    Group* group = nullptr;
    std::uint64_t since = 0;  // capacity generation of the last try
  };
  std::map<std::uint64_t, Sleeper> sleeping_;  // key: place, the oldest first
  std::uint64_t last_place_ = 0;
  std::uint64_t tried_at_ = 0;   // generation at which all sleepers were tried
  std::uint64_t waking_at_ = 0;  // generation at which wake() continues at `next_awake_`
  std::uint64_t next_awake_ = 0;
  std::size_t waiting_for_lock_ = 0;
  std::set<GroupKey> holding_;
};

}  // namespace fixkeep::master
