#include "worker/shell/room_log.hpp"

#include <algorithm>

#include "common/obs/log.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;

std::string milliseconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) +
         " ms";
}

// Returns the reason's name (the same as in masters and metrics), followed by the details.
std::string words_of(CloseReason reason, const std::string& more) {
  const std::string word{to_string(reason)};
  return more.empty() ? word : word + ": " + more;
}

}  // namespace

RoomLog::RoomLog(const RoomHostOptions& options)
    : modes_(options.modes), close_empty_after_(options.close_empty_after) {}

RoomLog::Known& RoomLog::known_of(const StartProcess& order) {
  Known& known = rooms_[order.room];
  const auto mode = std::find_if(modes_.begin(), modes_.end(),
                                 [&](const auto& each) { return each.name == order.mode; });
  if (mode != modes_.end()) known.mode = *mode;
  known.creation = order.creation;
  known.cause = order.cause;
  return known;
}

void RoomLog::adopted(const AdoptProcess& room, bool runs) {
  const StartProcess& order = room.as;
  known_of(order).ready = room.open;
  if (!runs) return;
  obs::log_info("room goes on", {{"room", order.room.number()},
                                 {"group", order.group.text()},
                                 {"port", room.place ? room.place->port() : 0},
                                 {"creation", to_string(order.creation)}});
}

void RoomLog::starting(const StartProcess& order, const wire::RoomPlace& place) {
  (void)known_of(order);
  obs::log_info("room starting",
                {{"room", order.room.number()},
                 {"group", order.group.text()},
                 place.ports.empty() ? obs::LogField{"", ""} : obs::LogField{"port", place.port()},
                 {"creation", to_string(order.creation)},
                 obs::if_any("request", order.cause.request_id),
                 obs::if_any("trace", trace_text(order.cause))});
}

void RoomLog::given(const RoomGiven& room) {
  if (const auto known = rooms_.find(room.room); known != rooms_.end()) {
    known->second.creation = room.creation;
    known->second.cause = room.cause;
  }
  obs::log_info("warm room given", {{"room", room.room.number()},
                                    {"group", room.group.text()},
                                    {"creation", to_string(room.creation)},
                                    obs::if_any("request", room.cause.request_id),
                                    obs::if_any("trace", trace_text(room.cause))});
}

void RoomLog::never_warm(const ModeName& mode) {
  obs::log_warning(
      "this mode cannot have warm rooms, which masters want: its game needs {group} at the start",
      {{"mode", mode.text()}});
}

void RoomLog::refused(const GroupRefused& order, TimePoint now) {
  const auto like_it = failures_.admit("refused/" + order.mode.text() + "/" + order.why, now);
  if (!like_it) return;
  obs::log_warning("no room for this group: its game must not be told what players have sent" +
                       obs::more_like_it(*like_it),
                   {{"mode", order.mode.text()},
                    {"group", order.group.text()},
                    {"reason", order.why},
                    obs::if_any("request", order.cause.request_id),
                    obs::if_any("trace", trace_text(order.cause))});
}

void RoomLog::ready(RoomNumber room) {
  const auto found = rooms_.find(room);
  if (found == rooms_.end() || !found->second.reason.empty()) return;
  if (std::exchange(found->second.ready, true)) return;
  const Known& known = found->second;
  obs::log_info("room open", {{"room", room.number()},
                              {"creation", to_string(known.creation)},
                              obs::if_any("request", known.cause.request_id),
                              obs::if_any("trace", trace_text(known.cause))});
}

void RoomLog::unreachable(const ModeName& mode, const std::string& address, std::uint16_t port,
                          TimePoint now) {
  const auto like_it = failures_.admit("unreachable/" + mode.text(), now);
  if (!like_it) return;
  obs::log_error("no player reaches a game that listens at the loopback device alone" +
                     obs::more_like_it(*like_it),
                 {{"mode", mode.text()}, {"port", port}, {"players_are_told", address}});
}

void RoomLog::silent(RoomNumber room, Duration limit) {
  const auto found = rooms_.find(room);
  if (found == rooms_.end() || !found->second.reason.empty()) return;
  found->second.reason =
      words_of(found->second.ready ? CloseReason::unhealthy : CloseReason::boot_failed,
               "no sign of health for " + milliseconds(limit));
  found->second.failed = true;
  obs::log_warning("room closing", {{"room", room.number()}, {"reason", found->second.reason}});
}

void RoomLog::closing(RoomNumber room, CloseReason reason, const std::string& why) {
  Known& known = rooms_[room];
  known.reason = why.empty() ? in_words(known, reason) : words_of(reason, why);
  known.failed = wire::is_failed_boot(reason) || reason == CloseReason::crashed ||
                 reason == CloseReason::unhealthy;
  obs::log_info("room closing", {{"room", room.number()}, {"reason", known.reason}});
}

void RoomLog::paused(const LogPause& pause, TimePoint now) {
  const auto like_it = failures_.admit("paused/" + pause.mode.text(), now);
  if (!like_it) return;
  obs::log_warning(
      "no rooms of the mode for a while: its games fail to boot" + obs::more_like_it(*like_it),
      {{"mode", pause.mode.text()},
       {"pause", milliseconds(pause.length)},
       {"failures", pause.failures},
       {"reason", pause.why}});
}

void RoomLog::players_unknown(RoomNumber room, const std::string& why) {
  obs::log_warning("cannot tell how many play: no seat comes free",
                   {{"room", room.number()}, {"reason", why}});
}

void RoomLog::killed(RoomNumber room, CloseReason reason, const std::string& waited_for) {
  Known& known = rooms_[room];
  if (known.reason.empty()) {
    // The room was not closing yet, so the game gets no grace: for example, its boot took too long.
    known.reason = in_words(known, reason);
    if (reason == CloseReason::boot_timeout && known.mode) {
      known.reason += " " + milliseconds(known.mode->boot_timeout);
      if (!waited_for.empty()) known.reason += ": " + waited_for;
    }
    known.failed = true;
    obs::log_warning("room closing", {{"room", room.number()}, {"reason", known.reason}});
  } else if (!known.failed && known.mode) {
    obs::log_warning("game killed: it did not end in time",
                     {{"room", room.number()},
                      {"reason", known.reason},
                      {"grace", milliseconds(known.mode->stop_grace)}});
  }
}

std::string RoomLog::in_words(const Known& known, CloseReason reason) const {
  switch (reason) {
    case CloseReason::none: return "not said";
    case CloseReason::empty: return words_of(reason, "for " + milliseconds(close_empty_after_));
    case CloseReason::boot_failed:
      return words_of(reason, known.ready ? "" : "the game asked to end before it was ready");
    case CloseReason::crashed: return words_of(reason, "it ended by itself");
    case CloseReason::shut_down: return words_of(reason, "the game asked for it");
    case CloseReason::drained: return words_of(reason, "an operator asked for it");
    case CloseReason::stopping: return words_of(reason, "the worker ends");
    case CloseReason::unhealthy: return words_of(reason, "");
    case CloseReason::boot_timeout: return words_of(reason, "not ready after");
  }
  return {};
}

void RoomLog::ended(RoomNumber room, const GameEnd& end, TimePoint now) {
  auto node = rooms_.extract(room);
  const Known known = node.empty() ? Known{} : std::move(node.mapped());
  const bool good = !known.reason.empty() && !known.failed;
  std::string reason = known.reason;
  const bool had_none = end.kind == GameEnd::Kind::not_started && end.blameless;
  if (reason.empty() && had_none) {
    reason = words_of(CloseReason::boot_failed, "no game could be started for it");
  } else if (reason.empty()) {
    reason = known.ready ? in_words(known, CloseReason::crashed)
                         : words_of(CloseReason::boot_failed, "it ended before it was ready");
  }
  if (good) {
    obs::log_info("game ended", {{"room", room.number()}, {"how", end.how}, {"reason", reason}});
    return;
  }
  const std::string mode = !known.mode ? "" : known.mode->name.text();
  const auto like_it = failures_.admit(mode + "/" + reason, now);
  if (!like_it) return;
  const std::string what = had_none ? "room without a game" : "game failed";
  obs::log_warning(what + obs::more_like_it(*like_it),
                   {{"room", room.number()},
                    {"mode", mode},
                    {"how", end.how},
                    {"reason", reason},
                    {"last_output", end.last_lines},
                    {"creation", to_string(known.creation)},
                    obs::if_any("request", known.cause.request_id),
                    obs::if_any("trace", trace_text(known.cause))});
}

}  // namespace fixkeep::worker
