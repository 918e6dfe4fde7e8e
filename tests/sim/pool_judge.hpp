// The judge of pools: what is said of decisions in master/rules/plan/planner.hpp, by what the
// workers know, without a line in common with the planner.
//
//   J1  a room starts, and takes newcomers, within the limits by the longest time that they can
//       have waited.
//   J2  no claim of a new room could have joined another one that its holder's fence has shown.
//   J3  no two rooms of one decision could have been one.
//   J4  nobody gets a seat in two rooms of a pool.
//
// J2 and J4 are promised among workers that are reached, and a claim is younger to a holder that
// was held up or hears of it late. So J2 to J4 are judged where nothing fails. J5 is that of the
// simulation: everybody has a seat within a bound. Times are counted with what clocks may differ
// by, so that only what is surely wrong is a violation. Assumes: rules of one number, without
// teams. Thread rule: one owner. Errors: Violation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

class PoolJudge {
 public:
  // All outlive the object.
  PoolJudge(const Options& options, Scheduler& scheduler, Cluster*& cluster)
      : options_(options), scheduler_(scheduler), cluster_(cluster) {}

  void master_takes(const MasterNode& master, const master::Event& event);
  void master_stepped(const MasterNode& master, const master::Actions& actions);
  void worker_stepped(const WorkerNode& worker);
  void worker_crashed(const WorkerNode& worker) { rooms_.erase(worker.node); }

 private:
  using Decision = std::pair<GroupKey, FencingToken>;
  struct Wait {  // of one request
    MasterId master;
    std::vector<PlayerId> players;
    SimTime since{};  // as long ago as can be
    SimTime read_at{};
    SimTime ended = never;  // a decision that had it already may follow
  };
  struct Ages {  // of who waits for a seat for a player
    SimTime first = never;
    SimTime last{};
  };
  struct Span {
    std::int64_t low = 0;
    std::int64_t high = 0;
    [[nodiscard]] std::int64_t width() const { return high - low; }
  };
  struct RoomTruth {
    std::set<PlayerId> players;
    SimTime born{};
    SimTime freed{};  // when a seat came free, the last time
  };

  void ended(const MasterNode& master, TicketId ticket);
  [[nodiscard]] Ages ages_of(const PlayerId& player) const;
  [[nodiscard]] std::int64_t widest(const Ages& ages) const;
  [[nodiscard]] std::int64_t narrowest(const Ages& ages, SimTime at) const;
  [[nodiscard]] std::int64_t number_of(std::string_view brought) const;
  [[nodiscard]] std::optional<Span> span_of(const wire::RoomInfo& room,
                                            const std::set<PlayerId>* only) const;
  void judge_start(const WorkerNode& worker, const wire::RoomInfo& room) const;
  void judge_newcomers(const WorkerNode& worker, const wire::RoomInfo& room,
                       const std::set<PlayerId>& before) const;
  void judge_need(const WorkerNode& worker, const wire::RoomInfo& room) const;
  void judge_one_seat(const WorkerNode& worker, const wire::RoomInfo& room,
                      const PlayerId& player) const;
  void judge_tight(const std::vector<const wire::SpawnRoom*>& orders) const;

  const Options& options_;
  Scheduler& scheduler_;
  Cluster*& cluster_;
  std::map<std::pair<Incarnation, TicketId>, Wait> waits_;
  std::map<NodeIndex, std::map<RoomNumber, RoomTruth>> rooms_;
  std::map<Decision, SimTime> fenced_at_;
  // Rooms that exist and that a decision has asked for seats.
  std::set<std::pair<FencingToken, std::pair<WorkerId, RoomNumber>>> asked_;
};

}  // namespace fixkeep::sim
