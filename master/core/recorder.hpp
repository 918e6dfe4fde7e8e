// Notes a master's acts as events on request (MasterOptions::record_events).
//
// It only listens: a core acts the same with it and without.
// Thread rule: one owner. Bounds: the acts of one step. Its owner takes the notes after each batch.
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
  // Both outlive the object.
  Recorder(GroupTable& groups, const SeatNeed& need, bool wanted)
      : groups_(groups), need_(need), wanted_(wanted) {}

  void happened(const Event& event);  // before it is stepped
  // The event has been stepped: these actions came of it.
  void done(const Actions& actions, std::size_t from);
  void note(const LockOrder& order);  // carried out between the two
  void lost(const GroupKey& group);

  void listen(bool wanted) {
    wanted_ = wanted;
    if (!wanted) noted_.clear();
  }
  [[nodiscard]] events::Happenings take() { return std::exchange(noted_, {}); }
  // SeatNeed::kept_back() of the group, if there is one.
  [[nodiscard]] events::KeptBack kept_back(const GroupKey& group) const;

 private:
  GroupTable& groups_;
  const SeatNeed& need_;
  bool wanted_;
  events::Happenings noted_;
};

}  // namespace fixkeep::master
