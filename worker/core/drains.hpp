// Drains stores the requests of operators: the worker is to take no new rooms (of one mode or of
// all modes), or is to end.
//
// Invariants: 1. A worker that must end is never resumed.
//             2. has_ended() returns true at most once.
// Thread rule: one owner. Bounds: one entry for each mode. Errors: none.
#pragma once

#include <set>
#include <utility>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

class Drains {
 public:
  // --- requests
  void drain_all(bool then_end) {
    all_ = changed_ = true;
    ends_when_empty_ = ends_when_empty_ || then_end;
  }
  void resume_all() {
    if (!ends_when_empty_ && std::exchange(all_, false)) changed_ = true;
  }
  void drain(const ModeName& mode) {
    modes_.insert(mode);
    changed_ = true;
  }
  void resume(const ModeName& mode) {
    if (modes_.erase(mode) > 0) changed_ = true;
  }
  // Returns false if the end was already requested.
  [[nodiscard]] bool end() { return !std::exchange(ends_, true); }
  // Forgets modes that the worker no longer runs.
  void keep(auto runs) {
    std::erase_if(modes_, [&](const ModeName& mode) { return !runs(mode); });
    changed_ = true;
  }

  // --- state
  [[nodiscard]] bool all() const { return all_; }
  [[nodiscard]] bool drains(const ModeName& mode) const { return all_ || modes_.contains(mode); }
  [[nodiscard]] bool takes_rooms() const { return !all_ && !ends_; }
  [[nodiscard]] bool has_ended(bool waits_for_none) {
    return waits_for_none && (ends_ || ends_when_empty_) && !std::exchange(ended_, true);
  }
  // Returns whether the set of modes that take orders may have changed since the last call.
  [[nodiscard]] bool take_changed() { return std::exchange(changed_, false); }

 private:
  std::set<ModeName> modes_;
  bool all_ = false;
  bool ends_when_empty_ = false;
  bool ends_ = false;
  bool ended_ = false;
  bool changed_ = false;
};

}  // namespace fixkeep::worker
