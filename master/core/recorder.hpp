// Records the acts of a master as events, if MasterOptions::record_events is true.
//
// The recorder only observes: a core acts in the same way with and without it.
// Thread rule: one owner. Bounds: the acts of one step. The owner takes the events after each
// batch.
#pragma once

#include <cstddef>
#include <utility>

#include "common/events/event.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/lock_orders.hpp"
#include "master/core/seats/seat_need.hpp"

namespace fixkeep::master {

class Recorder {
 public:
  // The arguments outlive the object.
  Recorder(GroupTable& groups, const SeatNeed& need, bool wanted)
      : groups_(groups), need_(need), wanted_(wanted) {}

  void happened(const Event& event);  // call before the step for the event
  // Call after a step. Its actions are the elements of `actions` from index `from` on.
  void done(const Actions& actions, std::size_t from);
  void note(const LockOrder& order);  // call between happened() and done()
  void lost(const GroupKey& group);

  void listen(bool wanted) {
    wanted_ = wanted;
    if (!wanted) noted_.clear();
  }
  [[nodiscard]] events::Happenings take() { return std::exchange(noted_, {}); }
  // Returns SeatNeed::kept_back() of the group if the group is in memory.
  [[nodiscard]] events::KeptBack kept_back(const GroupKey& group) const;

 private:
  GroupTable& groups_;
  const SeatNeed& need_;
  bool wanted_;
  events::Happenings noted_;
};

}  // namespace fixkeep::master
