// Which orders collided, from what the simulator itself knows: the state of every room at every
// moment, every message, the moment of every grant. And beside it the events that the nodes tell
// (common/events), so that a count that was made from these can be held against the truth.
//
// An order collides as client-sim/judge/collisions.hpp says; it is worked out differently here:
// after the run, for each pair of orders, from the whole history of the rooms.
// Thread rule: one owner. Bounds: none, for short runs. Workers must not crash, nor
// copies of them, whose machines go without a word: their rooms would end without an event.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/events/event.hpp"
#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

class CollisionTruth {
 public:
  void master_takes(MasterNode& master, const master::Event& event, SimTime now);
  void master_stepped(MasterNode& master, const master::Actions& actions, SimTime now);
  void worker_stepped(WorkerNode& worker, SimTime now);

  // "g0 7.m2.0.5f3a9c0211d2e4b7": the group and the order.
  // `news` as in collisions.hpp.
  [[nodiscard]] std::set<std::string> collisions(Duration news) const;
  [[nodiscard]] std::size_t orders() const { return orders_.size(); }
  [[nodiscard]] std::vector<events::Event> take_events() { return std::move(told_); }

 private:
  using Key = std::pair<GroupKey, CreationId>;
  using Place = std::pair<WorkerId, RoomNumber>;

  struct Order {
    GroupKey group;
    CreationId creation;
    SimTime sent{};
    SimTime granted{};
    std::uint32_t capacity = 0;
    std::uint32_t carried = 0;
    std::uint32_t smallest = 0;
    std::map<Place, std::uint32_t> asked;  // seats that its master waited to hear of
    events::KeptBack kept_back;            // claims that its master had for seats elsewhere
  };
  struct RoomHistory {
    Place place;
    std::map<SimTime, std::uint32_t> free;  // at the end of each moment at which it changed
  };

  struct Grant {
    Duration identity{};  // when the hold began on the master's own clock
    SimTime since{};
    FencingToken token;  // the highest of the hold
  };

  void note_order(MasterNode& master, const wire::SpawnRoom& order, bool granted, SimTime now);
  // The seats of the room of the earlier order that the later one might have had.
  [[nodiscard]] std::uint32_t seats_for(const Order& order, const Order& earlier,
                                        Duration news) const;

  std::vector<Order> orders_;  // in the order in which they were sent
  std::map<Key, RoomHistory> rooms_;
  std::map<std::pair<MasterId, GroupKey>, Grant> grants_;
  std::map<Incarnation, std::uint64_t> grants_counted_;  // of all locks, by run of a master
  std::map<MasterId, std::map<std::pair<WorkerId, std::uint64_t>, std::pair<Place, std::uint32_t>>>
      questions_;
  std::vector<events::Event> told_;
};

}  // namespace fixkeep::sim
