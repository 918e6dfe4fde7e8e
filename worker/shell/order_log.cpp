#include "worker/shell/order_log.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "common/obs/log.hpp"

namespace fixkeep::worker {
namespace {

bool seats_are_logged() {
  return obs::log_enabled(obs::LogLevel::debug);
}

}  // namespace

void OrderLog::asked(MasterId master, const wire::Order& asked) {
  const auto note = [&](const std::vector<wire::Claim>& claims, Question& question) {
    for (const wire::Claim& claim : claims) {
      question.claims.push_back({claim.context, claim.seats()});
    }
  };
  if (const auto* order = std::get_if<wire::SpawnRoom>(&asked)) {
    Question& question = questions_[master][order->request];
    question = {order->group, order->creation, {}};
    note(order->claims, question);
  } else if (const auto* seats = std::get_if<wire::SeatRequest>(&asked)) {
    if (!seats_are_logged()) return;
    Question& question = questions_[master][seats->request];
    question = {};
    note(seats->claims, question);
  }
}

void OrderLog::answers(MasterId master, const wire::Report& report, TimePoint now) {
  const auto of_master = questions_.find(master);
  if (of_master == questions_.end() || of_master->second.empty()) return;
  const auto tell_seats = [&](const Question& question, RoomNumber room,
                              const std::vector<std::uint32_t>& granted) {
    if (!seats_are_logged()) return;
    for (std::uint32_t i = 0; i < question.claims.size(); ++i) {
      const Asked& claim = question.claims[i];
      const bool has_seats = std::binary_search(granted.begin(), granted.end(), i);
      obs::log_debug(has_seats ? "seats reserved" : "seats refused",
                     {{"room", room.number()},
                      {"players", claim.players},
                      obs::if_any("request", claim.context.request_id),
                      obs::if_any("trace", trace_text(claim.context))});
    }
  };
  if (const auto* reply = std::get_if<wire::SeatReply>(&report)) {
    const auto question = of_master->second.extract(reply->request);
    if (!question.empty()) tell_seats(question.mapped(), reply->room, reply->granted);
  } else if (const auto* made = std::get_if<wire::SpawnReply>(&report)) {
    const auto question = of_master->second.extract(made->request);
    if (question.empty()) return;
    if (made->outcome == wire::SpawnOutcome::accepted) {
      tell_seats(question.mapped(), made->room.number, made->granted);
    } else {
      refused(question.mapped(), made->outcome, now);
    }
  }
}

void OrderLog::refused(const Question& order, wire::SpawnOutcome outcome, TimePoint now) {
  const auto reason = to_string(outcome);
  const auto like_it = refusals_.admit(reason, now);
  if (!like_it) return;
  const auto traced =
      std::find_if(order.claims.begin(), order.claims.end(),
                   [](const Asked& claim) { return claim.context.trace.has_value(); });
  const auto cause = traced == order.claims.end() ? order.claims.begin() : traced;
  const wire::RequestContext context =
      cause == order.claims.end() ? wire::RequestContext{} : cause->context;
  obs::log_info("order refused" + obs::more_like_it(*like_it),
                {{"group", order.group.text()},
                 {"creation", to_string(order.creation)},
                 {"reason", reason},
                 obs::if_any("request", context.request_id),
                 obs::if_any("trace", trace_text(context))});
}

}  // namespace fixkeep::worker
