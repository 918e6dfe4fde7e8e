// A RoundView shows one round of a race at one cluster: the rooms and the cost of collisions, from
// the cluster's events.
//
// Events arrive in sweeps over the nodes. An event from a late node may be older than other nodes'
// events from an earlier sweep. Rooms are shown immediately. But collisions are searched only up to
// a time for which all events are known, because find_collisions() needs complete events. Each
// search covers the whole round, whose events are bounded. The round's events are dropped when the
// next round begins. Groups have different numbers in each round, so events from another round are
// dropped.
//
// Invariants: 1. a room's number does not change. Numbers follow the order of sweeps and, within a
//                sweep, of times.
//             2. a room never returns to an earlier stage.
// Thread rule: one owner. Bounds: `most_events`. Later events are not counted, and complete() is
// then false.
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
  std::size_t lane = 0;      // number of the group in the round, from 0
  std::uint16_t master = 0;  // master that ordered the room
  std::string worker;        // worker that runs the room or has the order
  std::string name;          // the room's id; empty until the worker's report
  RoomStage stage = RoomStage::ordered;
  std::uint32_t capacity = 0;
  std::uint32_t taken = 0;  // reserved or occupied seats
  std::uint32_t occupied = 0;
  bool refused = false;              // the worker refused the order
  bool collided = false;             // the room was ordered although there were free seats
  std::optional<std::size_t> other;  // number of the room with these free seats
  // For a pool: the least and the greatest value of its players. A player's value is the player's
  // number that the first distance rule compares.
  std::optional<std::pair<std::int64_t, std::int64_t>> numbers{};
};

// The cost of a round's collisions.
struct CollisionCost {
  std::uint64_t collisions = 0;
  double wasted_room_seconds = 0;
  double wasted_seat_seconds = 0;
};

class RoundView {
 public:
  static constexpr std::size_t most_events = 50'000;

  // A round with the groups first_group, first_group + 1, …
  RoundView(std::size_t first_group, std::size_t groups)
      : first_group_(first_group), groups_(groups) {}

  void add(std::vector<events::Event> sweep);
  // REQUIRES: all events up to `until` were added; `until` never decreases. If events were lost
  // with a killed master, the caller passes `complete` = false. Then no collision is searched.
  void judge(events::EventTime until, bool complete = true);
  // Ends the holds of a master that was killed: this master sends no event about their end.
  void killed(const std::string& master, events::EventTime at);

  [[nodiscard]] std::size_t groups() const { return groups_; }
  [[nodiscard]] const std::vector<RacedRoom>& rooms() const { return rooms_; }
  [[nodiscard]] std::uint64_t rooms_made() const;      // orders that were not refused
  [[nodiscard]] std::uint64_t orders_refused() const;  // orders refused and not accepted later
  [[nodiscard]] bool all_closed() const;
  [[nodiscard]] const CollisionCost& cost() const { return cost_; }
  // Grants of a group's lock while another master held it, up to the last judge().
  [[nodiscard]] std::uint64_t two_holders() const { return two_holders_; }
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  using Key = std::pair<GroupKey, CreationId>;
  using Order = std::tuple<std::string, WorkerId, std::uint64_t>;  // master, worker, request

  void on(const events::Event&, const auto&) {}
  void on(const events::Event& event, const events::RoomOrdered& what);
  void on(const events::Event& event, const events::OrderAnswered& what);
  void on(const events::Event& event, const events::RoomChanged& what);
  [[nodiscard]] std::optional<std::size_t> lane_of(const GroupKey& group) const;
  [[nodiscard]] bool is_of_this_round(const events::What& what) const;
  void count_two_holders(const std::vector<events::Event>& told);
  std::size_t number_of(const GroupKey& group, const CreationId& creation);

  std::size_t first_group_;
  std::size_t groups_;
  std::vector<events::Event> events_;
  std::vector<RacedRoom> rooms_;
  std::map<Key, std::size_t> numbers_;
  std::map<Order, std::size_t> orders_;
  CollisionCost cost_;
  std::uint64_t two_holders_ = 0;
  bool complete_ = true;
};

}  // namespace fixkeep::client_sim
