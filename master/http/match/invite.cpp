// Parties of players with tokens: each member asks for an invitation, and the leader brings them.
#include <algorithm>
#include <utility>

#include "common/base/printable.hpp"
#include "common/obs/utc.hpp"
#include "common/wire/limits.hpp"
#include "master/http/json_text.hpp"
#include "master/http/match/desk.hpp"
#include "master/http/wall_clock.hpp"

namespace fixkeep::master {
namespace {

MatchProblem wrong_invitation(std::string_view detail) {
  return {"wrong-invitation", "An invitation does not count", std::string{detail}, 403};
}

// The one member of the body; empty: it is another one.
std::string leader_in(std::string_view body) {
  const auto document = nlohmann::json::parse(body, nullptr, false);
  if (!document.is_object() || document.size() != 1 || !document.contains("leader")) return {};
  const auto& leader = document["leader"];
  if (!leader.is_string()) return {};
  const auto& text = leader.get_ref<const std::string&>();
  return text.size() <= wire::limits::id_bytes && is_printable(text) ? text : std::string{};
}

}  // namespace

void MatchDesk::invite(const net::HttpRequest& request, const net::HttpResponder& responder,
                       TimePoint now) {
  const auto wall = wall_now();
  const auto address = responder.client();
  auto identified = identity_.identify(request, address, {now, wall});
  if (auto* refusal = std::get_if<Identity::Refusal>(&identified)) {
    return responder.answer(std::move(refusal->answer));
  }
  const Caller& caller = std::get<Caller>(identified);
  if (caller.may_name_others()) {
    return responder.answer(net::problem(403, "player-needed", "Only players invite",
                                         "show a player's token; others name the party"));
  }
  const CountedAs counted = counted_as(caller, name_of(address));
  const auto admission = limits_.admit(caller, counted, now);
  if (admission.verdict != ClientLimits::Verdict::admitted) {
    return responder.answer(to_answer(admission));
  }
  limits_.done(counted);
  const PlayerId leader{leader_in(request.body())};
  if (leader.empty() || leader == caller.player) {
    return responder.answer(net::problem(
        400, "invalid-request", "The request for an invitation is not valid",
        "send one JSON object such as {\"leader\":\"ann\"}, which names another player"));
  }
  std::string body = "{\"invitation\":";
  append_json_text(invitations_.make(leader, caller.player, wall), body);
  body += ",\"expires_at\":";
  append_json_text(obs::utc_text(wall + Invitations::life), body);
  responder.answer({.status = 200, .body = body + '}'});
}

std::optional<MatchProblem> MatchDesk::gather(MatchBody& body, auth::WallTime wall) {
  auto& claim = body.claim;
  for (std::size_t i = 0; i < body.invitations.size(); ++i) {
    auto used = invitations_.use(body.invitations[i], claim.player, wall);
    const auto* member = std::get_if<PlayerId>(&used);
    const bool twice = member != nullptr && std::find(claim.party.begin(), claim.party.end(),
                                                      *member) != claim.party.end();
    if (member != nullptr && !twice) {
      claim.party.push_back(*member);
      continue;
    }
    const std::size_t to_give_back = twice ? i + 1 : i;
    for (std::size_t k = 0; k < to_give_back; ++k) invitations_.give_back(body.invitations[k]);
    return wrong_invitation(twice ? "two invitations are of the same member"
                                  : detail_of(std::get<Invitations::Fault>(used)));
  }
  return {};
}

}  // namespace fixkeep::master
