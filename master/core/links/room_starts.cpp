// Handles an order that a worker has carried out: the new room and the claims with seats in it.
#include <algorithm>
#include <utility>

#include "master/core/links/worker_links.hpp"
#include "master/core/seats/answers.hpp"

namespace fixkeep::master {

OrderDone WorkerLinks::done(const QuestionAbout<OrderQuestion>& question) {
  const OrderQuestion& order = question.about;
  return {question.worker, question.group->key, order.creation, order.cause, order.asked_at};
}

void WorkerLinks::room_started(const QuestionAbout<OrderQuestion>& question,
                               wire::SpawnReply& reply, Step& step) {
  const OrderQuestion& order = question.about;
  const auto flags =
      reserved_flags(reply.granted, std::max(order.claims.size(), order.lent.size()));
  const bool sane =
      flags && reply.room.group == question.group->key && reply.room.creation == order.creation;
  parts_.holds.order_ended(question, sane ? OrderFate::carried_out : OrderFate::unknown, {}, step);
  if (!sane) {
    tell(done(question), OrderDone::How::out_of_sight, {}, step);
    for (const ClaimNumber number : order.claims) parts_.seating.lost(number, step);
    pool_not_served(question, step);
    close(question.worker, Misdeed::breaks_protocol, step);
    return;
  }
  if (!learn_room(question.worker, reply.room, step)) {
    tell(done(question), OrderDone::How::out_of_sight, {}, step);
    for (const ClaimNumber number : order.claims) parts_.seating.lost(number, step);
    pool_not_served(question, step);
    return;
  }
  const RoomId id{question.worker, parts_.directory.find(question.worker)->incarnation,
                  reply.room.number};
  parts_.directory.attribute(id, order.client);
  parts_.quarantine.started_room(question.worker);
  OrderDone ordered = done(question);
  ordered.room = id;
  if (reply.room.phase == wire::RoomPhase::starting) {
    const TimePoint ends = step.now + options_.room_start;
    if (starting_.try_emplace(id, Starting{ends, std::move(ordered)}).second) {
      start_ends_.add(ends, id);
    }
  } else if (reply.room.phase == wire::RoomPhase::open) {
    tell(std::move(ordered), OrderDone::How::given, {}, step);
  } else {
    tell(std::move(ordered), OrderDone::How::failed, to_string(wire::CloseReason::none), step);
  }
  const Reservation reservation{reply.reservation, order.asked_at, reply.granted_at,
                                reply.reserved_for};
  for (std::size_t i = 0; i < order.claims.size(); ++i) {
    if ((*flags)[i]) {
      parts_.seating.reserved(order.claims[i], id, reservation, true, step);
    } else {
      parts_.seating.not_served(order.claims[i], step);
    }
  }
  if (!order.lent.empty()) parts_.pools.room_started(question, id, reply, *flags, step);
  parts_.seating.room_changed(id, wire::CloseReason::none, step);
}

}  // namespace fixkeep::master
