// The links to workers and their messages.
//
// Every function is total: a worker's message is applied, ignored or answered with CloseWorkerLink.
// A worker with a closed link is treated as down at once. A worker with an overdue answer is behind
// and awaited. It is treated as down if it has answered a later question, or nothing for long
// enough (questions.hpp). After the second time it is left out for a while (quarantine.hpp).
//
// Assumes: a worker's messages arrive in order. No message of an older connection arrives after
// connected().
// Thread rule: one owner. Bounds: the questions'. Errors: CloseWorkerLink.
#pragma once

#include <map>
#include <optional>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/claims/lost_seats.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/groups/questions.hpp"
#include "master/core/groups/schedule.hpp"
#include "master/core/hold/awaited_workers.hpp"
#include "master/core/orders/holds.hpp"
#include "master/core/orders/out_of_sight.hpp"
#include "master/core/orders/pool_orders.hpp"
#include "master/core/orders/warm_pools.hpp"
#include "master/core/pools/lending.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/step.hpp"
#include "master/core/seats/seat_requests.hpp"
#include "master/core/seats/seating.hpp"
#include "master/core/workers/quarantine.hpp"

namespace fixkeep::master {

class WorkerLinks {
 public:
  // All outlive the object.
  struct Parts {
    Directory& directory;
    GroupTable& groups;
    Claims& claims;
    Questions& questions;
    AwaitedWorkers& awaited;
    OutOfSight& out_of_sight;
    Quarantine& quarantine;
    Seating& seating;
    LostSeats& lost_seats;
    SeatRequests& seat_requests;
    Holds& holds;
    WarmPools& warm;
    Lending& lending;
    PoolOrders& pools;
    MasterCounters& counters;
  };
  WorkerLinks(const MasterOptions& options, const Parts& parts)
      : options_(options), parts_(parts) {}

  void connected(const WorkerId& worker, Incarnation incarnation, Step& step);
  void disconnected(const WorkerId& worker, Step& step);
  void said(const WorkerId& worker, wire::Report&& report, Step& step);
  // Closes the links of workers that have been silent for too long. Ends the expired stays of the
  // quarantine.
  void expire(Step& step);
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max() if there is nothing
  // This master has slept: links that break now say nothing of their workers.
  void set_own_fault(bool own) { own_fault_ = own; }

 private:
  void note_lost_seats(const WorkerId& worker, const std::vector<Question>& unanswered, Step& step);
  void look_again(const OutOfSight::Freed& freed, Step& step);
  // The worker may have seats for the claim. The claim waits as long as it may come back.
  void lost(ClaimNumber number, const WorkerId& worker, Step& step);
  // Counts and reports the stay in quarantine after a misdeed. True: there was a stay.
  bool left_out(const std::optional<Quarantine::Stay>& stay, Step& step);
  // Only a liar or a sick worker does this.
  void close(const WorkerId& worker, Misdeed misdeed, Step& step, Asked about = Asked::state);
  // It gets no orders from now on if there is a stay. Its link stays.
  void stop_orders(const std::optional<Quarantine::Stay>& stay, Step& step);
  void note_phase(const Room& room, wire::RoomPhase phase, wire::CloseReason reason, Step& step);
  void end_quarantine(Step& step);

  // --- questions that a worker does not answer any more
  void lost(const QuestionAbout<SeatQuestion>& question, Step& step);
  void lost(const QuestionAbout<PromiseQuestion>& question, Step& step);
  void lost(const QuestionAbout<OrderQuestion>& question, Step& step);

  // --- questions of a pool
  void end_of_pool(const QuestionAbout<SeatQuestion>& question, OrderFate fate, Step& step);
  void pool_not_served(const QuestionAbout<OrderQuestion>& question, Step& step);

  // --- what workers say
  void on(const WorkerId& worker, wire::WorkerState&& state, Step& step);
  void on(const WorkerId& worker, wire::RoomsChanged&& news, Step& step);
  void on(const WorkerId& worker, wire::SeatReply&& reply, Step& step);
  void on(const WorkerId& worker, wire::PrepareReply&& reply, Step& step);
  void on(const WorkerId& worker, wire::SpawnReply&& reply, Step& step);

  // The question that is answered, if there is one.
  template <class About>
  [[nodiscard]] std::optional<QuestionAbout<About>> take(Questions::Number number,
                                                         const WorkerId& worker);
  void room_started(const QuestionAbout<OrderQuestion>& question, wire::SpawnReply& reply,
                    Step& step);
  [[nodiscard]] static OrderDone done(const QuestionAbout<OrderQuestion>& question);
  static void tell(OrderDone&& order, OrderDone::How how, std::string_view why, Step& step);
  // False: the worker contradicts itself and its link is closed.
  bool room_changed(const WorkerId& worker, const wire::RoomChange& change, Step& step);
  bool learn_room(const WorkerId& worker, const wire::RoomInfo& info, Step& step);

  const MasterOptions& options_;
  Parts parts_;
  bool own_fault_ = false;
  // Rooms that this master has ordered and that are starting as far as it knows. Each is looked at
  // once at the end of its time.
  struct Starting {
    TimePoint ends;
    std::optional<OrderDone> order;  // null: its end was told
  };
  std::map<RoomId, Starting> starting_;
  Schedule<RoomId> start_ends_;
};

}  // namespace fixkeep::master
