// What must hold at every moment of a run, checked as it happens.
//
// No duplicate, precisely: when a worker makes a room for an order, no other room of the group has
// had enough free seats for the smallest claim of the order at every moment
//   - since the later of its own birth and `news_delay` before the orderer was granted the lock,
//   - on a worker that is awake and to which the orderer has had an unbroken, prompt link all
//   along.
// Rooms that the same grant ordered do not count: together they hold exactly what their claims
// need. `news_delay` is how long a worker's news may be under way; the room's own birth needs no
// news, for the lock's value and the fence carry it. A room born after the grant counts only where
// all masters reach all workers, for nothing else can void the later order.
//
// The others: no overbooking; one seat a player in a room; one holder of a lock wherever the lock
// promises it (Options::exclusive), and no order without holding; no room by an order that builds
// on an older fence than its worker has promised; promises and, without faults, tokens only grow.
// Thread rule: one owner. Errors: Violation.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

struct GroupStatistics {
  std::uint32_t rooms = 0;
  std::uint64_t grants = 0;
  std::map<MasterId, std::uint64_t> grants_of;
  std::uint64_t longest_overtaking = 0;  // grants to others while one master waited
};

class Invariants {
 public:
  Invariants(const Options& options, Scheduler& scheduler, Cluster*& cluster)
      : options_(options), scheduler_(scheduler), cluster_(cluster) {}

  void master_stepped(MasterNode& master, const master::Actions& actions);
  void worker_stepped(WorkerNode& worker, const worker::Actions& actions);
  void master_crashed(MasterNode& master);
  void worker_crashed(WorkerNode& worker);

  [[nodiscard]] const std::map<GroupKey, GroupStatistics>& groups() const { return groups_; }
  [[nodiscard]] bool holds(MasterId master, const GroupKey& group) const;
  [[nodiscard]] std::uint64_t orders_sent() const { return orders_sent_; }

 private:
  struct RoomTruth {
    GroupKey group;
    CreationId creation;
    SimTime born{};
    bool takes_players = true;
    std::vector<std::pair<SimTime, std::uint32_t>> free;  // from when on, how many seats
  };
  struct Hold {
    bool holding = false;
    bool waiting = false;
    FencingToken token;
    Duration identity{};  // when it began on the master's own clock
    SimTime since{};
    std::uint64_t overtaken = 0;
  };
  struct Order {
    SimTime granted_at{};
    FencingToken basis;  // the newest fence that the order builds on
    std::uint32_t smallest_claim = 1;
  };

  void watch_locks(MasterNode& master);
  void granted(MasterId master, const GroupKey& group, Hold& hold);
  void check_rooms(WorkerNode& worker);
  void check_new_room(WorkerNode& worker, const worker::StartProcess& start);
  [[nodiscard]] bool had_room(WorkerNode& at, const RoomTruth& room, const MasterNode& orderer,
                              const Order& order) const;
  [[nodiscard]] Duration news_delay() const;

  const Options& options_;
  Scheduler& scheduler_;
  Cluster*& cluster_;
  std::map<std::pair<GroupKey, MasterId>, Hold> holds_;
  std::map<std::pair<GroupKey, CreationId>, Order> orders_;
  std::map<WorkerId, std::map<RoomNumber, RoomTruth>> rooms_;
  std::map<std::pair<WorkerId, GroupKey>, FencingToken> promised_;
  std::map<GroupKey, std::pair<FencingToken, SimTime>> newest_token_;  // and when it was granted
  std::map<GroupKey, GroupStatistics> groups_;
  std::uint64_t orders_sent_ = 0;
};

}  // namespace fixkeep::sim
