// The answers about tickets.
//
// Thread rule: free functions. Errors: none; docs/api.md lists the names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/net/http/server.hpp"
#include "master/core/seam/why_waits.hpp"
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
// Returns the body of a post to the webhook. `page`: the body of ticket_page(). The id is the same
// at every master.
[[nodiscard]] std::string ticket_event(const HeldTicket& ticket, std::string_view page);
// News: this master no longer holds the ticket. The ticket's text remains valid.
[[nodiscard]] std::string lost_json(const HeldTicket& ticket, std::string_view problem);
// 200, with an answer for each request of a batch.
[[nodiscard]] net::HttpAnswer batch_page(const std::vector<net::HttpAnswer>& answers);
// Reads the requests of a batch, each as a JSON text.
[[nodiscard]] std::variant<std::vector<std::string>, net::HttpAnswer> read_batch(
    std::string_view body);

// Returns whether the tags in `seen` ("If-None-Match") include the state's tag.
[[nodiscard]] bool includes(std::string_view seen, TicketState state);
[[nodiscard]] std::string tag_text(TicketState state);  // the state in quotation marks

// `text`: the ticket if the caller is certainly the ticket's owner; otherwise empty.
[[nodiscard]] net::HttpAnswer already_waiting(const std::string& text, unsigned retry_after_s);
[[nodiscard]] net::HttpAnswer ticket_too_long();
[[nodiscard]] net::HttpAnswer ticket_shown_again();
[[nodiscard]] net::HttpAnswer too_many_tickets();
[[nodiscard]] net::HttpAnswer only_for_services();
[[nodiscard]] net::HttpAnswer stream_not_accepted();

}  // namespace fixkeep::master
