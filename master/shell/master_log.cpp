#include "master/shell/master_log.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <variant>

#include "common/obs/log.hpp"
#include "master/http/view/pages.hpp"

namespace fixkeep::master {
namespace {

std::int64_t milliseconds_of(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

void asked(const WorkerId& worker, Incarnation run, const wire::SeatRequest& message) {
  const std::string room = to_string(RoomId{worker, run, message.room});
  for (const wire::Claim& claim : message.claims) {
    obs::log_debug("worker asked for seats", {{"request", claim.context.request_id},
                                              obs::if_any("trace", trace_text(claim.context)),
                                              {"room", room},
                                              {"worker", worker.text()},
                                              {"players", claim.seats()}});
  }
}

void ordered(const WorkerId& worker, const wire::SpawnRoom& message) {
  const wire::RequestContext* const cause = wire::cause_of(message.claims);
  obs::log_info("room ordered", {obs::if_any("request", cause == nullptr ? "" : cause->request_id),
                                 obs::if_any("trace", cause == nullptr ? "" : trace_text(*cause)),
                                 {"group", message.group.text()},
                                 {"creation", to_string(message.creation)},
                                 {"worker", worker.text()},
                                 {"requests", message.claims.size()}});
}

std::string_view message_of(OrderDone::How how) {
  switch (how) {
    case OrderDone::How::opened: return "room opened";
    case OrderDone::How::given: return "warm room given";
    case OrderDone::How::failed: return "room did not open";
    case OrderDone::How::refused: return "order refused";
    case OrderDone::How::out_of_sight: return "order out of sight: its worker's link is down";
  }
  return {};
}

}  // namespace

void MasterLog::taken(const LockTaken& lock) {
  obs::log_info("lock granted", {{"group", lock.group.text()}, {"token", text_of(lock.token)}});
}

void MasterLog::modes_wait(const std::vector<MasterId>& missing) {
  std::string names;
  for (const MasterId peer : missing) names += (names.empty() ? "" : ", ") + to_string(peer);
  obs::log_warning("modes were read and wait until all masters have them",
                   {{"missing", names}, {"do", "give them the same modes and send them SIGHUP"}});
}

void MasterLog::modes_in_effect() {
  obs::log_info("modes in effect", {});
}

void MasterLog::lock_server(std::string_view strategy, bool ready) {
  if (ready) {
    obs::log_info("lock server ready", {{"strategy", strategy}});
  } else {
    obs::log_warning("lock server away", {{"strategy", strategy}});
  }
}

// --- orders --------------------------------------------------------------------------------------

void MasterLog::sends(const SendToWorker& action, const Directory& directory) {
  if (const auto* order = std::get_if<wire::SpawnRoom>(&action.message)) {
    return ordered(action.worker, *order);
  }
  const auto* const seats = std::get_if<wire::SeatRequest>(&action.message);
  if (seats == nullptr || !obs::log_enabled(obs::LogLevel::debug)) return;
  const Worker* const worker = directory.find(action.worker);
  if (worker != nullptr) asked(action.worker, worker->incarnation, *seats);
}

void MasterLog::done(const OrderDone& order, TimePoint now) {
  trace(order, now);
  std::string message{message_of(order.how)};
  if (order.how == OrderDone::How::refused) {
    const auto like_it = refusals_.admit(order.why, now);
    if (!like_it) return;
    message += obs::more_like_it(*like_it);
  }
  const bool booted = order.how == OrderDone::How::opened || order.how == OrderDone::How::failed;
  const auto text = order.room.worker.empty() ? std::string{} : to_string(order.room);
  obs::log_info(message, {obs::if_any("request", order.cause.request_id),
                          obs::if_any("trace", trace_text(order.cause)),
                          {"group", order.group.text()},
                          {"creation", to_string(order.creation)},
                          {"worker", order.worker.text()},
                          obs::if_any("room", text),
                          booted ? obs::LogField{"boot_ms", milliseconds_of(now - order.ordered_at)}
                                 : obs::LogField{"", ""},
                          obs::if_any("reason", order.why)});
}

void MasterLog::trace(const OrderDone& order, TimePoint now) {
  const auto& cause = order.cause.trace;
  if (!spans_.sink || !cause || !cause->sampled) return;
  if (order.how == OrderDone::How::out_of_sight) return;  // the result is not known
  obs::Span span;
  span.trace = cause->trace;
  span.id = ids_.span();
  span.parent = cause->span;
  span.name = "order room";
  span.kind = obs::SpanKind::client;
  span.begin = span_time(order.ordered_at, now);
  span.end = span_time(now, now);
  span.failed = order.how == OrderDone::How::failed || order.how == OrderDone::How::refused;
  const std::string_view outcome = span.failed                           ? order.why
                                   : order.how == OrderDone::How::opened ? "opened"
                                                                         : "given";
  span.attributes = {{"fixkeep.outcome", std::string{outcome}},
                     {"fixkeep.group", order.group.text()},
                     {"fixkeep.creation", to_string(order.creation)},
                     {"fixkeep.worker", order.worker.text()}};
  if (!order.room.worker.empty()) {
    span.attributes.emplace_back("fixkeep.room", to_string(order.room));
  }
  spans_.sink(std::move(span));
}

// --- workers in quarantine -----------------------------------------------------------------------

void MasterLog::quarantined(const Quarantine::Stay& stay, TimePoint now) {
  obs::log_warning("worker quarantined",
                   {{"worker", stay.worker.text()},
                    obs::if_any("mode", stay.mode.text()),
                    {"since_it", to_string(stay.misdeed)},
                    {"gets", what_it_gets(stay.misdeed)},
                    {"for_ms", milliseconds_of(std::max(stay.until - now, Duration{0}))},
                    {"times", stay.times}});
}

void MasterLog::tried_again(const Quarantine::Stay& stay) {
  obs::log_info("worker is tried again",
                {{"worker", stay.worker.text()}, obs::if_any("mode", stay.mode.text())});
}

}  // namespace fixkeep::master
