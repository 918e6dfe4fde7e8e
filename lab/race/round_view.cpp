#include "lab/race/round_view.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "client-sim/judge/collisions.hpp"

namespace fixkeep::client_sim {

namespace {

using events::Event;
using events::EventTime;

// Returns the group of an event. Null: the event has no group and may belong to any round.
const GroupKey* group_of(const events::What& what) {
  return std::visit(
      [](const auto& each) -> const GroupKey* {
        if constexpr (requires { each.group; }) {
          return &each.group;
        } else {
          return nullptr;
        }
      },
      what);
}

// Reads the 17 in "duel/region=g17" or "duel/region=g17/version=1".
std::optional<std::size_t> group_number(const std::string& key) {
  constexpr std::string_view before = "/region=g";
  const auto at = key.find(before);
  if (at == std::string::npos) return {};
  const auto digits = at + before.size();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(key.data() + digits, key.data() + key.size(), number);
  if (error != std::errc{}) return {};
  return number;
}

RoomStage stage_of(wire::RoomPhase phase) {
  switch (phase) {
    case wire::RoomPhase::starting: return RoomStage::booting;
    case wire::RoomPhase::open:
    case wire::RoomPhase::draining: return RoomStage::open;
    case wire::RoomPhase::closed: return RoomStage::closed;
  }
  return RoomStage::closed;
}

// Returns the groups whose lock the master held after the last event in `all`.
std::set<GroupKey> held_by(const std::vector<Event>& all, const std::string& master) {
  std::set<GroupKey> held;
  for (const Event& event : all) {
    if (event.node != master) continue;
    if (const auto* granted = std::get_if<events::LockGranted>(&event.what)) {
      held.insert(granted->group);
    } else if (const auto* left = std::get_if<events::LockLeft>(&event.what)) {
      held.erase(left->group);
    }
  }
  return held;
}

}  // namespace

std::string_view to_string(RoomStage stage) {
  switch (stage) {
    case RoomStage::ordered: return "ordered";
    case RoomStage::booting: return "booting";
    case RoomStage::open: return "open";
    case RoomStage::closed: return "closed";
  }
  return "?";
}

std::optional<std::size_t> RoundView::lane_of(const GroupKey& group) const {
  const auto number = group_number(group.text());
  if (!number || *number < first_group_ || *number - first_group_ >= groups_) return {};
  return *number - first_group_;
}

bool RoundView::is_of_this_round(const events::What& what) const {
  const auto* group = group_of(what);
  return group == nullptr || lane_of(*group).has_value();
}

void RoundView::add(std::vector<Event> sweep) {
  std::stable_sort(sweep.begin(), sweep.end(),
                   [](const Event& a, const Event& b) { return a.at < b.at; });
  for (auto& event : sweep) {
    if (!is_of_this_round(event.what)) continue;
    std::visit([&](const auto& what) { on(event, what); }, event.what);
    complete_ = complete_ && events_.size() < most_events;
    if (complete_) events_.push_back(std::move(event));
  }
}

std::size_t RoundView::number_of(const GroupKey& group, const CreationId& creation) {
  const auto [at, fresh] = numbers_.try_emplace({group, creation}, rooms_.size());
  if (fresh) {
    rooms_.push_back({.lane = *lane_of(group), .master = creation.token.master.number()});
  }
  return at->second;
}

void RoundView::on(const Event& event, const events::RoomOrdered& what) {
  const auto number = number_of(what.group, what.creation);
  orders_[{event.node, what.worker, what.request}] = number;
  auto& room = rooms_[number];
  if (room.stage != RoomStage::ordered) return;  // the worker's event arrived first
  room.refused = false;                          // the order was repeated
  room.worker = what.worker.text();
  room.capacity = what.capacity;
}

void RoundView::on(const Event& event, const events::OrderAnswered& what) {
  const auto order = orders_.extract({event.node, what.worker, what.request});
  if (order.empty() || what.accepted) return;
  rooms_[order.mapped()].refused = true;
}

void RoundView::on(const Event& /*event*/, const events::RoomChanged& what) {
  auto& room = rooms_[number_of(what.group, what.creation)];
  room.worker = what.room.worker.text();
  room.name = to_string(what.room);
  room.refused = false;
  room.stage = std::max(room.stage, stage_of(what.phase));
  room.capacity = what.capacity;
  room.taken = what.taken;
  room.occupied = what.occupied;
}

void RoundView::killed(const std::string& master, EventTime at) {
  for (const GroupKey& group : held_by(events_, master)) {
    events_.push_back({master, at, events::LockLeft{group}});
  }
}

void RoundView::count_two_holders(const std::vector<Event>& told) {
  std::map<GroupKey, std::set<std::string>> holders;
  two_holders_ = 0;
  for (const Event& event : told) {
    if (const auto* granted = std::get_if<events::LockGranted>(&event.what)) {
      auto& masters = holders[granted->group];
      masters.insert(event.node);
      if (masters.size() > 1) ++two_holders_;
    } else if (const auto* left = std::get_if<events::LockLeft>(&event.what)) {
      holders[left->group].erase(event.node);
    }
  }
}

void RoundView::judge(EventTime until, bool complete) {
  std::vector<Event> told;
  std::copy_if(events_.begin(), events_.end(), std::back_inserter(told),
               [until](const Event& event) { return event.at <= until; });
  std::ranges::stable_sort(told, {}, &Event::at);
  count_two_holders(told);
  if (!complete) return;
  // find_collisions() counts up to the time of the last event. Therefore this function appends an
  // event without an effect at `until`.
  told.push_back({.node = {}, .at = until, .what = events::LockLeft{}});
  const auto bill = find_collisions(std::move(told));
  cost_ = {.collisions = bill.collisions.size(),
           .wasted_room_seconds = bill.wasted_room_seconds,
           .wasted_seat_seconds = bill.wasted_seat_seconds};
  for (const auto& collision : bill.collisions) {
    const auto room = numbers_.find({collision.group, collision.order});
    if (room == numbers_.end()) continue;
    rooms_[room->second].collided = true;
    const auto other = numbers_.find({collision.group, collision.other});
    if (other != numbers_.end()) rooms_[room->second].other = other->second;
  }
}

std::uint64_t RoundView::rooms_made() const {
  return static_cast<std::uint64_t>(std::count_if(
      rooms_.begin(), rooms_.end(), [](const RacedRoom& room) { return !room.refused; }));
}

std::uint64_t RoundView::orders_refused() const {
  return rooms_.size() - rooms_made();
}

bool RoundView::all_closed() const {
  return std::all_of(rooms_.begin(), rooms_.end(), [](const RacedRoom& room) {
    return room.refused || room.stage == RoomStage::closed;
  });
}

}  // namespace fixkeep::client_sim
