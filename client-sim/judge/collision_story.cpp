#include "client-sim/judge/collision_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "client-sim/judge/timeline.hpp"

namespace fixkeep::client_sim {

namespace {

using events::Event;
using events::EventTime;

// A request from a master to a worker: master, worker, number of the request.
using Question = std::tuple<std::string, WorkerId, std::uint64_t>;

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// One of the two rooms. Members without a reported event stay empty.
struct Side {
  CreationId creation;
  char name = 'A';
  std::string master;  // empty: no event of the order was recorded
  WorkerId worker;
  std::optional<EventTime> ordered;
  std::optional<EventTime> wanted;   // the master's last lock request before the order
  std::optional<EventTime> decided;  // when the room opened, or its order was refused
  std::optional<RoomNumber> room;
  std::optional<wire::RoomPhase> phase;
  std::uint32_t taken = 0;
};

class Teller {
 public:
  Teller(const std::vector<Event>& seen, const Collision& collision, EventTime began)
      : seen_(seen), collision_(collision), began_(began) {
    sides_[0] = {.creation = collision.other, .name = 'A'};
    sides_[1] = {.creation = collision.order, .name = 'B'};
    for (const auto& event : seen_) look(event);
  }

  CollisionStory tell() {
    story_.group = collision_.group.text();
    add_node(sides_[0].master);
    for (const auto& side : sides_) add_node(side.worker.text());
    add_node(sides_[1].master);
    const auto [from, until] = span();
    for (const auto& event : seen_) {
      if (event.at < from || event.at > until) continue;
      std::visit([&](const auto& what) { on(event, what); }, event.what);
    }
    keep_those_around_the_collision();
    return std::move(story_);
  }

 private:
  void keep_those_around_the_collision() {
    auto& steps = story_.steps;
    if (steps.size() <= most_story_steps) return;
    const auto bad =
        std::find_if(steps.begin(), steps.end(), [](const StoryStep& step) { return step.bad; });
    const auto before = static_cast<std::size_t>(bad - steps.begin());
    const auto wanted = before - std::min(before, most_story_steps / 2);
    const auto first = std::min(wanted, steps.size() - most_story_steps);
    story_.left_out = steps.size() - most_story_steps;
    steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(first));
    steps.resize(most_story_steps);
  }

  void look(const Event& event) {
    if (const auto* wanted = std::get_if<events::LockWanted>(&event.what)) {
      if (wanted->group == collision_.group) wanted_[event.node] = event.at;
    } else if (const auto* order = std::get_if<events::RoomOrdered>(&event.what)) {
      if (auto* side = side_of(order->group, order->creation); side != nullptr && !side->ordered) {
        side->master = event.node;
        side->worker = order->worker;
        side->ordered = event.at;
        if (const auto found = wanted_.find(event.node); found != wanted_.end()) {
          side->wanted = found->second;
        }
      }
    } else if (const auto* room = std::get_if<events::RoomChanged>(&event.what)) {
      if (auto* side = side_of(room->group, room->creation); side != nullptr) {
        side->worker = room->room.worker;
        side->room = room->room.number;
        if (room->phase != wire::RoomPhase::starting && !side->decided) side->decided = event.at;
      }
    }
  }

  Side* side_of(const GroupKey& group, const CreationId& creation) {
    if (group != collision_.group) return nullptr;
    const auto found = std::find_if(sides_.begin(), sides_.end(),
                                    [&](const Side& side) { return side.creation == creation; });
    return found == sides_.end() ? nullptr : &*found;
  }

  // Returns the first and the last time of the story. It starts at the earlier of the two masters'
  // lock requests and ends when both rooms have left the phase `starting`.
  [[nodiscard]] std::pair<EventTime, EventTime> span() const {
    EventTime from = collision_.at;
    EventTime until = collision_.at;
    for (const auto& side : sides_) {
      if (side.ordered) from = std::min(from, side.wanted.value_or(*side.ordered));
      if (side.decided) until = std::max(until, *side.decided);
    }
    return {from, until};
  }

  void add_node(const std::string& node) {
    if (node.empty() || is_node(node)) return;
    story_.nodes.push_back(node);
  }

  [[nodiscard]] bool is_node(const std::string& node) const {
    return std::find(story_.nodes.begin(), story_.nodes.end(), node) != story_.nodes.end();
  }

  void step(const Event& event, const std::string& to, std::string text, bool bad = false) {
    story_.steps.push_back({.at_ms = ms_after(began_, event.at),
                            .from = event.node,
                            .to = to,
                            .text = std::move(text),
                            .bad = bad});
  }

  void by_itself(const Event& event, const GroupKey& group, const std::string& text) {
    if (group == collision_.group && is_node(event.node)) step(event, event.node, text);
  }

  // The receiving master reports an answer, but the arrow in the story starts at the worker.
  void answer(const Event& event, const WorkerId& worker, std::uint64_t request,
              const std::string& text) {
    if (questions_.erase({event.node, worker, request}) == 0) return;
    story_.steps.push_back({.at_ms = ms_after(began_, event.at),
                            .from = worker.text(),
                            .to = event.node,
                            .text = text});
  }

  void on(const Event&, const auto&) {}

  void on(const Event& event, const events::LockWanted& what) {
    by_itself(event, what.group, "wants the lock");
  }
  void on(const Event& event, const events::LockGranted& what) {
    by_itself(event, what.group, "has the lock");
  }
  void on(const Event& event, const events::LockLeft& what) {
    by_itself(event, what.group, "has left the lock");
  }

  void on(const Event& event, const events::FenceAsked& what) {
    if (what.group != collision_.group || !is_node(event.node)) return;
    if (!is_node(what.worker.text())) return;
    questions_.insert({event.node, what.worker, what.request});
    step(event, what.worker.text(), "asks for the fence");
  }
  void on(const Event& event, const events::FenceAnswered& what) {
    answer(event, what.worker, what.request, "fence");
  }

  void on(const Event& event, const events::SeatsAsked& what) {
    if (!is_node(event.node)) return;
    for (const auto& side : sides_) {
      if (side.worker != what.worker || side.room != what.room) continue;
      questions_.insert({event.node, what.worker, what.request});
      step(event, what.worker.text(),
           fmt::format("asks for {} in room {}", counted(what.seats, "seat"), side.name));
    }
  }
  void on(const Event& event, const events::SeatsAnswered& what) {
    answer(event, what.worker, what.request, "answer on seats");
  }

  void on(const Event& event, const events::RoomOrdered& what) {
    const auto* side = side_of(what.group, what.creation);
    if (side == nullptr) {
      by_itself(event, what.group, "orders a third room");
      return;
    }
    questions_.insert({event.node, what.worker, what.request});
    const auto seats = std::accumulate(what.claims.begin(), what.claims.end(), 0U);
    const bool bad = side->name == 'B';
    const auto more =
        bad ? fmt::format(" while A has {} free", counted(collision_.seats, "seat")) : "";
    step(event, what.worker.text(),
         fmt::format("orders room {}, {} of {} claimed{}", side->name, counted(seats, "seat"),
                     what.capacity, more),
         bad);
  }
  void on(const Event& event, const events::OrderAnswered& what) {
    answer(event, what.worker, what.request, what.accepted ? "order accepted" : "order refused");
  }

  void on(const Event& event, const events::RoomChanged& what) {
    auto* side = side_of(what.group, what.creation);
    if (side == nullptr) return;
    const bool seat_came_free = what.taken < side->taken;
    side->taken = what.taken;
    if (side->phase == what.phase) {
      if (seat_came_free) {
        step(event, event.node,
             fmt::format("a seat of room {} comes free, {} of {} taken", side->name,
                         counted(what.taken, "seat"), what.capacity));
      }
      return;
    }
    side->phase = what.phase;
    step(event, event.node,
         fmt::format("room {} is {}, {} of {} taken", side->name, name_of(what.phase),
                     counted(what.taken, "seat"), what.capacity));
  }

  static std::string_view name_of(wire::RoomPhase phase) {
    switch (phase) {
      case wire::RoomPhase::starting: return "starting";
      case wire::RoomPhase::open: return "open";
      case wire::RoomPhase::draining: return "draining";
      case wire::RoomPhase::closed: return "closed";
    }
    return "?";
  }

  const std::vector<Event>& seen_;
  const Collision& collision_;
  EventTime began_;
  std::array<Side, 2> sides_;
  std::map<std::string, EventTime> wanted_;  // last lock request of each master
  std::set<Question> questions_;             // requests in the story without an answer yet
  CollisionStory story_;
};

}  // namespace

CollisionStory tell_collision(const std::vector<Event>& seen, const Collision& collision,
                              EventTime began) {
  return Teller{seen, collision, began}.tell();
}

}  // namespace fixkeep::client_sim
