// The locks of all groups: the time to ask for a group's lock and the work of its Hold (hold.hpp).
//
// A group asks for its lock when claims left over need another room (seat_need.hpp). A warm pool
// asks when it is due (warm_pools.hpp). While it waits it goes on asking rooms. If that serves
// every claim it abandons.
//
// Invariants: 1. A granted lock is released or lost.
//             2. Rooms are ordered only when the group's Hold says so.
// Thread rule: one owner. Bounds: Hold's. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "lock/core/lock_machine.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/groups/questions.hpp"
#include "master/core/hold/awaited_workers.hpp"
#include "master/core/hold/hold.hpp"
#include "master/core/orders/out_of_sight.hpp"
#include "master/core/orders/pool_orders.hpp"
#include "master/core/orders/room_orders.hpp"
#include "master/core/pools/lending.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/step.hpp"
#include "master/core/seats/seat_need.hpp"
#include "master/core/workers/quarantine.hpp"

namespace fixkeep::master {

class Holds {
 public:
  // All outlive the object.
  Holds(const MasterOptions& options, Directory& directory, GroupTable& groups,
        const SeatNeed& need, Questions& questions, AwaitedWorkers& awaited,
        OutOfSight& out_of_sight, RoomOrders& orders, const Lending& lending, PoolOrders& pools,
        MasterCounters& counters)
      : options_(options),
        directory_(directory),
        groups_(groups),
        need_(need),
        questions_(questions),
        awaited_(awaited),
        out_of_sight_(out_of_sight),
        orders_(orders),
        lending_(lending),
        pools_(pools),
        counters_(counters) {}

  // --- the lock
  void granted(LockGranted&& grant, Step& step);
  void lost(const GroupKey& group, lock::LostReason reason, Step& step);
  // Acquires, abandons or goes on with the hold. True: it may be able to go on once more.
  bool advance(Group& group, Step& step);
  // Releases its free locks and acquires nothing any more.
  void stop(Step& step);

  // --- what a holder has to know
  void link_changed(const WorkerId& worker, Step& step);
  void worker_known(const WorkerRun& run, Step& step);
  void held_up(Duration late);  // this master was not there for so long
  // The worker has told of the room: another master may have ordered it.
  void room_shown(const WorkerId& worker, const wire::RoomInfo& room);
  void note_used(std::uint64_t counter);  // token counters up to this one may have been used
  void seats_asked(Group& group, Step& step);
  // Returns the workers that alone refuse the promises of this hold round after round.
  [[nodiscard]] std::vector<WorkerId> promise_answered(
      const QuestionAbout<PromiseQuestion>& question, bool promised, FencingToken highest,
      Step& step);
  // `highest`: that the worker has seen, if the order is stale.
  void order_ended(const QuestionAbout<OrderQuestion>& question, OrderFate fate,
                   FencingToken highest, Step& step);
  // The same of a pool's request for seats, which its hold counts as an order.
  void seats_ended(const QuestionAbout<SeatQuestion>& question, OrderFate fate, Step& step);

 private:
  // The group has something to do that needs its lock.
  [[nodiscard]] bool has_need(const Group& group, TimePoint now) const;
  void want_lock(Group& group, Step& step);
  // A worker is away on which players of the group may have seats.
  [[nodiscard]] bool waits_for_sight(const Group& group, TimePoint now);
  void pause(Group& group, Step& step);
  // Takes out what this master knows better than the lock value.
  void drop_known_orders(Group& group, LockGranted& grant);
  // Adds rooms that the lock value conceals to its hints. True: there was something.
  [[nodiscard]] bool begin_with_concealed(LockGranted& grant) const;
  void note_fate(Group& group, const WorkerId& worker, const CreationId& creation);
  void trust_orders(Group& group, Step& step);
  // The next holder must be told of these: unseen ordered rooms of any master and rooms that only
  // it may reach.
  [[nodiscard]] std::vector<wire::RoomHint> unseen(const Group& group) const;
  [[nodiscard]] bool may_name_orders(const Group& group) const;
  bool look(Group& group, Step& step);
  // Steps the group's hold and performs its outputs. True: there was something.
  bool tell(Group& group, const hold::Event& event, Step& step);
  void hold_ends(Group& group, TimePoint limit, Step& step);
  void perform(Group& group, hold::LookAt&& look, Step& step);
  void perform(Group& group, hold::WaitedInVain&& vain, Step& step);
  void perform(Group& group, hold::Prepare&& prepare, Step& step);
  void perform(Group& group, hold::TrySeats&& seats, Step& step);
  void perform(Group& group, hold::OrderRooms&& orders, Step& step);
  void perform(Group& group, hold::GiveBack&& back, Step& step);
  void perform(Group& group, hold::NoteUsed&& used, Step& step);

  const MasterOptions& options_;
  Directory& directory_;
  GroupTable& groups_;
  const SeatNeed& need_;
  Questions& questions_;
  AwaitedWorkers& awaited_;
  OutOfSight& out_of_sight_;
  RoomOrders& orders_;
  const Lending& lending_;
  PoolOrders& pools_;
  MasterCounters& counters_;
  bool stopping_ = false;
  // The lock may not know the use of token counters up to this one. Workers had seen them when they
  // connected, or our lost holds used them.
  std::uint64_t used_counter_ = 0;
};

}  // namespace fixkeep::master
