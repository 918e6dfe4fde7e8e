// What must hold at every moment of a run, checked as it happens.
//
// No duplicate, precisely: when a worker makes a room for an order, no other room of the group has
// had enough free seats for the smallest claim of the order at every moment
//   - since the later of its own birth and `news_delay` before the orderer was granted the lock,
//   - on a worker that is awake, with an unbroken, prompt link to the orderer the whole time, and
//     that the orderer has not left out (master/core/workers/quarantine.hpp): where the mesh is
//     split a worker may have to refuse the promises of one holder for another.
// These do not count:
//   - Rooms of the same grant. Together they hold exactly what their claims need.
//   - Free seats that the orderer kept for other claims. It had these claims when it ordered. This
//     grant had ordered nothing for them; a refused order is none. The orderer knew no seat of
//     theirs. If it gave a seat back, it does not know that another master kept the seat.
//   - On busy machines: free seats for claims that were given up, if a worker may still be asked.
//   - An order for a player who waits at two masters, if the other master has ordered too. The
//     lock's value names the seats of ordered rooms, but not the players.
//   - Some seats more than a kept party needs: the party may make the room useless for others.
//
// `news_delay` is the longest time of a worker's news on the way and at a late master. The birth of
// a room needs no news, because the lock's value and the fence carry it. A room that was born after
// the grant counts, too: the fence of its order has reached the worker of the new room, which then
// refuses the later order. This room does not count if the link between its orderer and that worker
// was cut since the grant.
//
// The others: no overbooking; no more processes than a worker's room limit; a room that starts for
// nobody ends within Options::unclaimed_bound; one seat a player in a room; one holder of a lock
// wherever the lock promises it (Options::exclusive), and no order without holding (a hold may
// begin and end within one step); no room by an order that builds on an older fence than its worker
// has promised; promises only grow. A warm room that is given to a group counts as made by the
// order that it is given to. Tokens: token_judge.hpp; pools: warm_judge.hpp. Thread rule: one
// owner. Errors: Violation.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/clients.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/token_judge.hpp"
#include "tests/sim/warm_judge.hpp"

namespace fixkeep::sim {

struct GroupStatistics {
  std::uint32_t rooms = 0;
  std::uint64_t grants = 0;
  std::map<MasterId, std::uint64_t> grants_of;
  std::uint64_t longest_overtaking = 0;  // grants to others while one master waited
};

class Invariants {
 public:
  // All outlive the object.
  Invariants(const Options& options, Scheduler& scheduler, Cluster*& cluster,
             const Clients& clients)
      : options_(options),
        scheduler_(scheduler),
        cluster_(cluster),
        clients_(clients),
        tokens_(options),
        warm_(options, scheduler, cluster) {}

  void master_stepped(MasterNode& master, const master::Actions& actions);
  void time_passed();  // what is due without an event
  // Whether anything about its rooms has changed.
  bool worker_stepped(WorkerNode& worker, const worker::Actions& actions);
  void master_crashed(MasterNode& master);
  void worker_crashed(WorkerNode& worker);
  void worker_killed(WorkerNode& worker);  // its rooms are not ended for a time without it

  [[nodiscard]] const std::map<GroupKey, GroupStatistics>& groups() const { return groups_; }
  [[nodiscard]] bool holds(MasterId master, const GroupKey& group) const;
  [[nodiscard]] std::uint64_t orders_sent() const { return orders_sent_; }
  [[nodiscard]] const WarmJudge& warm() const { return warm_; }

 private:
  struct RoomTruth {
    GroupKey group;
    CreationId creation;
    SimTime born{};
    bool takes_players = true;
    bool starting = true;
    SimTime unclaimed_since = never;  // starting, and nobody has a seat in it
    // Workers that the fence of its orderer must have reached: their links were sound from the
    // grant to the birth.
    std::set<NodeIndex> fenced;
    // The number of those that it did not have before.
    std::size_t note_players(const std::vector<PlayerId>& sorted, SimTime now);

    // Masters hear of the seats that a worker gives in a turn before they hear of those that came
    // free in it.
    void note_free(std::uint32_t now_free, std::size_t newcomers, SimTime now);

    std::map<PlayerId, SimTime> players;                  // since when they have a seat
    std::vector<std::pair<SimTime, std::uint32_t>> free;  // from when on, how many seats
    SimTime turn{};                                       // the last one in which seats changed
    std::uint32_t free_before = 0;                        // that turn
    std::uint32_t taken_in_turn = 0;
  };
  // A room that was made for a group of players, or a warm one that the group was given.
  struct NewRoom {
    RoomNumber room;
    GroupKey group;
    CreationId creation;
    [[nodiscard]] std::string name(const WorkerNode& worker) const;
  };
  struct Hold {
    bool holding = false;
    bool held = false;  // before or after the present step, or for a part of it
    bool waiting = false;
    FencingToken token;    // of the grant
    FencingToken highest;  // of all grants and orders
    Duration identity{};   // when it began on the master's own clock
    SimTime since{};
    std::pair<Duration, SimTime> ended;  // identity and begin of the hold before
    std::uint64_t overtaken = 0;
    std::map<PlayerId, CreationId> ordered;  // those of its orders that were not refused
  };
  struct Order {
    std::uint64_t number = 0;  // grows with the time of sending
    SimTime granted_at{};
    FencingToken basis;  // the newest fence that the order builds on
    std::uint32_t smallest_claim = 1;
    std::uint64_t kept_back = 0;  // seats that the orderer's other claims may take
    bool of_two = false;          // another master has ordered for one of its players as well
    bool no_backfill = false;     // for one of its claims, running rooms are no rooms
    std::set<WorkerId> apart;     // that the orderer has left out
  };

  static constexpr std::size_t locks_looked_at = 64;

  void note_given_back(const MasterNode& master, const master::SendToWorker& sent);
  void watch_locks(MasterNode& master);
  void begin(const MasterNode& master, const GroupKey& group, Hold& hold, FencingToken token,
             Duration identity);
  void note_orders(const MasterNode& master, const std::vector<const wire::SpawnRoom*>& orders);
  void note_brief_hold(const MasterNode& master, const wire::SpawnRoom& order);
  void check_later_order(const WorkerNode& worker, const NewRoom& start, const Order& later,
                         const std::string& name) const;
  void granted(const MasterNode& master, const GroupKey& group, Hold& hold);
  void check_rooms(const WorkerNode& worker, const std::vector<wire::RoomInfo>& rooms);
  void check_new_room(WorkerNode& worker, const NewRoom& start);
  void check_new_warm_room(const WorkerNode& worker, const worker::StartProcess& start);
  void check_room_limit(const WorkerNode& worker) const;
  // The order that a worker has carried out; it was sent, and builds on no older fence than it may.
  [[nodiscard]] const Order& order_of(const WorkerNode& worker, const NewRoom& made) const;
  [[nodiscard]] std::set<NodeIndex> fenced_by(const GroupKey& group, const CreationId& creation);
  [[nodiscard]] std::uint64_t kept_back(const MasterNode& master, const wire::SpawnRoom& order,
                                        const Hold& hold, std::uint32_t smallest) const;
  // The free seats of the room that the orderer had to know of; 0 if it may not have known.
  [[nodiscard]] std::uint32_t had_free(const WorkerNode& maker, WorkerNode& at,
                                       const RoomTruth& room, const MasterNode& orderer,
                                       const Order& order) const;
  [[nodiscard]] Duration news_delay() const;

  const Options& options_;
  Scheduler& scheduler_;
  Cluster*& cluster_;
  const Clients& clients_;
  TokenJudge tokens_;
  WarmJudge warm_;
  std::map<std::pair<GroupKey, MasterId>, Hold> holds_;
  std::map<std::pair<GroupKey, CreationId>, Order> orders_;
  std::map<std::pair<GroupKey, PlayerId>, std::set<MasterId>> ordered_for_;
  std::map<std::pair<MasterId, PlayerId>, SimTime> given_back_;  // a seat, the last time
  std::map<NodeIndex, std::map<RoomNumber, RoomTruth>> rooms_;   // of workers
  std::map<NodeIndex, std::uint64_t> seen_;                      // changes of its rooms
  std::map<std::pair<NodeIndex, GroupKey>, FencingToken> promised_;
  std::map<GroupKey, GroupStatistics> groups_;
  std::map<std::pair<MasterId, Incarnation>, std::uint64_t> lapses_;  // leases, of each run
  std::uint64_t orders_sent_ = 0;
};

}  // namespace fixkeep::sim
