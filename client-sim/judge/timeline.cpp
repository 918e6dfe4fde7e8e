#include "client-sim/judge/timeline.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace fixkeep::client_sim {

namespace {

using RoomKey = std::pair<GroupKey, CreationId>;  // a creation id is unique only within its group

class Chronicle {
 public:
  explicit Chronicle(const RunSpan& span) : span_(span) {
    told_.curve.push_back({.x = 0, .y = 0});
    told_.end_ms = span.end_ms;
  }

  void add(const events::Event& event) {
    const auto at_ms = ms_after(span_.began, event.at);
    if (at_ms > span_.end_ms) return;
    if (const auto* order = std::get_if<events::RoomOrdered>(&event.what)) {
      orders_.emplace(RoomKey{order->group, order->creation}, Order{event.node, at_ms});
    }
    if (const auto* change = std::get_if<events::RoomChanged>(&event.what)) changed(*change, at_ms);
  }

  Timeline take(const CollisionBill& bill) {
    for (const auto& collision : bill.collisions) {
      const auto found = places_.find({collision.group, collision.order});
      if (found == places_.end()) continue;
      told_.rooms[found->second].collided = true;
      told_.rooms[found->second].other = collision.other;
    }
    std::stable_sort(told_.rooms.begin(), told_.rooms.end(),
                     [](const RoomLife& one, const RoomLife& other) {
                       return std::min(one.ordered_ms, one.starting_ms) <
                              std::min(other.ordered_ms, other.starting_ms);
                     });
    return std::move(told_);
  }

 private:
  struct Order {
    std::string master;
    double at_ms = 0;
  };

  void changed(const events::RoomChanged& change, double at_ms) {
    const auto [place, fresh] =
        places_.try_emplace({change.group, change.creation}, told_.rooms.size());
    if (fresh) told_.rooms.push_back(new_room(change, at_ms));
    RoomLife& room = told_.rooms[place->second];
    const bool lived = !fresh && room.closed_ms == never;
    const bool lives = change.phase != wire::RoomPhase::closed;
    if (change.phase == wire::RoomPhase::open) room.open_ms = std::min(room.open_ms, at_ms);
    if (!lives) room.closed_ms = std::min(room.closed_ms, at_ms);
    if (lived != lives) {
      rooms_ += lives ? 1 : -1;
      note_count(at_ms);
    }
  }

  [[nodiscard]] RoomLife new_room(const events::RoomChanged& change, double at_ms) const {
    RoomLife room;
    room.group = change.group;
    room.creation = change.creation;
    room.worker = change.room.worker;
    room.starting_ms = at_ms;
    const auto order = orders_.find({change.group, change.creation});
    if (order != orders_.end()) {
      room.master = order->second.master;
      room.ordered_ms = order->second.at_ms;
    }
    return room;
  }

  // The time of a room from before the run is below 0. Such a room counts from 0, the start of the
  // run.
  void note_count(double at_ms) {
    const double x = std::max(at_ms, 0.0);
    if (told_.curve.back().x < x) told_.curve.push_back({.x = x, .y = 0});
    told_.curve.back().y = rooms_;
  }

  const RunSpan& span_;
  Timeline told_;
  std::map<RoomKey, Order> orders_;
  std::map<RoomKey, std::size_t> places_;  // index in told_.rooms
  int rooms_ = 0;
};

}  // namespace

double ms_after(events::EventTime began, events::EventTime at) {
  return std::chrono::duration<double, std::milli>(at - began).count();
}

Timeline tell_timeline(const std::vector<events::Event>& seen, const CollisionBill& bill,
                       const RunSpan& span) {
  Chronicle chronicle{span};
  for (const auto& event : seen) chronicle.add(event);
  return chronicle.take(bill);
}

}  // namespace fixkeep::client_sim
