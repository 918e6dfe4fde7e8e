// The locks of all groups: decides when a group acquires its lock, and performs the outputs of its
// Hold (hold.hpp).
//
// A group acquires its lock when its claims need another room (seat_need.hpp). A warm pool acquires
// its lock when it is due (warm_pools.hpp). While a group waits for the lock, it still asks rooms.
// If rooms serve every claim, the group stops waiting for the lock.
//
// Invariants: 1. A granted lock is released or lost.
//             2. Rooms are ordered only when the group's Hold says so.
// Thread rule: one owner. Bounds: those of Hold. Errors: none.
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
  // The arguments outlive the object.
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
  // Acquires the lock, stops waiting for the lock, or continues the hold. Returns true if another
  // call may do more.
  bool advance(Group& group, Step& step);
  // Releases each lock when its hold can end, and acquires no more locks.
  void stop(Step& step);

  // --- facts for holders
  void link_changed(const WorkerId& worker, Step& step);
  void worker_known(const WorkerRun& run, Step& step);
  void held_up(Duration late);  // this master was held up for `late`
  // Call when the worker has shown a room. Perhaps another master has ordered this room.
  void room_shown(const WorkerId& worker, const wire::RoomInfo& room);
  void note_used(std::uint64_t counter);  // token counters up to this value may have been used
  void seats_asked(Group& group, Step& step);
  // Tells the hold a worker's answer. Returns the workers that have refused round after round of
  // this hold while others promised.
  [[nodiscard]] std::vector<WorkerId> promise_answered(
      const QuestionAbout<PromiseQuestion>& question, bool promised, FencingToken highest,
      Step& step);
  // Tells the hold that its order has ended. `highest`: the highest token that the worker has seen,
  // if the order was stale.
  void order_ended(const QuestionAbout<OrderQuestion>& question, OrderFate fate,
                   FencingToken highest, Step& step);
  // Tells a pool's hold that its SeatRequest has ended. The hold counts this request as an order.
  void seats_ended(const QuestionAbout<SeatQuestion>& question, OrderFate fate, Step& step);

 private:
  // Returns whether the group needs its lock.
  [[nodiscard]] bool has_need(const Group& group, TimePoint now) const;
  void want_lock(Group& group, Step& step);
  // Returns whether the group waits for a worker out of sight (out_of_sight.hpp).
  [[nodiscard]] bool waits_for_sight(const Group& group, TimePoint now);
  void pause(Group& group, Step& step);
  // Removes a hint of an order if this master knows more about this order than the lock value says.
  void drop_known_orders(Group& group, LockGranted& grant);
  // Adds hints for the rooms that the last holder concealed. Returns whether there were such rooms.
  [[nodiscard]] bool begin_with_concealed(LockGranted& grant) const;
  void note_fate(Group& group, const WorkerId& worker, const CreationId& creation);
  void trust_orders(Group& group, Step& step);
  // Returns hints for the next holder: ordered rooms of any master that no worker has shown, and
  // rooms that this master cannot reach.
  [[nodiscard]] std::vector<wire::RoomHint> unseen(const Group& group) const;
  [[nodiscard]] bool may_name_orders(const Group& group) const;
  bool look(Group& group, Step& step);
  // Steps the group's hold and performs its outputs. Returns whether there were any outputs.
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
  // Token counters up to this value may be used although the lock does not know this: workers
  // reported them when they connected, or lost holds of this master used them.
  std::uint64_t used_counter_ = 0;
};

}  // namespace fixkeep::master
