// The state behind Matchmaker; its functions are in six sources:
//
//   matchmaker.cpp          tickets: requests, cancellations, deadlines, answers
//   matchmaker_seats.cpp    asking rooms for seats, and what becomes of the answers
//   matchmaker_players.cpp  one player, one seat: which claims have to wait for others
//   matchmaker_hold.cpp     the lock, and what the group's Hold (hold.hpp) wants done
//   matchmaker_orders.cpp   the rooms that a holder orders, and what becomes of the orders
//   matchmaker_workers.cpp  workers and what they say
//
// Functions change state and mark groups dirty; finish() then runs each dirty group once, so a
// message that touches a group many times makes it act once.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "master/core/awaited_workers.hpp"
#include "master/core/claims.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/group_table.hpp"
#include "master/core/matchmaker.hpp"
#include "master/core/questions.hpp"
#include "master/core/schedule.hpp"
#include "master/core/tickets.hpp"

namespace fixkeep::master {

class Matchmaker::Impl {
 public:
  struct Step {
    TimePoint now;
    Actions& out;
    LockOrders& locks;
  };

  Impl(MatchmakerOptions options, TimePoint now)
      : options_(options),
        directory_(options.placement),
        groups_({options.self, options.hold, options.join_grace}),
        claims_(groups_),
        awaited_({options.worker_settle, options.join_grace, options.worker_reply}, now) {}

  // --- tickets
  void match(MatchRequested&& request, Step& step);
  void cancel(TicketId ticket, Step& step);
  void expire_tickets(Step& step);
  void stop(Step& step);
  void finish(Step& step);

  // --- workers
  void worker_up(const WorkerId& worker, Incarnation incarnation, Step& step);
  void worker_down(const WorkerId& worker, Step& step);
  void worker_said(const WorkerId& worker, wire::Message&& message, Step& step);
  void expire_questions(Step& step);

  // --- lock
  void granted(LockGranted&& grant, Step& step);
  void lost(const GroupKey& group, lock::LostReason reason, Step& step);

  MatchmakerOptions options_;
  Directory directory_;
  MasterCounters counters_;
  bool joined_ = false;
  bool stopping_ = false;

  Tickets tickets_;
  GroupTable groups_;
  Claims claims_;
  Questions questions_;
  // Token counters up to this one may have been used, unknown to whoever grants the lock: all that
  // workers had seen when they connected, and those of our holds that were lost.
  std::uint64_t used_counter_ = 0;
  AwaitedWorkers awaited_;

  // --- tickets, inner functions
  void attach(ClaimNumber number, TicketId ticket, TimePoint deadline);
  void refuse(TicketId ticket, Refusal reason, Step& step);
  void refuse_claim(ClaimNumber number, Refusal reason, Step& step);
  void drop_ticket(TicketId ticket);
  // Nobody wants the claim any more: out of its queue, or its seats back. The claim may go.
  void withdraw(ClaimNumber number, Step& step);
  [[nodiscard]] Refusal reason_of(const Waiting& waiting) const;

  // --- players, inner functions
  // Into the queue, to the room in which its players have their seats, or parked.
  void place(ClaimNumber number, Step& step);
  // Its party did not fit a room in which one of them may have a seat.
  void place_denied(ClaimNumber number, Step& step);
  void park(ClaimNumber number, Step& step);
  bool check_parked(Step& step);  // true: some claim was placed anew
  // Gives the seats in `own` back for the sake of that one.
  void give_way(ClaimNumber number, const RoomId& own, const Room& better, Step& step);
  // News: these players have a seat in the room.
  void players_seated(const Room& room, const std::vector<PlayerHash>& players, Step& step);

  // --- seats, inner functions
  void requeue_lost(ClaimNumber number, Step& step);
  void place_claims(Group& group, Step& step);
  void place_pinned(Group& group, Step& step);
  struct Batch;
  void take(ClaimNumber number, Batch& batch);
  void fill(Group& group, Batch& batch);
  void ask(Group& group, const RoomId& room, Batch& batch, Step& step);
  // `fresh`: one of its players had no seat there before.
  void granted_seats(ClaimNumber number, const RoomId& room, const Reservation& reservation,
                     bool fresh, Step& step);
  // Answers the claim, or asks once more if its seats may have lapsed on the way.
  void seat_out(ClaimNumber number, const Room& room, Step& step);
  // Gives back what waiting.reserved says.
  void release_seats(const RoomId& room, const Waiting& waiting, Step& step);
  void seat_reply(const WorkerId& worker, const wire::SeatReply& reply, Step& step);
  // After any news of a room: answers or moves the claims that are reserved in it.
  void room_news(const RoomId& room, wire::CloseReason reason, Step& step);
  [[nodiscard]] static bool ascending_below(const std::vector<std::uint32_t>& indices,
                                            std::size_t bound);

  // --- lock, inner functions
  [[nodiscard]] bool needs_room(const Group& group) const;
  bool advance(Group& group, Step& step);
  void want_lock(Group& group, Step& step);
  std::set<WorkerRun> merge_hints(Group& group, std::vector<wire::RoomHint>&& hints);
  void merge_absent(Group& group, const WorkerRun& run);
  [[nodiscard]] std::vector<wire::RoomHint> hints_of(const Group& group) const;
  void pause(Group& group, Step& step);
  bool look(Group& group, Step& step);
  // Steps the group's hold and performs what it puts out; true: there was something.
  bool tell(Group& group, const hold::Event& event, Step& step);
  void perform(Group& group, hold::LookAt&& look, Step& step);
  void perform(Group& group, hold::WaitedInVain&& vain, Step& step);
  void perform(Group& group, hold::Prepare&& prepare, Step& step);
  void perform(Group& group, hold::TrySeats&& seats, Step& step);
  void perform(Group& group, hold::OrderRooms&& orders, Step& step);
  void perform(Group& group, hold::GiveBack&& back, Step& step);
  void perform(Group& group, hold::NoteUsed&& used, Step& step);
  static void give_back(const GroupKey& group, const hold::GiveBack& back,
                        std::vector<wire::RoomHint>&& hints, Step& step);
  void hold_ends(Group& group, TimePoint limit);
  // How many more rooms of the group may start now.
  [[nodiscard]] std::size_t rooms_left(const Group& group) const;
  // How many rooms were ordered.
  std::uint32_t order(Group& group, const hold::OrderRooms& orders, Step& step);
  void send_order(Group& group, const WorkerId& worker, std::vector<ClaimNumber> claims,
                  const hold::OrderRooms& orders, Step& step);
  void order_ended(Group& group, const WorkerId& worker, const OrderQuestion& order, OrderFate fate,
                   FencingToken highest, Step& step);
  void prepare_reply(const WorkerId& worker, wire::PrepareReply&& reply, Step& step);
  void spawn_reply(const WorkerId& worker, wire::SpawnReply&& reply, Step& step);
  void spawned(const QuestionAbout<OrderQuestion>& question, wire::SpawnReply& reply, Step& step);

  // --- workers, inner functions
  void link_changed(const WorkerId& worker, Step& step);
  void close_link(const WorkerId& worker, Step& step);
  void question_lost(const Question& question, Step& step);
  void lost(Group& group, const WorkerId& worker, const SeatQuestion& seats, Step& step);
  void lost(Group& group, const WorkerId& worker, const PromiseQuestion& promise, Step& step);
  void lost(Group& group, const WorkerId& worker, const OrderQuestion& order, Step& step);
  template <class About>
  [[nodiscard]] std::optional<QuestionAbout<About>> take_question(Questions::Number number,
                                                                  const WorkerId& worker) {
    auto question = questions_.take<About>(number, worker);
    if (question) groups_.mark(*question->group);
    return question;
  }
  void worker_state(const WorkerId& worker, wire::WorkerState&& state, Step& step);
  void rooms_changed(const WorkerId& worker, wire::RoomsChanged&& news, Step& step);
  // False: the worker contradicts itself and its link is closed.
  bool learn_room(const WorkerId& worker, const wire::RoomInfo& info, Step& step);
};

}  // namespace fixkeep::master
