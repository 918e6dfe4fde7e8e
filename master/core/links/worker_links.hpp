// The links to workers and their messages.
//
// Every function is total: a worker's message is applied, ignored or answered with CloseWorkerLink.
// A worker counts as down immediately when its link is closed. A worker with an overdue answer is
// behind, and its answer is awaited. Such a worker counts as down if it has answered a later
// question, has answered nothing for too long (questions.hpp), or is on probation after a
// quarantine. When this happens for the second time, the worker also goes into quarantine
// (quarantine.hpp).
//
// Assumes: a worker's messages arrive in order. No message of an older connection arrives after
// connected().
// Thread rule: one owner. Bounds: those of Questions. Errors: CloseWorkerLink.
#pragma once

#include <map>
#include <optional>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/claims/lost_seats.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/directory/room_results.hpp"
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
#include "master/core/seats/leaves.hpp"
#include "master/core/seats/seat_requests.hpp"
#include "master/core/seats/seating.hpp"
#include "master/core/workers/quarantine.hpp"

namespace fixkeep::master {

class WorkerLinks {
 public:
  // The parts outlive the object.
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
    Leaves& leaves;
    SeatRequests& seat_requests;
    Holds& holds;
    WarmPools& warm;
    Lending& lending;
    PoolOrders& pools;
    MasterCounters& counters;
    RoomResults& results;
  };
  WorkerLinks(const MasterOptions& options, const Parts& parts)
      : options_(options), parts_(parts) {}

  void connected(const WorkerId& worker, Incarnation incarnation, Step& step);
  void disconnected(const WorkerId& worker, Step& step);
  void said(const WorkerId& worker, wire::Report&& report, Step& step);
  // Ends everything whose time is over: waits for workers and their answers, the starts of rooms,
  // and stays in quarantine. Closes the links of silent workers.
  void expire(Step& step);
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max(): no tick is needed
  // `own`: this master was not scheduled, so a link that breaks now is not the worker's fault.
  void set_own_fault(bool own) { own_fault_ = own; }

 private:
  void note_lost_seats(const WorkerId& worker, const std::vector<Question>& unanswered, Step& step);
  void look_again(const OutOfSight::Freed& freed, Step& step);
  // Makes the claim wait for the worker, which perhaps has seats for it. If the worker is not
  // awaited, places the claim again.
  void lost(ClaimNumber number, const WorkerId& worker, Step& step);
  // If a misdeed has led to a stay in quarantine, counts and reports it. Returns whether there is a
  // stay.
  bool left_out(const std::optional<Quarantine::Stay>& stay, Step& step);
  // Closes the link because of a misdeed, and counts the misdeed.
  void close(const WorkerId& worker, Misdeed misdeed, Step& step, Asked about = Asked::state);
  // If there is a stay, the worker gets no more orders. The worker's link remains.
  void stop_orders(const std::optional<Quarantine::Stay>& stay, Step& step);
  void note_phase(const Room& room, wire::RoomPhase phase, wire::CloseReason reason, Step& step);
  void end_quarantine(Step& step);

  // --- questions that a worker will not answer
  void lost(const QuestionAbout<SeatQuestion>& question, Step& step);
  void lost(const QuestionAbout<PromiseQuestion>& question, Step& step);
  void lost(const QuestionAbout<OrderQuestion>& question, Step& step);

  // --- questions for a pool
  void end_of_pool(const QuestionAbout<SeatQuestion>& question, OrderFate fate, Step& step);
  void pool_not_served(const QuestionAbout<OrderQuestion>& question, Step& step);

  // --- messages from workers
  void on(const WorkerId& worker, wire::WorkerState&& state, Step& step);
  void on(const WorkerId& worker, wire::RoomsChanged&& news, Step& step);
  void on(const WorkerId& worker, wire::SeatReply&& reply, Step& step);
  void on(const WorkerId& worker, wire::SeatsReleased&& reply, Step& step) {
    parts_.leaves.released(worker, reply.request, step);
  }
  void on(const WorkerId& worker, wire::PrepareReply&& reply, Step& step);
  void on(const WorkerId& worker, wire::SpawnReply&& reply, Step& step);

  // Removes and returns the question that the worker answers, if it exists.
  template <class About>
  [[nodiscard]] std::optional<QuestionAbout<About>> take(Questions::Number number,
                                                         const WorkerId& worker);
  void room_started(const QuestionAbout<OrderQuestion>& question, wire::SpawnReply& reply,
                    Step& step);
  [[nodiscard]] static OrderDone done(const QuestionAbout<OrderQuestion>& question);
  static void tell(OrderDone&& order, OrderDone::How how, std::string_view why, Step& step);
  void result_heard(const WorkerId& worker, wire::RoomResult&& result, Step& step);
  // Returns false if the worker contradicts itself; then the worker's link is closed.
  bool room_changed(const WorkerId& worker, const wire::RoomChange& change, Step& step);
  bool learn_room(const WorkerId& worker, const wire::RoomInfo& info, Step& step);

  const MasterOptions& options_;
  Parts parts_;
  bool own_fault_ = false;
  // Rooms that this master has ordered and still believes to be starting. Each room is checked once
  // at the end of its time limit.
  struct Starting {
    TimePoint ends;
    std::optional<OrderDone> order;  // null: already reported
  };
  std::map<RoomId, Starting> starting_;
  Schedule<RoomId> start_ends_;
};

}  // namespace fixkeep::master
