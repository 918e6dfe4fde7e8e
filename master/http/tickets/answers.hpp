// The answers about tickets.
//
// Thread rule: free functions. Errors: none; docs/api.md lists the names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/net/http/server.hpp"
#include "master/core/seam/why_waits.hpp"
#include "master/http/match/body.hpp"
#include "master/http/tickets/held_tickets.hpp"

namespace fixkeep::master {

struct TicketFacts {
  TimePoint now;
  std::string estimate{};  // JSON of the expected wait; empty: not known
  std::optional<WhyWaits> why{};
};

[[nodiscard]] net::HttpAnswer ticket_made(const HeldTicket& ticket, const std::string& text,
                                          const TicketFacts& facts);  // 201
[[nodiscard]] net::HttpAnswer ticket_page(const HeldTicket& ticket,
                                          const TicketFacts& facts);       // 200
[[nodiscard]] net::HttpAnswer ticket_unchanged(const HeldTicket& ticket);  // 304

// Returns whether the tags in `seen` ("If-None-Match") include the state's tag.
[[nodiscard]] bool includes(std::string_view seen, TicketState state);

// `text`: the ticket if the caller is certainly the ticket's owner; otherwise empty.
[[nodiscard]] net::HttpAnswer already_waiting(const std::string& text, unsigned retry_after_s);
[[nodiscard]] net::HttpAnswer ticket_too_long();
[[nodiscard]] net::HttpAnswer ticket_shown_again();
[[nodiscard]] net::HttpAnswer too_many_tickets();
[[nodiscard]] net::HttpAnswer answer_of(const MatchProblem& problem);

}  // namespace fixkeep::master
