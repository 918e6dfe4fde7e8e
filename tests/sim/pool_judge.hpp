// The judge of pools: what is said of decisions in master/rules/plan/planner.hpp, by what the
// workers know, without a line in common with the planner.
//
//   J1  a room starts, and takes newcomers, within the limits by the longest time that they can
//       have waited.
//   J2  no claim of a new room could have joined another one that its holder's fence has shown.
//   J3  no two rooms of one decision could have been one.
//   J4  nobody gets a seat in two rooms of a pool.
//
// J2 and J4 are promised among workers that are reached, so they are judged where nothing happens
// to workers and their links. A claim may be younger to a holder than it is, if that was held up or
// has heard of it late: where anything fails J2 and J3 are judged by the narrowest limits. J5 is
// that of the simulation: everybody has a seat within a bound; and with teams, nobody is left who
// could play. Sources: pool_judge.cpp (what is seen, J1, J4), pool_fits.cpp (who could have played
// where). Times are counted with what clocks may differ by, so that only what is surely wrong is a
// violation. Assumes: rules of one number, of teams, roles and avoided players. Thread rule: one
// owner. Errors: Violation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "master/rules/plan/ticket.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/support/plan_fits.hpp"

namespace fixkeep::sim {

class PoolJudge {
 public:
  static constexpr Duration clocks_differ{100'000};

  // All outlive the object.
  PoolJudge(const Options& options, Scheduler& scheduler, Cluster*& cluster)
      : options_(options), scheduler_(scheduler), cluster_(cluster) {}

  void master_takes(const MasterNode& master, const master::Event& event);
  void master_stepped(const MasterNode& master, const master::Actions& actions);
  // Something about its rooms has changed.
  void worker_stepped(const WorkerNode& worker);
  void worker_crashed(const WorkerNode& worker) { rooms_.erase(worker.node); }
  // Returns those of these waiting players that could have a seat by the widest limits.
  [[nodiscard]] std::set<std::string> could_play(
      const std::vector<std::pair<GroupKey, wire::Claim>>& claims) const;

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
  // A team of a room, as its players have said.
  struct Team {
    std::uint32_t players = 0;
    std::int64_t sum = 0;
    std::vector<std::uint8_t> roles{};
  };
  struct Span {
    std::int64_t low = 0;
    std::int64_t high = 0;
    [[nodiscard]] std::int64_t width() const { return high - low; }
  };
  struct RoomTruth {
    std::set<PlayerId> players;
    std::vector<PlayerId> listed;  // the same, as they were shown
    std::int64_t gap = 0;          // between the sums of its teams
    SimTime born{};
    SimTime freed{};                   // when it last opened, or a seat came free
    std::map<PlayerId, SimTime> left;  // when each seat came free
    RoomStage stage{};
  };

  static std::string name_of(const WorkerNode& worker, const wire::RoomInfo& room);
  void ended(const MasterNode& master, TicketId ticket);
  [[nodiscard]] Ages ages_of(const PlayerId& player) const;
  [[nodiscard]] std::int64_t widest(const Ages& ages) const;
  [[nodiscard]] std::int64_t number_of(std::string_view brought) const;
  [[nodiscard]] std::optional<Span> span_of(const wire::RoomInfo& room,
                                            const std::set<PlayerId>* only) const;
  void judge_start(const WorkerNode& worker, const wire::RoomInfo& room) const;
  void judge_newcomers(const WorkerNode& worker, const wire::RoomInfo& room,
                       const RoomTruth& before) const;
  [[nodiscard]] std::vector<Team> teams_of(const wire::RoomInfo& room) const;
  // Between the sums of those that have the most and the least; 0 if none are compared.
  [[nodiscard]] std::int64_t gap_of(const std::vector<Team>& teams) const;
  void judge_parties(const WorkerNode& worker, const wire::RoomInfo& room) const;
  // All of a team find roles, and no newcomer meets whom one of the two avoids.
  void judge_company(const WorkerNode& worker, const wire::RoomInfo& room,
                     const std::set<PlayerId>& newcomers) const;
  // A claim as young as it can have been then to a holder to whom claims are on the way for so
  // long; nothing, if nobody waits for the player any more.
  [[nodiscard]] std::optional<master::plan::Ticket> youngest(const std::vector<PlayerId>& players,
                                                             std::int64_t number, SimTime at,
                                                             Duration on_the_way) const;
  void note_gather(const MasterNode& master, const master::SendToPeer& told);
  // Since the holder gathered claims.
  [[nodiscard]] Duration on_the_way(const GroupKey& pool, MasterId holder) const;
  // The claim by which the player got its seat; nothing, if that cannot be told.
  [[nodiscard]] std::optional<std::vector<PlayerId>> claim_of(const PlayerId& player) const;
  [[nodiscard]] test::LiveRoom as_live(const wire::RoomInfo& room) const;
  [[nodiscard]] std::map<PlayerId, std::size_t> all_seated() const;  // in how many rooms
  [[nodiscard]] bool reaches_all() const {
    const Faults& faults = options_.faults;
    const bool sleeps = faults.scripted_naps || faults.longest_nap().count() > 0;
    const bool waits = options_.out_of_sight.count() > 0;  // for workers when it wakes
    return !faults.in_workers() && !faults.copies() && (waits || !sleeps);
  }
  void judge_need(const WorkerNode& worker, const wire::RoomInfo& room) const;
  void judge_one_seat(const WorkerNode& worker, const wire::RoomInfo& room,
                      const PlayerId& player) const;
  void judge_tight(const std::vector<const wire::SpawnRoom*>& orders) const;

  const Options& options_;
  Scheduler& scheduler_;
  Cluster*& cluster_;
  std::map<std::pair<Incarnation, TicketId>, Wait> waits_;
  std::map<NodeIndex, std::map<RoomNumber, RoomTruth>> rooms_;
  struct Fenced {
    SimTime at{};
    Duration on_the_way{};
  };
  std::map<Decision, Fenced> fenced_;
  std::map<std::pair<GroupKey, MasterId>, SimTime> gathered_at_;  // the latest time
  // Rooms that exist and that a decision has asked for seats.
  std::set<std::pair<FencingToken, std::pair<WorkerId, RoomNumber>>> asked_;
};

}  // namespace fixkeep::sim
