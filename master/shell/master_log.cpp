#include "master/shell/master_log.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "common/obs/log.hpp"
#include "master/http/view/pages.hpp"

namespace fixkeep::master {
namespace {

std::int64_t milliseconds_of(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

void MasterLog::taken(const LockTaken& lock) {
  obs::log_info("lock granted", {{"group", lock.group.text()}, {"token", text_of(lock.token)}});
}

void MasterLog::lock_server(std::string_view strategy, bool ready) {
  if (ready) {
    obs::log_info("lock server ready", {{"strategy", strategy}});
  } else {
    obs::log_warning("lock server away", {{"strategy", strategy}});
  }
}

// --- what the master asks of workers -------------------------------------------------------------

void MasterLog::sends(const SendToWorker& action, TimePoint now) {
  if (const auto* order = std::get_if<wire::SpawnRoom>(&action.message)) {
    ordered(action.worker, *order, now);
    return;
  }
  if (!obs::log_enabled(obs::LogLevel::debug)) return;
  const auto* seats = std::get_if<wire::SeatRequest>(&action.message);
  const auto known = workers_.find(action.worker);
  if (seats != nullptr && known != workers_.end()) {
    asked(action.worker, known->second.incarnation, *seats);
  }
}

void MasterLog::asked(const WorkerId& worker, Incarnation run, const wire::SeatRequest& message) {
  const std::string room = to_string(RoomId{worker, run, message.room});
  for (const wire::Claim& claim : message.claims) {
    obs::log_debug("worker asked for seats", {{"request", claim.context.request_id},
                                              obs::if_any("trace", trace_text(claim.context)),
                                              {"room", room},
                                              {"worker", worker.text()},
                                              {"players", claim.seats()}});
  }
}

void MasterLog::ordered(const WorkerId& worker, const wire::SpawnRoom& message, TimePoint now) {
  const wire::RequestContext* const cause = wire::cause_of(message.claims);
  OfWorker& of = workers_[worker];
  Order order{
      message.group, message.creation, cause == nullptr ? wire::RequestContext{} : *cause, now, {}};
  obs::log_info("room ordered", {obs::if_any("request", order.cause.request_id),
                                 obs::if_any("trace", trace_text(order.cause)),
                                 {"group", order.group.text()},
                                 {"creation", to_string(order.creation)},
                                 {"worker", worker.text()},
                                 {"requests", message.claims.size()}});
  if (of.asked.size() + of.starting.size() >= most_orders) return;
  of.asked.insert_or_assign(message.request, std::move(order));
}

// --- what workers say to it ----------------------------------------------------------------------

void MasterLog::happened(const Event& event, TimePoint now) {
  if (const auto* heard = std::get_if<WorkerSaid>(&event)) {
    said(heard->worker, heard->message, now);
  } else if (const auto* up = std::get_if<WorkerConnected>(&event)) {
    gone(up->worker);
    workers_[up->worker].incarnation = up->incarnation;
  } else if (const auto* down = std::get_if<WorkerDisconnected>(&event)) {
    gone(down->worker);
  }
}

void MasterLog::said(const WorkerId& worker, const wire::Report& report, TimePoint now) {
  const auto known = workers_.find(worker);
  if (known == workers_.end()) return;
  OfWorker& of = known->second;
  if (const auto* reply = std::get_if<wire::SpawnReply>(&report)) {
    answered(worker, *reply, now);
  } else if (of.starting.empty()) {
    return;
  } else if (const auto* seats = std::get_if<wire::SeatReply>(&report)) {
    room_changed(of, seats->room, seats->phase, seats->reason, now);
  } else if (const auto* news = std::get_if<wire::RoomsChanged>(&report)) {
    for (const auto& change : news->changed) {
      room_changed(of, change.number, change.phase, change.reason, now);
    }
  } else if (const auto* promise = std::get_if<wire::PrepareReply>(&report)) {
    for (const auto& room : promise->rooms) {
      room_changed(of, room.number, room.phase, wire::CloseReason::none, now);
    }
  }
}

void MasterLog::answered(const WorkerId& worker, const wire::SpawnReply& reply, TimePoint now) {
  OfWorker& of = workers_[worker];
  auto node = of.asked.extract(reply.request);
  if (node.empty()) return;
  Order& order = node.mapped();
  if (reply.outcome != wire::SpawnOutcome::accepted) {
    const auto reason = to_string(reply.outcome);
    trace(order, worker, reason, true, now);
    const auto like_it = refusals_.admit(reason, now);
    if (!like_it) return;
    obs::log_info("order refused" + obs::more_like_it(*like_it),
                  {obs::if_any("request", order.cause.request_id),
                   obs::if_any("trace", trace_text(order.cause)),
                   {"group", order.group.text()},
                   {"creation", to_string(order.creation)},
                   {"worker", worker.text()},
                   {"reason", reason}});
    return;
  }
  order.room = {worker, of.incarnation, reply.room.number};
  if (reply.room.phase != wire::RoomPhase::open) {
    of.starting.insert_or_assign(reply.room.number, std::move(order));
    room_changed(of, reply.room.number, reply.room.phase, wire::CloseReason::none, now);
    return;
  }
  trace(order, worker, "given", false, now);
  obs::log_info("warm room given", {obs::if_any("request", order.cause.request_id),
                                    obs::if_any("trace", trace_text(order.cause)),
                                    {"group", order.group.text()},
                                    {"creation", to_string(order.creation)},
                                    {"worker", worker.text()},
                                    {"room", to_string(order.room)}});
}

void MasterLog::room_changed(OfWorker& of, RoomNumber room, wire::RoomPhase phase,
                             wire::CloseReason reason, TimePoint now) {
  if (phase == wire::RoomPhase::starting) return;
  auto node = of.starting.extract(room);
  if (node.empty()) return;
  const Order& order = node.mapped();
  const bool opened = phase == wire::RoomPhase::open;
  trace(order, order.room.worker, opened ? "opened" : to_string(reason), !opened, now);
  obs::log_info(opened ? "room opened" : "room did not open",
                {obs::if_any("request", order.cause.request_id),
                 obs::if_any("trace", trace_text(order.cause)),
                 {"group", order.group.text()},
                 {"creation", to_string(order.creation)},
                 {"worker", order.room.worker.text()},
                 {"room", to_string(order.room)},
                 {"boot_ms", milliseconds_of(now - order.since)},
                 obs::if_any("reason", opened ? std::string_view{} : to_string(reason))});
}

void MasterLog::trace(const Order& order, const WorkerId& worker, std::string_view outcome,
                      bool failed, TimePoint now) {
  const auto& cause = order.cause.trace;
  if (!spans_.sink || !cause || !cause->sampled) return;
  obs::Span span;
  span.trace = cause->trace;
  span.id = ids_.span();
  span.parent = cause->span;
  span.name = "order room";
  span.kind = obs::SpanKind::client;
  span.begin = span_time(order.since, now);
  span.end = span_time(now, now);
  span.failed = failed;
  span.attributes = {{"fixkeep.outcome", std::string{outcome}},
                     {"fixkeep.group", order.group.text()},
                     {"fixkeep.creation", to_string(order.creation)},
                     {"fixkeep.worker", worker.text()}};
  if (!order.room.worker.empty())
    span.attributes.emplace_back("fixkeep.room", to_string(order.room));
  spans_.sink(std::move(span));
}

// Rooms that start there may open all the same; this master hears of them like any other.
void MasterLog::gone(const WorkerId& worker) {
  const auto node = workers_.extract(worker);
  if (node.empty()) return;
  const auto lost = [&](const Order& order) {
    obs::log_info("order out of sight: its worker's link is down",
                  {obs::if_any("request", order.cause.request_id),
                   obs::if_any("trace", trace_text(order.cause)),
                   {"group", order.group.text()},
                   {"creation", to_string(order.creation)},
                   {"worker", worker.text()}});
  };
  for (const auto& [request, order] : node.mapped().asked) lost(order);
  for (const auto& [room, order] : node.mapped().starting) lost(order);
}

// --- workers that are left out -------------------------------------------------------------------

void MasterLog::quarantined(const Quarantine::Stay& stay, TimePoint now) {
  obs::log_warning("worker quarantined",
                   {{"worker", stay.worker.text()},
                    obs::if_any("mode", stay.mode.text()),
                    {"since_it", to_string(stay.misdeed)},
                    {"gets", keeps_apart(stay.misdeed) ? "nothing" : "no orders"},
                    {"for_ms", milliseconds_of(std::max(stay.until - now, Duration{0}))},
                    {"times", stay.times}});
}

void MasterLog::tried_again(const Quarantine::Stay& stay) {
  obs::log_info("worker is tried again",
                {{"worker", stay.worker.text()}, obs::if_any("mode", stay.mode.text())});
}

}  // namespace fixkeep::master
