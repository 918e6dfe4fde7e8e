#include "master/http/tickets/answers.hpp"

#include <nlohmann/json.hpp>

#include "common/base/json_bounds.hpp"
#include "common/obs/utc.hpp"
#include "master/http/json_member.hpp"
#include "master/http/match/why.hpp"
#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

// Two answers with the same state may differ in their times, so the tag is weak.
std::string tag_of(const HeldTicket& ticket) {
  return "W/" + tag_text(ticket.state);
}

void add_json(std::string_view name, std::string_view json, std::string& out) {
  out.append(",\"").append(name).append("\":").append(json);
}

std::string json_of(const HeldTicket& ticket, const std::string* text, const TicketFacts& facts) {
  std::string out;
  if (text != nullptr) append_member("ticket", *text, out);
  append_member("ticket_id", ticket.claims.id, out);
  append_member("state", to_string(ticket.state), out);
  append_member("mode", ticket.mode.text(), out);
  append_member("expires_at", obs::utc_text(ticket.claims.until), out);
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

std::string ticket_event(const HeldTicket& ticket, std::string_view page) {
  std::string out;
  std::string id = "ticket-state/" + ticket.claims.id + "/" + std::string{to_string(ticket.state)};
  // A ticket may become ready again, with seats in another room.
  const auto seat = nlohmann::json::parse(page).value("seat", nlohmann::json::object());
  if (!seat.empty()) id += "/" + seat.value("room_id", "");
  append_member("id", id, out);
  append_member("event", "ticket-state", out);
  add_json("ticket", page, out);
  return out + '}';
}

net::HttpAnswer ticket_unchanged(const HeldTicket& ticket) {
  return {.status = 304, .body = {}, .etag = tag_of(ticket)};
}

std::string lost_json(const HeldTicket& ticket, std::string_view problem) {
  std::string out;
  append_member("ticket_id", ticket.claims.id, out);
  append_member("state", "lost", out);
  append_member("mode", ticket.mode.text(), out);
  add_json("problem", problem, out);
  return out + '}';
}

std::string tag_text(TicketState state) {
  return '"' + std::string{to_string(state)} + '"';
}

bool includes(std::string_view seen, TicketState state) {
  return seen.find(tag_text(state)) != std::string_view::npos;
}

net::HttpAnswer batch_page(const std::vector<net::HttpAnswer>& answers) {
  std::string out{"{\"answers\":["};
  for (const net::HttpAnswer& each : answers) {
    if (out.back() != '[') out += ',';
    out.append("{\"status\":").append(std::to_string(each.status));
    if (each.retry_after_seconds > 0) {
      add_json("retry_after_s", std::to_string(each.retry_after_seconds), out);
    }
    add_json("body", each.body, out);
    out += '}';
  }
  return {.status = 200, .body = out + "]}"};
}

std::variant<std::vector<std::string>, net::HttpAnswer> read_batch(std::string_view body) {
  constexpr std::size_t most = 100;
  const bool flat = fixkeep::is_within(
      body, JsonBounds{.deepest = 32});  // its writer calls itself for each level
  const auto document = nlohmann::json::parse(flat ? body : "[]", nullptr, false);
  const auto wrong = [](std::string_view type, std::string_view title) {
    return net::problem(400, type, title,
                        "send {\"requests\":[…]} with 1 to " + std::to_string(most) +
                            " match requests, as for POST /v1/tickets, with at most 32 levels");
  };
  if (document.is_discarded()) return wrong("invalid-json", "The body is not JSON");
  const bool alone = document.is_object() && document.size() == 1;
  const auto list = alone ? document.value("requests", nlohmann::json{}) : nlohmann::json{};
  if (!list.is_array() || list.empty() || list.size() > most) {
    return wrong("invalid-request", "The batch is not valid");
  }
  std::vector<std::string> requests;
  for (const auto& each : list) requests.push_back(each.dump());
  return requests;
}

net::HttpAnswer already_waiting(const std::string& text, unsigned retry_after_s) {
  auto answer = net::problem(409, "already-waiting", "A player has a ticket of this mode",
                             "go on with that ticket, or cancel it with DELETE; a ticket that is "
                             "not polled ends here after tickets.keep_ms");
  if (!text.empty()) answer = with_member(std::move(answer), "ticket", text);
  return retry_in(retry_after_s, std::move(answer));
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
  return retry_in(1, net::problem(429, "too-many-waiting", "Too many tickets are waiting here",
                                  "ask another master, or retry after the time in Retry-After"));
}

net::HttpAnswer only_for_services() {
  return net::problem(403, "key-needed", "Only services may do this",
                      "send a key of identity.keys; others use POST /v1/tickets and "
                      "GET /v1/tickets/{ticket}");
}

net::HttpAnswer stream_not_accepted() {
  return net::problem(400, "invalid-request", "The tickets of a service are a stream",
                      "send Accept: text/event-stream, or poll GET /v1/tickets/{ticket}");
}

}  // namespace fixkeep::master
