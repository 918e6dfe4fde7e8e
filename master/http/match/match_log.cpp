#include "master/http/match/match_log.hpp"

#include <algorithm>
#include <array>
#include <boost/beast/http/field.hpp>
#include <iterator>

#include "common/obs/log.hpp"

namespace fixkeep::master {
namespace {

// A repeated field counts as missing, because it is ambiguous.
std::string_view only_one(const net::HttpRequest& request, const auto& name) {
  const auto [first, last] = request.equal_range(name);
  if (first == last || std::next(first) != last) return {};
  return {first->value().data(), first->value().size()};
}

}  // namespace

wire::RequestContext context_of(const net::HttpRequest& request) {
  wire::RequestContext context;
  const auto id = only_one(request, "X-Request-Id");
  if (wire::is_request_id(id)) context.request_id = id;
  const auto parent = only_one(request, "traceparent");
  if (!parent.empty()) context.trace = parse_traceparent(parent);
  return context;
}

bool is_own_doing(std::string_view type) {
  constexpr std::array<std::string_view, 21> own{
      "invalid-json",         "invalid-request",  "unknown-mode",      "party-too-large",
      "already-seated",       "too-many-waiting", "too-many-requests", "too-many-starting-rooms",
      "token-needed",         "wrong-token",      "token-expired",     "too-many-wrong-tokens",
      "other-player",         "mode-forbidden",   "wrong-invitation",  "wrong-code",
      "too-many-wrong-codes", "room-full",        "room-closed",       "wrong-ticket",
      "ticket-expired"};
  return std::find(own.begin(), own.end(), type) != own.end();
}

void MatchLog::requested(const Request& request, const MatchRequested& match) {
  obs::log_debug("match requested", {{"request", request.context.request_id},
                                     obs::if_any("trace", trace_text(request.context)),
                                     {"ticket", request.ticket},
                                     {"mode", match.mode.text()},
                                     {"group", match.group.text()},
                                     {"players", match.claim.seats()}});
}

void MatchLog::seated(const Request& request, const Seated& seated) {
  obs::log_debug("match seated", {{"request", request.context.request_id},
                                  obs::if_any("trace", trace_text(request.context)),
                                  {"ticket", request.ticket},
                                  {"group", seated.group.text()},
                                  {"room", to_string(seated.room)},
                                  {"worker", seated.room.worker.text()}});
}

void MatchLog::cancelled(const Request& request, bool held) {
  if (!obs::log_enabled(obs::LogLevel::debug)) return;
  obs::log_debug(
      held ? "match cancelled: its ticket waits no more" : "match cancelled: its client hung up",
      {{"request", request.context.request_id},
       obs::if_any("trace", trace_text(request.context)),
       {"ticket", request.ticket}});
}

void MatchLog::refused(const Request& request, std::string_view type, std::string_view why,
                       TimePoint now) {
  const auto level = is_own_doing(type) ? obs::LogLevel::debug : obs::LogLevel::info;
  if (!obs::log_enabled(level)) return;
  std::string message = "match refused";
  if (level == obs::LogLevel::info) {
    const auto like_it = refusals_.admit(type, now);
    if (!like_it) return;
    message += obs::more_like_it(*like_it);
  }
  obs::log(level, message,
           {{"request", request.context.request_id},
            obs::if_any("trace", trace_text(request.context)),
            {"ticket", request.ticket},
            {"reason", type},
            obs::if_any("why", why)});
}

}  // namespace fixkeep::master
