// One round of a race from the events of one cluster: its rooms and the cost of collisions.
//
// Events arrive in sweeps over the nodes. A late event of one node may be older than events of
// others from an earlier sweep. Rooms are shown at once but collisions are searched only up to a
// time for which all events are known (find_collisions() needs events without gaps). The search
// repeats over one bounded round. Its events are forgotten when the next one begins. Groups have
// different numbers in each round: events of another round are dropped.
//
// Invariants: 1. rooms keep their number; it follows the order of sweeps and of times within a
//                sweep.
//             2. a room never goes back in its stages.
// Thread rule: one owner. Bounds: `most_events`; later events are not counted and complete() says
// so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/events/event.hpp"

namespace fixkeep::client_sim {

enum class RoomStage : std::uint8_t { ordered, booting, open, closed };

[[nodiscard]] std::string_view to_string(RoomStage stage);

struct RacedRoom {
  std::size_t lane = 0;      // group, counted from the first one of the round
  std::uint16_t master = 0;  // master that ordered it
  std::string worker;        // worker that runs it, or is asked to
  std::string name;          // the room's id; empty until its worker has told of it
  RoomStage stage = RoomStage::ordered;
  std::uint32_t capacity = 0;
  std::uint32_t taken = 0;  // seats that are reserved or occupied
  std::uint32_t occupied = 0;
  bool refused = false;              // refused by the worker: no room came of it
  bool collided = false;             // it was ordered although there were seats
  std::optional<std::size_t> other;  // number of the room that had the seats then
  // In a pool: the least and the greatest number of its players by the first distance.
  std::optional<std::pair<std::int64_t, std::int64_t>> numbers{};
};

// The collisions of a round have cost this.
struct CollisionCost {
  std::uint64_t collisions = 0;
  double wasted_room_seconds = 0;
  double wasted_seat_seconds = 0;
};

class RoundView {
 public:
  static constexpr std::size_t most_events = 50'000;

  // A round of the groups numbered first_group, first_group + 1, …
  RoundView(std::size_t first_group, std::size_t groups)
      : first_group_(first_group), groups_(groups) {}

  void add(std::vector<events::Event> sweep);
  // REQUIRES: all events up to `until` have been added; `until` does not decrease.
  void judge(events::EventTime until);

  [[nodiscard]] std::size_t groups() const { return groups_; }
  [[nodiscard]] const std::vector<RacedRoom>& rooms() const { return rooms_; }
  [[nodiscard]] std::uint64_t rooms_made() const;      // ordered and not refused
  [[nodiscard]] std::uint64_t orders_refused() const;  // refused orders not made good later
  [[nodiscard]] bool all_closed() const;
  [[nodiscard]] const CollisionCost& cost() const { return cost_; }
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  using Key = std::pair<GroupKey, CreationId>;
  using Order = std::tuple<std::string, WorkerId, std::uint64_t>;  // master, worker, request

  template <class Other>
  void on(const events::Event&, const Other&) {}
  void on(const events::Event& event, const events::RoomOrdered& what);
  void on(const events::Event& event, const events::OrderAnswered& what);
  void on(const events::Event& event, const events::RoomChanged& what);
  [[nodiscard]] std::optional<std::size_t> lane_of(const GroupKey& group) const;
  [[nodiscard]] bool is_of_this_round(const events::What& what) const;
  std::size_t number_of(const GroupKey& group, const CreationId& creation);

  std::size_t first_group_;
  std::size_t groups_;
  std::vector<events::Event> events_;
  std::vector<RacedRoom> rooms_;
  std::map<Key, std::size_t> numbers_;
  std::map<Order, std::size_t> orders_;
  CollisionCost cost_;
  bool complete_ = true;
};

}  // namespace fixkeep::client_sim
