#include "worker/shell/order_log.hpp"

#include <algorithm>
#include <variant>

#include "common/obs/log.hpp"

namespace fixkeep::worker {
namespace {

void tell_seats(const std::vector<wire::Claim>& claims, RoomNumber room,
                const std::vector<std::uint32_t>& granted) {
  if (!obs::log_enabled(obs::LogLevel::debug)) return;
  for (std::uint32_t i = 0; i < claims.size(); ++i) {
    const bool has_seats = std::binary_search(granted.begin(), granted.end(), i);
    obs::log_debug(has_seats ? "seats reserved" : "seats refused",
                   {{"room", room.number()},
                    {"players", claims[i].seats()},
                    obs::if_any("request", claims[i].context.request_id),
                    obs::if_any("trace", trace_text(claims[i].context))});
  }
}

}  // namespace

void OrderLog::answered(const wire::Order& order, const wire::Report& answer, TimePoint now) {
  if (const auto* seats = std::get_if<wire::SeatReply>(&answer)) {
    tell_seats(std::get<wire::SeatRequest>(order).claims, seats->room, seats->granted);
  } else if (const auto* made = std::get_if<wire::SpawnReply>(&answer)) {
    const auto& asked = std::get<wire::SpawnRoom>(order);
    if (made->outcome != wire::SpawnOutcome::accepted) return refused(asked, made->outcome, now);
    tell_seats(asked.claims, made->room.number, made->granted);
  }
}

void OrderLog::refused(const wire::SpawnRoom& order, wire::SpawnOutcome outcome, TimePoint now) {
  const auto reason = to_string(outcome);
  const auto like_it = refusals_.admit(reason, now);
  if (!like_it) return;
  const wire::RequestContext* const cause = wire::cause_of(order.claims);
  obs::log_info("order refused" + obs::more_like_it(*like_it),
                {{"group", order.group.text()},
                 {"creation", to_string(order.creation)},
                 {"reason", reason},
                 obs::if_any("request", cause == nullptr ? "" : cause->request_id),
                 obs::if_any("trace", cause == nullptr ? "" : trace_text(*cause))});
}

}  // namespace fixkeep::worker
