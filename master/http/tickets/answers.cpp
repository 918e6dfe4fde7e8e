#include "master/http/tickets/answers.hpp"

#include <nlohmann/json.hpp>

#include "common/base/json_text.hpp"
#include "common/obs/utc.hpp"
#include "master/http/match/why.hpp"
#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

std::string quoted(TicketState state) {
  return '"' + std::string{to_string(state)} + '"';
}

// Two answers with the same state may differ in their times, so the tag is weak.
std::string tag_of(const HeldTicket& ticket) {
  return "W/" + quoted(ticket.state);
}

void add_text(std::string_view name, std::string_view text, std::string& out) {
  out.append(out.size() == 1 ? "\"" : ",\"").append(name).append("\":");
  append_json_text(text, out);
}

void add_json(std::string_view name, std::string_view json, std::string& out) {
  out.append(",\"").append(name).append("\":").append(json);
}

std::string json_of(const HeldTicket& ticket, const std::string* text, const TicketFacts& facts) {
  std::string out{"{"};
  if (text != nullptr) add_text("ticket", *text, out);
  add_text("ticket_id", ticket.claims.id, out);
  add_text("state", to_string(ticket.state), out);
  add_text("mode", ticket.mode.text(), out);
  add_text("expires_at", obs::utc_text(ticket.claims.until), out);
  if (waits(ticket.state)) {
    const auto waited =
        std::chrono::duration_cast<std::chrono::milliseconds>(facts.now - ticket.since);
    add_json("waited_ms", std::to_string(waited.count()), out);
    if (!facts.estimate.empty()) add_json("estimate", facts.estimate, out);
    if (facts.why) {
      const auto why = why_json(*facts.why, facts.now);
      if (!why.is_null()) add_json("why", why.dump(), out);
    }
  }
  const bool seated = ticket.state == TicketState::ready;
  if (!ticket.outcome.empty()) add_json(seated ? "seat" : "problem", ticket.outcome, out);
  return out + '}';
}

}  // namespace

net::HttpAnswer ticket_made(const HeldTicket& ticket, const std::string& text,
                            const TicketFacts& facts) {
  return {.status = 201,
          .body = json_of(ticket, &text, facts),
          .location = "/v1/tickets/" + text,
          .etag = tag_of(ticket)};
}

net::HttpAnswer ticket_page(const HeldTicket& ticket, const TicketFacts& facts) {
  return {.status = 200, .body = json_of(ticket, nullptr, facts), .etag = tag_of(ticket)};
}

net::HttpAnswer ticket_unchanged(const HeldTicket& ticket) {
  return {.status = 304, .body = {}, .etag = tag_of(ticket)};
}

bool includes(std::string_view seen, TicketState state) {
  return seen.find(quoted(state)) != std::string_view::npos;
}

net::HttpAnswer already_waiting(const std::string& text, unsigned retry_after_s) {
  auto answer = net::problem(409, "already-waiting", "A player has a ticket of this mode",
                             "go on with that ticket, or cancel it with DELETE; a ticket that is "
                             "not polled ends here after tickets.keep_ms");
  if (!text.empty()) answer = with_member(std::move(answer), "ticket", text);
  answer.retry_after_seconds = retry_after_s;
  return answer;
}

net::HttpAnswer ticket_too_long() {
  return net::problem(400, "ticket-too-long", "The request is too long for a ticket",
                      "a ticket has at most " + std::to_string(TicketTexts::most_bytes) +
                          " bytes: name fewer players or shorter attributes, or send the "
                          "request with POST /v1/match");
}

net::HttpAnswer ticket_shown_again() {
  return net::problem(400, "invalid-request", "The match request is not valid",
                      "ticket is for POST /v1/match: poll a ticket with GET /v1/tickets/{ticket}");
}

net::HttpAnswer too_many_tickets() {
  auto answer = net::problem(429, "too-many-waiting", "Too many tickets are waiting here",
                             "ask another master, or retry after the time in Retry-After");
  answer.retry_after_seconds = 1;
  return answer;
}

net::HttpAnswer answer_of(const MatchProblem& problem) {
  return net::problem(problem.status, problem.type, problem.title, problem.detail);
}

}  // namespace fixkeep::master
