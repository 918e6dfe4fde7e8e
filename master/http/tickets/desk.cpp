#include "master/http/tickets/desk.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "common/net/steady_clock.hpp"
#include "master/core/seam/each_player.hpp"
#include "master/http/call.hpp"
#include "master/http/match/refusals.hpp"
#include "master/http/match/ticket_request.hpp"
#include "master/http/preferred_wait.hpp"
#include "master/http/wall_clock.hpp"

namespace fixkeep::master {
namespace {

// A refusal with one of these statuses says that the same request may succeed later or at another
// master. The ticket remains valid.
bool may_go_on(unsigned status) {
  return status == 429 || status == 503;
}

// REQUIRES: the ticket has a poll.
bool has_news(const HeldTicket& ticket) {
  const std::string& seen = ticket.poll->seen;
  return !waits(ticket.state) || (!seen.empty() && !includes(seen, ticket.state));
}

}  // namespace

TicketsDesk::TicketsDesk(MatchDesk& desk, const MasterCore& core, Duration keep, Tell tell)
    : desk_(desk), core_(core), keep_time_(keep), tell_(std::move(tell)) {
  desk_.on_held_end([this](MatchDesk::HeldEnd&& end) { ended(std::move(end)); });
}

// --- calls ---------------------------------------------------------------------------------------

void TicketsDesk::make(const ApiCall& call) {
  call.answer(make_one(call.request, call.responder.client(), call.context.now()));
}

void TicketsDesk::make_all(const ApiCall& call) {
  if (!service_of(call)) return;
  auto read = read_batch(call.request.body());
  if (auto* wrong = std::get_if<net::HttpAnswer>(&read)) return call.answer(std::move(*wrong));
  std::vector<net::HttpAnswer> answers;
  net::HttpRequest one = call.request;
  for (auto& body : std::get<0>(read)) {
    one.body() = std::move(body);
    answers.push_back(make_one(one, call.responder.client(), call.context.now()));
  }
  call.answer(batch_page(answers));
}

net::HttpAnswer TicketsDesk::make_one(const net::HttpRequest& by,
                                      const boost::asio::ip::address& client, TimePoint now) {
  Intake& intake = desk_.intake();
  auto admission = intake.admit(by, client, now);
  if (auto* refusal = std::get_if<Identity::Refusal>(&admission)) return std::move(refusal->answer);
  auto& admitted = std::get<Intake::Admitted>(admission);
  const MatchBody& body = admitted.body;
  const TicketId request = desk_.new_ticket();
  const auto wall = wall_now();
  TicketClaims claims{desk_.name_of(request), admitted.owner, wall, wall + body.wait, {}};
  auto text = sign(by.body(), body, claims);
  if (auto* refusal = std::get_if<net::HttpAnswer>(&text)) {
    intake.done(admitted.held, false);
    return std::move(*refusal);
  }
  auto taken = take(by, request, std::move(claims), std::move(admitted), now);
  if (auto* refusal = std::get_if<net::HttpAnswer>(&taken)) return std::move(*refusal);
  const HeldTicket& ticket = *std::get<HeldTicket*>(taken);
  return ticket_made(ticket, std::get<std::string>(text), facts_of(ticket, now));
}

std::variant<std::string, net::HttpAnswer> TicketsDesk::sign(std::string_view request,
                                                             const MatchBody& body,
                                                             TicketClaims& claims) {
  if (!body.ticket.empty()) return ticket_shown_again();
  claims.request = request_of_ticket(request, body);
  auto text = desk_.intake().tickets().sign(claims);
  if (!text) return ticket_too_long();
  return *std::move(text);
}

// Identifies a caller with a key. If this fails, answers the call.
std::optional<Caller> TicketsDesk::service_of(const ApiCall& call) {
  auto known = desk_.intake().caller_of(call.request, call.responder.client(), call.context.now());
  if (auto* refusal = std::get_if<net::HttpAnswer>(&known)) {
    call.answer(std::move(*refusal));
    return {};
  }
  Caller& caller = std::get<Caller>(known);
  if (caller.kind == Caller::Kind::service) return std::move(caller);
  call.answer(only_for_services());
  return {};
}

void TicketsDesk::watch(const ApiCall& call) {
  const auto caller = service_of(call);
  if (!caller) return;
  if (!wants_stream(call.request)) return call.answer(stream_not_accepted());
  const auto stream = call.responder.stream("text/event-stream");
  if (!stream || !stream->send(no_news_text())) return;
  services_.add(owner_of(*caller), *stream, call.context.now());
}

void TicketsDesk::show(const ApiCall& call) {
  const auto seen = shown(call);
  if (!seen) return;
  HeldTicket* ticket = held_.find(seen->claims.id);
  if (ticket == nullptr) ticket = take_over(call, *seen);
  if (ticket != nullptr) poll(call, *ticket);
}

void TicketsDesk::cancel(const ApiCall& call) {
  const auto seen = shown(call);
  if (!seen) return;
  const TimePoint now = call.context.now();
  HeldTicket* ticket = held_.find(seen->claims.id);
  if (ticket != nullptr && waits(ticket->state)) {
    desk_.cancel(ticket->request, now);
    end(*ticket, TicketState::cancelled, {}, now);
  } else if (ticket != nullptr && ticket->room) {
    return desk_.leave({{}, *ticket->room, ticket->players}, call.responder,
                       [this, id = ticket->claims.id, now] { gave_back(id, now); });
  }
  call.answer({.status = 204, .body = {}});
}

void TicketsDesk::gave_back(const std::string& id, TimePoint now) {
  HeldTicket* ticket = held_.find(id);
  if (ticket == nullptr || !ticket->room) return;
  ticket->state = TicketState::cancelled;
  ticket->outcome.clear();
  ticket->room.reset();
  report(*ticket, now);
  keep(*ticket, now);
}

std::optional<TicketsDesk::Shown> TicketsDesk::shown(const ApiCall& call) {
  Intake& intake = desk_.intake();
  auto known = intake.caller_of(call.request, call.responder.client(), call.context.now());
  if (auto* refusal = std::get_if<net::HttpAnswer>(&known)) {
    call.answer(std::move(*refusal));
    return {};
  }
  Caller& caller = std::get<Caller>(known);
  const std::string_view text = call.parameters[0];
  auto read = intake.tickets().read(text, owner_of(caller));
  if (const auto* fault = std::get_if<TicketTexts::Fault>(&read)) {
    call.answer(to_answer(wrong_ticket(*fault)));
    return {};
  }
  return Shown{std::move(caller), std::string{text}, std::move(std::get<TicketClaims>(read))};
}

HeldTicket* TicketsDesk::take_over(const ApiCall& call, const Shown& shown) {
  auto taken = desk_.intake().admit_ticket(shown.text, shown.caller, call.responder.client(),
                                           call.context.now());
  if (auto* refusal = std::get_if<Identity::Refusal>(&taken)) {
    call.answer(std::move(refusal->answer));
    return nullptr;
  }
  auto held = take(call.request, desk_.new_ticket(), TicketClaims{shown.claims},
                   std::move(std::get<Intake::Admitted>(taken)), call.context.now());
  if (auto* const ticket = std::get_if<HeldTicket*>(&held)) return *ticket;
  call.answer(std::move(std::get<net::HttpAnswer>(held)));
  return nullptr;
}

TicketsDesk::Taken TicketsDesk::take(const net::HttpRequest& by, TicketId request,
                                     TicketClaims&& claims, Intake::Admitted&& admitted,
                                     TimePoint now) {
  const MatchBody& body = admitted.body;
  std::vector<PlayerId> players = players_of(body.claim);
  const ClientAddress client = admitted.held.counted.first;
  std::optional<net::HttpAnswer> refused;
  if (const HeldTicket* first = held_.waiting_of(body.mode->name, players)) {
    refused = refuse_second(*first, admitted.owner, now);
  } else {
    refused = make_place(client, now);
  }
  if (refused) {
    desk_.intake().done(admitted.held, false);
    return *std::move(refused);
  }
  wire::RequestContext context = context_of(by);
  if (context.request_id.empty()) context.request_id = claims.id;
  HeldTicket& ticket = held_.add({.claims = std::move(claims),
                                  .mode = body.mode->name,
                                  .players = std::move(players),
                                  .client = client,
                                  .since = now - body.age,
                                  .deadline = now + body.wait,
                                  .request = request,
                                  .due = now + keep_time_});
  desk_.hold(request, std::move(admitted), std::move(context), now);
  return &ticket;
}

// The owner may have lost the answer with its ticket, so the refusal repeats the ticket. Callers
// without token and key cannot be distinguished, so they do not get the ticket.
net::HttpAnswer TicketsDesk::refuse_second(const HeldTicket& first, const std::string& owner,
                                           TimePoint now) {
  const bool same = !owner.empty() && owner == first.claims.owner;
  const std::string text =
      same ? desk_.intake().tickets().sign(first.claims).value_or("") : std::string{};
  const auto left = std::chrono::ceil<std::chrono::seconds>(first.due - now);
  return already_waiting(text, static_cast<unsigned>(std::max<std::int64_t>(1, left.count())));
}

std::optional<net::HttpAnswer> TicketsDesk::make_place(const ClientAddress& client, TimePoint now) {
  const auto loser = held_.to_go_for(client);
  if (!loser) return too_many_tickets();
  if (*loser == nullptr) return std::nullopt;
  desk_.cancel((*loser)->request, now);
  let_go(**loser, too_many_tickets());
  return std::nullopt;
}

// --- polls ---------------------------------------------------------------------------------------

// The poll waits until the ticket no longer waits. If the client sent tags, the poll also ends at a
// state that the client has not seen.
void TicketsDesk::poll(const ApiCall& call, HeldTicket& ticket) {
  if (wants_stream(call.request)) return stream(call, ticket);
  const TimePoint now = call.context.now();
  const auto wait = preferred_wait(call.request, longest_poll);
  const auto seen = call.request[net::http::field::if_none_match];
  end_earlier_poll(ticket, now);
  ticket.poll = TicketPoll{call.responder, ++last_poll_, now + wait, {seen.data(), seen.size()}};
  if (wait == std::chrono::seconds{0} || has_news(ticket)) return answer_poll(ticket, now);
  held_.set_due(ticket, ticket.poll->until);
  call.responder.on_hang_up([this, id = ticket.claims.id, number = last_poll_] {
    hung_up(id, number, net::steady_now());
  });
}

// A new poll replaces the earlier poll, whose client may have lost its connection. If that client
// is still there, it must wait a second: otherwise two clients could end each other's polls without
// a pause.
void TicketsDesk::end_earlier_poll(HeldTicket& ticket, TimePoint now) {
  if (ticket.poll && ticket.poll->stream) {
    ticket.poll->stream->close();
    ticket.poll.reset();
  }
  answer_poll(ticket, now, 1);
}

// Last-Event-ID is the last state that the client has seen. If the ticket has ended in this state,
// the answer 204 stops the browser's EventSource from connecting again.
void TicketsDesk::stream(const ApiCall& call, HeldTicket& ticket) {
  const TimePoint now = call.context.now();
  const auto last = call.request["Last-Event-ID"];
  std::string seen = '"' + std::string{last.data(), last.size()} + '"';
  if (!waits(ticket.state) && includes(seen, ticket.state)) {
    return call.answer({.status = 204, .body = {}});
  }
  end_earlier_poll(ticket, now);
  auto stream = call.responder.stream("text/event-stream");
  if (!stream) return;
  ticket.poll = TicketPoll{call.responder, ++last_poll_, now, std::move(seen), std::move(stream)};
  continue_stream(ticket, now);
}

void TicketsDesk::continue_stream(HeldTicket& ticket, TimePoint now) {
  TicketPoll& poll = *ticket.poll;
  const bool news = !includes(poll.seen, ticket.state);
  const bool heard = poll.stream->send(
      news ? event_text(to_string(ticket.state), ticket_page(ticket, facts_of(ticket, now)).body)
           : no_news_text());
  poll.seen = tag_text(ticket.state);
  poll.until = now + stream_beat;
  if (heard && waits(ticket.state)) return held_.set_due(ticket, poll.until);
  poll.stream->close();
  ticket.poll.reset();
  keep(ticket, now);
}

void TicketsDesk::report(const HeldTicket& ticket, TimePoint now) {
  const std::string& owner = ticket.claims.owner;
  const bool tells = tell_ && ticket.state != TicketState::waiting && is_service(owner);
  if (!tells && !services_.has(owner)) return;
  const std::string page = ticket_page(ticket, facts_of(ticket, now)).body;
  if (services_.has(owner)) services_.send(owner, event_text(to_string(ticket.state), page));
  if (tells) tell_(ticket_event(ticket, page));
}

void TicketsDesk::answer_poll(HeldTicket& ticket, TimePoint now, unsigned retry_after_s) {
  if (!ticket.poll) return;
  if (ticket.poll->stream) return continue_stream(ticket, now);
  const TicketPoll poll = *std::exchange(ticket.poll, std::nullopt);
  keep(ticket, now);
  net::HttpAnswer answer = includes(poll.seen, ticket.state)
                               ? ticket_unchanged(ticket)
                               : ticket_page(ticket, facts_of(ticket, now));
  answer.retry_after_seconds = retry_after_s;
  poll.responder.answer(std::move(answer));
}

void TicketsDesk::hung_up(const std::string& id, std::uint64_t poll, TimePoint now) {
  HeldTicket* ticket = held_.find(id);
  if (ticket == nullptr || !ticket->poll || ticket->poll->number != poll) return;
  ticket->poll.reset();
  keep(*ticket, now);
}

// A ready ticket is kept as long as its seat. A cancelled ticket is kept until its text is useless.
void TicketsDesk::keep(HeldTicket& ticket, TimePoint now) {
  TimePoint until = now + keep_time_;
  if (ticket.state == TicketState::ready) until = ticket.seat_ends;
  if (ticket.state == TicketState::cancelled) until = std::max(until, ticket.deadline);
  held_.set_due(ticket, until);
}

void TicketsDesk::tick(TimePoint now) {
  while (HeldTicket* ticket = held_.due(now)) {
    if (ticket->poll) {
      answer_poll(*ticket, now);
      continue;
    }
    if (waits(ticket->state) && services_.has(ticket->claims.owner)) {
      keep(*ticket, now);
      continue;
    }
    if (waits(ticket->state)) desk_.cancel(ticket->request, now);
    held_.erase(*ticket);
  }
  services_.tick(now);
}

void TicketsDesk::matched(const Matched& news, TimePoint now) {
  HeldTicket* ticket = held_.of_request(news.ticket);
  if (ticket == nullptr) return;
  const TicketState state = news.has_seats ? TicketState::matched : TicketState::waiting;
  ticket->state = state;
  report(*ticket, now);
  if (ticket->poll && has_news(*ticket)) answer_poll(*ticket, now);
}

// --- ends ----------------------------------------------------------------------------------------

void TicketsDesk::ended(MatchDesk::HeldEnd&& end_of) {
  HeldTicket* ticket = held_.of_request(end_of.ticket);
  if (ticket == nullptr) return;
  const TimePoint now = end_of.now;
  if (end_of.seated != nullptr) {
    ticket->room = end_of.seated->room;
    ticket->seat_ends = now + end_of.seated->reserved_for;
    end(*ticket, TicketState::ready, std::move(end_of.answer.body), now);
  } else if (now >= ticket->deadline || end_of.answer.status == 504) {
    end(*ticket, TicketState::expired, std::move(end_of.answer.body), now);
  } else if (may_go_on(end_of.answer.status)) {
    let_go(*ticket, std::move(end_of.answer));
  } else {
    end(*ticket, TicketState::failed, std::move(end_of.answer.body), now);
  }
}

void TicketsDesk::end(HeldTicket& ticket, TicketState state, std::string outcome, TimePoint now) {
  held_.end(ticket, state);
  ticket.outcome = std::move(outcome);
  report(ticket, now);
  keep(ticket, now);
  answer_poll(ticket, now);
}

void TicketsDesk::let_go(HeldTicket& ticket, net::HttpAnswer answer) {
  const auto poll = std::exchange(ticket.poll, std::nullopt);
  const StreamText news = event_text("lost", lost_json(ticket, answer.body));
  services_.send(ticket.claims.owner, news);
  held_.erase(ticket);
  if (!poll) return;
  if (!poll->stream) return poll->responder.answer(std::move(answer));
  (void)poll->stream->send(news);
  poll->stream->close();
}

TicketFacts TicketsDesk::facts_of(const HeldTicket& ticket, TimePoint now) {
  TicketFacts facts{.now = now};
  if (!waits(ticket.state)) return facts;
  const auto& modes = desk_.intake().modes();
  const auto mode = std::ranges::find(modes, ticket.mode, &Mode::name);
  if (mode != modes.end()) {
    const auto expected = desk_.estimate_json(static_cast<std::size_t>(mode - modes.begin()), now);
    if (!expected.is_null()) facts.estimate = expected.dump();
  }
  facts.why = core_.why(ticket.request);
  return facts;
}

}  // namespace fixkeep::master
