#include "master/core/links/worker_links.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "common/wire/warm_pool.hpp"
#include "master/core/seats/answers.hpp"

namespace fixkeep::master {
namespace {

// Returns whether the room ended because of a failure.
bool failed(wire::CloseReason reason) {
  switch (reason) {
    case wire::CloseReason::boot_failed:
    case wire::CloseReason::boot_timeout:
    case wire::CloseReason::crashed:
    case wire::CloseReason::shut_down:
    case wire::CloseReason::unhealthy: return true;
    case wire::CloseReason::none:
    case wire::CloseReason::empty:
    case wire::CloseReason::drained:
    case wire::CloseReason::stopping: return false;
  }
  return false;
}

bool answers(const wire::Report& report) {
  return std::holds_alternative<wire::SeatReply>(report) ||
         std::holds_alternative<wire::PrepareReply>(report) ||
         std::holds_alternative<wire::SpawnReply>(report);
}

struct KindOf {
  Asked operator()(const SeatQuestion&) const { return Asked::seats; }
  Asked operator()(const PromiseQuestion&) const { return Asked::promise; }
  Asked operator()(const OrderQuestion&) const { return Asked::order; }
};

}  // namespace

void WorkerLinks::connected(const WorkerId& worker, Incarnation incarnation, Step& step) {
  disconnected(worker, step);  // a new connection replaces the old one
  if (parts_.quarantine.apart(worker)) {
    parts_.awaited.give_up({{worker, incarnation}});
    look_again(parts_.out_of_sight.end(worker), step);
    return;
  }
  parts_.directory.connect(worker, incarnation);
  parts_.directory.set_probation(worker, parts_.quarantine.on_probation(worker));
  parts_.directory.set_without_orders(worker, {}, parts_.quarantine.without_orders(worker));
  for (const ModeName& mode : parts_.quarantine.modes_without_orders(worker)) {
    parts_.directory.set_without_orders(worker, mode, true);
  }
  parts_.holds.link_changed(worker, step);
  const Worker& known = *parts_.directory.find(worker);
  const Duration patience = known.patience(options_.worker_reply);
  parts_.awaited.connected({worker, incarnation},
                           known.on_probation ? patience : Questions::patience * patience,
                           step.now);
}

void WorkerLinks::disconnected(const WorkerId& worker, Step& step) {
  // `worker` may refer to an object that is about to be deleted.
  const WorkerId id = worker;  // NOLINT(performance-unnecessary-copy-initialization)
  const Worker* known = parts_.directory.find(id);
  if (known == nullptr) return;
  if (parts_.quarantine.apart(id)) {
    parts_.awaited.give_up({{id, known->incarnation}});
  } else if (known->known) {
    parts_.awaited.went_down(id, parts_.directory.workers().size(), step.now);
  }
  parts_.awaited.disconnected(id);
  for (const auto& [number, room] : known->rooms) parts_.groups.mark(room.group);
  OutOfSight::Rooms rooms = rooms_on(*known);
  OutOfSight::Groups groups = groups_on(*known, rooms, parts_.claims);
  std::vector<Question> unanswered = parts_.questions.take_all(id);
  for (const Question& question : unanswered) groups.insert(question.group->key);
  note_lost_seats(id, unanswered, step);
  if (!own_fault_ && !has_ended(*known)) {
    (void)left_out(parts_.quarantine.notice(id, Misdeed::comes_and_goes, step.now), step);
  }
  if (parts_.quarantine.apart(id) || parts_.quarantine.comes_and_goes(id)) {
    look_again(parts_.out_of_sight.end(id), step);
  } else {
    parts_.out_of_sight.went(id, std::move(groups), std::move(rooms), pools_on(*known), step.now);
  }
  parts_.directory.disconnect(id);
  parts_.holds.link_changed(id, step);
  for (Question& question : unanswered) {
    std::visit(
        [&](auto& about) {
          lost({question.group, std::move(question.worker), std::move(about)}, step);
        },
        question.about);
  }
  for (const ClaimNumber number : parts_.claims.reserved_on(id)) lost(number, id, step);
  for (auto at = starting_.lower_bound({id, {}, {}});
       at != starting_.end() && at->first.worker == id; ++at) {
    auto order = std::exchange(at->second.order, std::nullopt);
    if (order) tell(*std::move(order), OrderDone::How::out_of_sight, {}, step);
  }
}

bool WorkerLinks::left_out(const std::optional<Quarantine::Stay>& stay, Step& step) {
  if (!stay) return false;
  ++parts_.counters.quarantines.at(static_cast<std::size_t>(stay->misdeed));
  step.out.emplace_back(WorkerQuarantined{*stay});
  return true;
}

void WorkerLinks::close(const WorkerId& worker, Misdeed misdeed, Step& step, Asked about) {
  const WorkerId id = worker;  // NOLINT(performance-unnecessary-copy-initialization)
  (void)left_out(parts_.quarantine.notice(id, misdeed, step.now, about), step);
  step.out.emplace_back(CloseWorkerLink{id, misdeed});
  disconnected(id, step);
}

void WorkerLinks::stop_orders(const std::optional<Quarantine::Stay>& stay, Step& step) {
  if (left_out(stay, step)) parts_.directory.set_without_orders(stay->worker, stay->mode, true);
}

void WorkerLinks::tell(OrderDone&& order, OrderDone::How how, std::string_view why, Step& step) {
  order.how = how;
  order.why = why;
  step.out.emplace_back(std::move(order));
}

void WorkerLinks::note_phase(const Room& changed, wire::RoomPhase phase, wire::CloseReason reason,
                             Step& step) {
  if (phase == wire::RoomPhase::starting) return;
  const RoomId& room = changed.id;
  if (phase == wire::RoomPhase::open) parts_.quarantine.opened_room(room.worker, changed.mode);
  const auto at = starting_.find(room);
  if (at == starting_.end()) return;
  const bool opened = phase == wire::RoomPhase::open;
  start_ends_.remove(at->second.ends, room);
  if (auto& order = at->second.order) {
    tell(*std::move(order), opened ? OrderDone::How::opened : OrderDone::How::failed,
         opened ? std::string_view{} : to_string(reason), step);
  }
  starting_.erase(at);
}

void WorkerLinks::expire(Step& step) {
  look_again(parts_.out_of_sight.time_passed(step.now), step);
  parts_.lost_seats.time_passed(step);
  parts_.leaves.time_passed(step);
  while (const auto overdue = parts_.questions.overdue(step.now)) {
    const WorkerId& worker = overdue->question->worker;
    if (overdue->lost || parts_.directory.find(worker)->on_probation) {
      close(worker, Misdeed::silent, step, std::visit(KindOf{}, overdue->question->about));
    } else {
      parts_.directory.set_behind(worker, true);
      parts_.questions.wait_on(overdue->number, step.now);
    }
  }
  for (const WorkerId& worker : parts_.awaited.silent(step.now)) {
    close(worker, Misdeed::silent, step);
  }
  while (const auto id = start_ends_.take_due(step.now)) {
    const Room* room = parts_.directory.find(*id);
    if (room != nullptr && room->starts()) close(id->worker, Misdeed::rooms_never_open, step);
    starting_.erase(*id);
  }
  end_quarantine(step);
}

void WorkerLinks::end_quarantine(Step& step) {
  if (parts_.quarantine.next_tick() > step.now) return;
  for (const Quarantine::Stay& stay : parts_.quarantine.end(step.now)) {
    step.out.emplace_back(QuarantineEnded{stay});
    parts_.directory.set_without_orders(stay.worker, stay.mode, false);
    // A worker that was apart may have connected during its stay, but its state was not read. Its
    // link is closed, so that it connects again and shows its state.
    if (keeps_apart(stay.misdeed)) step.out.emplace_back(CloseWorkerLink{stay.worker});
  }
}

TimePoint WorkerLinks::next_tick() const {
  return std::min({start_ends_.next(), parts_.quarantine.next_tick(),
                   parts_.out_of_sight.next_tick(), parts_.lost_seats.next_tick(),
                   parts_.leaves.next_tick()});
}

// --- questions that a worker will not answer -----------------------------------------------------

void WorkerLinks::lost(const QuestionAbout<SeatQuestion>& question, Step& step) {
  if (!question.about.lent.empty()) end_of_pool(question, OrderFate::unknown, step);
  for (const ClaimNumber number : question.about.claims) lost(number, question.worker, step);
  parts_.groups.mark(*question.group);
}

void WorkerLinks::lost(const QuestionAbout<PromiseQuestion>& question, Step&) {
  parts_.groups.mark(*question.group);
}

void WorkerLinks::lost(const QuestionAbout<OrderQuestion>& question, Step& step) {
  parts_.holds.order_ended(question, OrderFate::unknown, {}, step);
  tell(done(question), OrderDone::How::out_of_sight, {}, step);
  for (const ClaimNumber number : question.about.claims) lost(number, question.worker, step);
  pool_not_served(question, step);
  parts_.groups.mark(*question.group);
}

void WorkerLinks::end_of_pool(const QuestionAbout<SeatQuestion>& question, OrderFate fate,
                              Step& step) {
  parts_.holds.seats_ended(question, fate, step);
  if (fate == OrderFate::unknown) {
    parts_.pools.not_served(*question.group, question.about.lent, step);
  }
}

void WorkerLinks::pool_not_served(const QuestionAbout<OrderQuestion>& question, Step& step) {
  const auto& lent = question.about.lent;
  if (!lent.empty()) parts_.pools.not_served(*question.group, lent, step);
}

// --- messages from workers -----------------------------------------------------------------------

void WorkerLinks::said(const WorkerId& worker, wire::Report&& report, Step& step) {
  const Worker* known = parts_.directory.find(worker);
  if (known == nullptr) return;  // the message was sent before the link was closed
  const bool first = std::holds_alternative<wire::WorkerState>(report);
  if (first == known->known) {  // the state is the first message, and is sent once
    close(worker, Misdeed::breaks_protocol, step);
    return;
  }
  if (answers(report)) {
    parts_.questions.heard(worker);
    parts_.directory.set_behind(worker, false);
  }
  std::visit([&](auto& what) { on(worker, std::move(what), step); }, report);
}

template <class About>
std::optional<QuestionAbout<About>> WorkerLinks::take(Questions::Number number,
                                                      const WorkerId& worker) {
  auto question = parts_.questions.take<About>(number, worker);
  if (!question) return question;
  parts_.groups.mark(*question->group);
  parts_.quarantine.answered(worker, KindOf{}(question->about));
  parts_.directory.set_probation(worker, parts_.quarantine.on_probation(worker));
  return question;
}

void WorkerLinks::on(const WorkerId& worker, wire::WorkerState&& state, Step& step) {
  parts_.awaited.introduced(worker);
  const OutOfSight::Freed freed = parts_.out_of_sight.end(worker);
  parts_.quarantine.answered(worker, Asked::state);
  parts_.directory.introduce(worker, state);
  parts_.directory.note_newest(worker, state.last_reservation);
  parts_.holds.note_used(state.highest_counter);
  for (const wire::RoomInfo& info : state.rooms) {
    if (!learn_room(worker, info, step)) return look_again(freed, step);
  }
  look_again(freed, step);
  parts_.lost_seats.returned(worker, state.last_reservation, step);
  parts_.leaves.returned(worker, step);
  if (parts_.warm.any()) step.out.emplace_back(SendToWorker{worker, parts_.warm.keep_warm()});
  parts_.holds.worker_known({worker, parts_.directory.find(worker)->incarnation}, step);
}

void WorkerLinks::on(const WorkerId& worker, wire::RoomsChanged&& news, Step& step) {
  parts_.directory.set_headroom(worker, news.headroom);
  parts_.directory.set_starts(worker, news.starts);
  if (news.modes) parts_.directory.set_modes(worker, *news.modes);
  for (const wire::RoomInfo& info : news.opened) {
    if (!learn_room(worker, info, step)) return;
  }
  for (const wire::RoomChange& change : news.changed) {
    if (!room_changed(worker, change, step)) return;
  }
  for (wire::RoomResult& result : news.results) result_heard(worker, std::move(result), step);
  parts_.directory.set_newest_room(worker, news.newest_room);
  for (const RoomId& id : parts_.directory.overtaken_hints(worker)) {
    parts_.directory.remove(id);
    parts_.seating.room_changed(id, wire::CloseReason::none, step);
  }
}

void WorkerLinks::result_heard(const WorkerId& worker, wire::RoomResult&& result, Step& step) {
  const RoomId room{worker, parts_.directory.find(worker)->incarnation, result.room};
  const bool ends = result.room_ended && wire::is_match(result.group);
  if (ends) {
    const Room* known = parts_.directory.find(room);
    parts_.seating.match_ended(result.group, known != nullptr ? known->mode : ModeName{}, step.now);
  }
  const bool is_new = parts_.results.add(room, result);
  if (is_new && !result.value.empty()) step.out.emplace_back(ResultHeard{room, std::move(result)});
  const wire::RoomResult* const last = ends ? parts_.results.end(room) : nullptr;
  if (last != nullptr) step.out.emplace_back(MatchOver{room, *last});
}

bool WorkerLinks::room_changed(const WorkerId& worker, const wire::RoomChange& change, Step& step) {
  const RoomId id{worker, parts_.directory.find(worker)->incarnation, change.number};
  const Room* room = parts_.directory.find(id);
  if (room == nullptr) return true;
  if (wire::has_opened(change.phase) && !room->place) {
    close(worker, Misdeed::breaks_protocol, step);
    return false;
  }
  parts_.groups.mark(room->group);
  const bool closes = change.phase == wire::RoomPhase::closed && room->match;
  if (closes && wire::ends_match(change.reason, std::max(change.opened_at, room->opened_at))) {
    parts_.seating.match_ended(room->group, room->mode, step.now);
  }
  if (failed(change.reason)) parts_.warm.failed(room->group, step.now);
  note_phase(*room, change.phase, change.reason, step);
  if (wire::is_failed_boot(change.reason)) {
    ++parts_.counters.boots_failed;
    stop_orders(parts_.quarantine.room_failed(worker, room->mode, room->group, step.now), step);
  }
  if (!change.left.empty()) parts_.lending.seat_freed(room->group);
  parts_.directory.change(id, change);
  room = parts_.directory.find(id);
  if (room != nullptr) parts_.seating.players_seated(*room, change.seated, step);
  parts_.seating.room_changed(id, change.reason, step);
  return true;
}

bool WorkerLinks::learn_room(const WorkerId& worker, const wire::RoomInfo& info, Step& step) {
  const RoomId id{worker, parts_.directory.find(worker)->incarnation, info.number};
  const Room* const before = parts_.directory.find(id);
  if (before != nullptr && before->starts()) {
    note_phase(*before, info.phase, wire::CloseReason::none, step);
  }
  if (!parts_.directory.put(worker, info)) {
    close(worker, Misdeed::breaks_protocol, step);
    return false;
  }
  parts_.holds.room_shown(worker, info);
  if (const Room* room = parts_.directory.find(id)) {
    parts_.seating.players_seated(*room, info.players, step);
  }
  parts_.seating.room_changed(id, wire::CloseReason::none, step);
  return true;
}

void WorkerLinks::on(const WorkerId& worker, wire::SeatReply&& reply, Step& step) {
  const auto question = take<SeatQuestion>(reply.request, worker);
  if (!question) return;
  parts_.directory.note_newest(worker, reply.reservation);
  const RoomId& room = question->about.room;
  if (reply.phase == wire::RoomPhase::closed && reply.room == room.number) {
    wire::RoomChange end;  // the worker's news will repeat this
    end.number = reply.room;
    end.phase = reply.phase;
    end.reason = reply.reason;
    end.opened_at = reply.opened_at;
    (void)room_changed(worker, end, step);
  }
  bool sane = true;
  if (question->about.lent.empty()) {
    sane = parts_.seat_requests.answered(*question, reply, step);
  } else {
    end_of_pool(*question, OrderFate::carried_out, step);
    sane = parts_.pools.answered(*question, reply, step);
  }
  if (!sane) return close(worker, Misdeed::breaks_protocol, step);
  parts_.seating.room_changed(room, wire::CloseReason::none, step);
}

void WorkerLinks::on(const WorkerId& worker, wire::PrepareReply&& reply, Step& step) {
  // The reply's rooms are valid even if the round or hold has ended and the question is forgotten.
  // The worker will not repeat these rooms.
  for (const wire::RoomInfo& info : reply.rooms) {
    if (!learn_room(worker, info, step)) return;
  }
  if (reply.match_ended) parts_.seating.match_ended(reply.group, {}, step.now);
  const auto question = take<PromiseQuestion>(reply.request, worker);
  if (!question) return;
  const auto stubborn =
      parts_.holds.promise_answered(*question, reply.promised, reply.highest, step);
  for (const WorkerId& each : stubborn) close(each, Misdeed::refuses_promises, step);
}

void WorkerLinks::on(const WorkerId& worker, wire::SpawnReply&& reply, Step& step) {
  const auto question = take<OrderQuestion>(reply.request, worker);
  if (!question) return;
  parts_.directory.set_headroom(worker, reply.headroom);
  parts_.directory.note_newest(worker, reply.reservation);
  if (reply.outcome == wire::SpawnOutcome::accepted) return room_started(*question, reply, step);
  tell(done(*question), OrderDone::How::refused, to_string(reply.outcome), step);
  switch (reply.outcome) {
    case wire::SpawnOutcome::accepted: break;
    case wire::SpawnOutcome::stale_token:
      ++parts_.counters.spawns_refused;
      parts_.holds.order_ended(*question, OrderFate::stale, reply.highest, step);
      break;
    case wire::SpawnOutcome::no_warm_room:
      parts_.holds.order_ended(*question, OrderFate::no_warm, {}, step);
      break;
    case wire::SpawnOutcome::never_warm:
      parts_.directory.forget_warm(worker, question->group->rooms->mode);
      parts_.holds.order_ended(*question, OrderFate::refused, {}, step);
      break;
    case wire::SpawnOutcome::unknown_mode:
      parts_.directory.forget_mode(worker, question->group->rooms->mode);
      [[fallthrough]];
    case wire::SpawnOutcome::mode_paused:  // the worker's news already says this, or will soon
    case wire::SpawnOutcome::no_capacity:
      parts_.holds.order_ended(*question, OrderFate::refused, {}, step);
      if (reply.outcome == wire::SpawnOutcome::no_capacity && reply.headroom > 0 &&
          !wire::is_warm_pool(question->group->key)) {
        stop_orders(parts_.quarantine.notice(worker, Misdeed::refuses_orders, step.now), step);
      }
      break;
  }
  for (const ClaimNumber number : question->about.claims) parts_.seating.not_served(number, step);
  pool_not_served(*question, step);
}

}  // namespace fixkeep::master
