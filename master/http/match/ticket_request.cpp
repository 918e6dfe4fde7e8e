#include "master/http/match/ticket_request.hpp"

#include <nlohmann/json.hpp>

namespace fixkeep::master {

std::string request_of_ticket(std::string_view body, const MatchBody& read) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (body.starts_with(byte_order_mark)) body.remove_prefix(byte_order_mark.size());
  auto request = nlohmann::ordered_json::parse(body, nullptr, false);
  // This should not happen, because the master has already read `body` as an object. The fuzz
  // target `match_body` shows that this parser accepts each text that the master's reader accepts.
  if (!request.is_object()) request = nlohmann::ordered_json::object();
  for (const char* name : {"invitations", "create", "wait_ms"}) request.erase(name);
  request["player_id"] = read.claim.player.text();
  if (!read.claim.party.empty()) {
    auto& party = request["party"] = nlohmann::ordered_json::array();
    for (const PlayerId& player : read.claim.party) party.push_back(player.text());
  }
  if (!read.code.empty()) request["code"] = read.code;
  return request.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

MatchProblem wrong_ticket(TicketTexts::Fault fault) {
  const std::string_view detail =
      fault == TicketTexts::Fault::of_another
          ? "the ticket is another caller's: show the player's token or the service's key that "
            "asked for it"
          : "the text is no ticket of this cluster: get one with POST /v1/tickets; without "
            "cluster.secret a ticket counts only at the master that made it, until its restart";
  return {"wrong-ticket", "The ticket does not count", std::string{detail}, 403};
}

MatchProblem ticket_expired() {
  return {"ticket-expired", "The ticket has expired",
          "its players have waited as long as they were allowed to: get another one", 410};
}

MatchProblem ticket_outdated(const std::string& why) {
  return {"ticket-expired", "The ticket has expired",
          "its mode has changed since: get another one; " + why, 410};
}

}  // namespace fixkeep::master
