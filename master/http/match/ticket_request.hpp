// The match request in a ticket, and the refusals of tickets that are not valid.
//
// Thread rule: free functions. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "master/http/identity/ticket_text.hpp"
#include "master/http/match/body.hpp"

namespace fixkeep::master {

// Returns the request for a ticket: the body as sent, with all players of the claim instead of
// invitations, and with the code instead of the request for a new code. `read` was read from
// `body`.
[[nodiscard]] std::string request_of_ticket(std::string_view body, const MatchBody& read);

[[nodiscard]] MatchProblem wrong_ticket(TicketTexts::Fault fault);
[[nodiscard]] MatchProblem ticket_expired();
// Returns the problem if the mode has changed and no longer accepts the ticket's request.
[[nodiscard]] MatchProblem ticket_outdated(const std::string& why);

}  // namespace fixkeep::master
