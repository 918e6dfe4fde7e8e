// The groups of a Matchmaker, and which of them are to be looked at.
//
// A group is made by its first claim, and leaves memory with its last one. Functions of the
// matchmaker change state and mark groups; run_marked() then runs each marked group once, so a
// message that touches a group many times makes it act once.
//
// Invariants: 1. a Group stays where it is from find_or_make() until run_marked() forgets it.
//             2. a group that has claims, questions or a lock is not forgotten.
// Thread rule: one owner. Bounds: those of the claims. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/group.hpp"
#include "master/core/schedule.hpp"

namespace fixkeep::master {

class GroupTable {
 public:
  explicit GroupTable(const HoldOptions& options) : options_(options) {}

  [[nodiscard]] Group* find(const GroupKey& key);  // null if it is not in memory
  [[nodiscard]] Group& find_or_make(const GroupKey& key);
  [[nodiscard]] std::size_t size() const { return groups_.size(); }

  // --- what is to be looked at
  void mark(Group& group);
  void mark(const GroupKey& key);  // if it is in memory
  void mark_at(TimePoint at, const Group& group) { timers_.add(at, group.key); }
  void forget_mark(TimePoint at, const Group& group) { timers_.remove(at, group.key); }
  void mark_due(TimePoint now);
  [[nodiscard]] TimePoint next_mark() const { return timers_.next(); }
  // Runs each group that is or gets marked, and forgets those that nobody needs.
  template <class Run>
  void run_marked(Run run) {
    for (std::size_t i = 0; i < marked_.size(); ++i) {
      Group& group = *marked_[i];
      run(group);
      group.marked = false;
      if (group.unused()) forget(group);
    }
    marked_.clear();
  }

  // --- waiting for capacity; `generation` as of Directory::capacity_generation()
  // Nobody can start a room for the group now.
  void sleep(Group& group, std::uint64_t generation);
  [[nodiscard]] bool anybody_sleeps() const { return !sleeping_.empty(); }
  // Marks all that sleep if something has changed since the last call.
  void wake(std::uint64_t generation);

  // --- holding
  void begin_hold(const Group& group) { holding_.insert(group.key); }
  void end_hold(const Group& group) { holding_.erase(group.key); }
  [[nodiscard]] std::vector<Group*> holding();  // in the order of their keys

 private:
  void forget(const Group& group);

  HoldOptions options_;
  std::unordered_map<GroupKey, Group> groups_;
  std::vector<Group*> marked_;
  Schedule<GroupKey> timers_;  // of groups that are forgotten, too
  std::set<GroupKey> sleeping_;
  std::uint64_t woken_at_ = 0;
  std::set<GroupKey> holding_;
};

}  // namespace fixkeep::master
