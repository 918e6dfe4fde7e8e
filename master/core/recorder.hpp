// Notes what a master does as events, if somebody wants to know (MasterOptions::record_events).
//
// It only listens: what a core does is the same with it and without.
// Thread rule: one owner. Bounds: what one step does; its owner takes the notes after each batch.
#pragma once

#include <cstddef>
#include <utility>

#include "common/events/event.hpp"
#include "master/core/matchmaker.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/lock_orders.hpp"

namespace fixkeep::master {

class Recorder {
 public:
  explicit Recorder(bool wanted) : wanted_(wanted) {}

  void happened(const Event& event);  // before it is stepped
  // The event has been stepped: these actions came of it, and the matchmaker keeps this now.
  void done(const Actions& actions, std::size_t from, const Matchmaker& matchmaker);
  void note(const LockOrder& order);  // carried out between the two
  void lost(const GroupKey& group);

  void listen(bool wanted) {
    wanted_ = wanted;
    if (!wanted) noted_.clear();
  }
  [[nodiscard]] events::Happenings take() { return std::exchange(noted_, {}); }

 private:
  bool wanted_;
  events::Happenings noted_;
};

}  // namespace fixkeep::master
