#include "master/http/match/desk.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/client_network.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/obs/utc.hpp"
#include "master/core/claims/tickets.hpp"
#include "master/http/match/body.hpp"
#include "master/http/match/modes_page.hpp"
#include "master/http/problem_member.hpp"
#include "master/http/wall_clock.hpp"

namespace fixkeep::master {
namespace {

net::HttpAnswer retry_later(unsigned status, std::string_view type, std::string_view title,
                            std::string_view detail, Duration after) {
  auto answer = net::problem(status, type, title, detail);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(after).count();
  answer.retry_after_seconds = seconds < 1 ? 1U : static_cast<unsigned>(seconds);
  return answer;
}

constexpr std::string_view too_many_waiting = "too-many-waiting";
constexpr std::string_view too_many_requests = "too-many-requests";

}  // namespace

std::string_view type_of(const ClientLimits::Admission& refused) {
  return refused.verdict == ClientLimits::Verdict::too_many_waiting ? too_many_waiting
                                                                    : too_many_requests;
}

net::HttpAnswer to_answer(const ClientLimits::Admission& refused) {
  if (refused.verdict == ClientLimits::Verdict::too_many_waiting) {
    return retry_later(429, too_many_waiting, "Too many requests of this client are waiting",
                       "wait until some of them are answered; "
                       "matching.waiting_requests_per_client, or that of a key, is the bound",
                       refused.retry_after);
  }
  return retry_later(429, too_many_requests, "Too many requests of this client",
                     "retry after the time in Retry-After; "
                     "matching.requests_per_client_per_s, or that of a key, is the bound",
                     refused.retry_after);
}

std::string_view type_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::not_joined: return "not-ready";
    case Refusal::queue_full: return "queue-full";
    case Refusal::no_capacity: return "no-capacity";
    case Refusal::boot_failed: return "boot-failed";
    case Refusal::wait_timeout: return "wait-timeout";
    case Refusal::lock_timeout: return "lock-timeout";
    case Refusal::lock_unavailable: return "lock-unavailable";
    case Refusal::too_many_rooms: return "too-many-starting-rooms";
    case Refusal::party_too_large: return "party-too-large";
    case Refusal::already_seated: return "already-seated";
    case Refusal::stopping: return "stopping";
  }
  return "internal";
}

net::HttpAnswer to_answer(const Refused& refused, CapacityLack lack, std::string_view failures) {
  const auto later = [&](unsigned status, std::string_view title, std::string_view detail) {
    return retry_later(status, type_of(refused.reason), title, detail, refused.retry_after);
  };
  const auto with_failures = [&](std::string_view detail) {
    return std::string{detail} + (failures.empty() ? "" : ": ") + std::string{failures};
  };
  switch (refused.reason) {
    case Refusal::not_joined:
      return later(503, "This master is still joining",
                   "it has not met the other masters yet; ask another master, or retry");
    case Refusal::queue_full:
      return later(429, "Too many requests are waiting",
                   "retry after the time in Retry-After, or ask another master");
    case Refusal::no_capacity:
      return with_member(
          later(503, "No worker can start another room", with_failures(detail_of(lack))), "reason",
          to_string(lack));
    case Refusal::boot_failed:
      return later(503, "The rooms for this request did not come up",
                   with_failures("the game processes ended or were not ready in time; see the "
                                 "workers' logs"));
    case Refusal::wait_timeout:
      return later(504, "No seat was found in time",
                   "the request waited as long as it was allowed to; ask again");
    case Refusal::lock_timeout:
      return later(503, "The lock of the group was not to be had",
                   "the other masters hold it or do not answer; ask again");
    case Refusal::lock_unavailable:
      return later(503, "The server that has the locks cannot be reached or refuses them",
                   "no room can be started without it; retry later, or see the master's log");
    case Refusal::too_many_rooms:
      return later(429, "Too many rooms are starting for requests from this address",
                   "retry after the time in Retry-After; matching.starting_rooms_per_client and "
                   "matching.rooms_per_client_per_minute are the bounds");
    case Refusal::party_too_large:
      return net::problem(400, type_of(refused.reason),
                          "The party has more players than a room has seats",
                          "split the party, or choose a mode with larger rooms");
    case Refusal::already_seated:
      return later(409, "A player has a seat in another room",
                   "the player, or one of the party, has or awaits a seat of this mode in another "
                   "room; leave it, or let its reservation end, and ask again");
    case Refusal::stopping: return later(503, "This master is shutting down", "ask another master");
  }
  return net::problem(500, "internal", "Unknown refusal", "");
}

ClientAddress client_of(const boost::asio::ip::address& address) {
  const auto network = net::client_network(address);
  return ClientAddress{network.to_string() + (network.is_v6() ? "/64" : "")};
}

MatchDesk::MatchDesk(MatchDeskOptions options, std::function<void(Event&&)> post)
    : options_(std::move(options)),
      post_(std::move(post)),
      identity_(options_.identity),
      invitations_(options_.secret),
      limits_(options_.client_limits),
      modes_json_(master::modes_json(options_.modes, options_.wait)),
      ticket_prefix_(ticket_prefix(options_.self, options_.incarnation)),
      statistics_(options_.modes),
      spans_(options_.spans) {}

void MatchDesk::request(const net::HttpRequest& request, const net::HttpResponder& responder,
                        TimePoint now) {
  const TicketId ticket{++last_ticket_};
  wire::RequestContext context = context_of(request);
  const auto span = spans_.begin(context, now);
  const auto wall = wall_now();
  const auto address = responder.client();
  auto identified = identity_.identify(request, address, {now, wall});
  if (auto* refusal = std::get_if<Identity::Refusal>(&identified)) {
    return refuse(responder, {ticket, std::move(context), span}, refusal->type,
                  std::move(refusal->answer), now);
  }
  const Caller& caller = std::get<Caller>(identified);
  CountedAs counted = counted_as(caller, name_of(address));
  if (const auto admission = limits_.admit(caller, counted, now);
      admission.verdict != ClientLimits::Verdict::admitted) {
    return refuse(responder, {ticket, std::move(context), span}, type_of(admission),
                  to_answer(admission), now);
  }
  auto parsed = parse_match_body(request.body(), options_.modes, options_.wait, caller);
  if (const auto* problem = std::get_if<MatchProblem>(&parsed)) {
    limits_.done(counted);
    return refuse(responder, {ticket, std::move(context), span}, problem->type,
                  net::problem(problem->status, problem->type, problem->title, problem->detail),
                  now);
  }
  auto& body = std::get<MatchBody>(parsed);
  if (const auto problem = gather(body, wall)) {
    limits_.done(counted);
    return refuse(responder, {ticket, std::move(context), span}, problem->type,
                  net::problem(problem->status, problem->type, problem->title, problem->detail),
                  now);
  }
  const auto wait = body.wait.count() > 0 ? body.wait : options_.wait;
  const auto mode = static_cast<std::size_t>(body.mode - options_.modes.data());
  MatchRequested match{ticket,
                       std::move(body.groups),
                       body.mode->name,
                       body.mode->capacity,
                       std::move(body.claim),
                       now + wait,
                       counted.for_rooms(),
                       body.mode->one_seat_per};
  note_request(context, match);
  waiting_.emplace_hint(waiting_.end(), ticket,
                        Waiting{responder, mode, std::move(counted), std::move(body.invitations),
                                now, std::move(context), span});
  statistics_.began(mode);
  responder.on_hang_up([this, ticket] {
    if (const auto left = take(ticket, MatchStatistics::cancelled, net::steady_now())) {
      const std::string name = text_of(ticket);
      MatchLog::cancelled({left->context, name});
      if (left->span) {
        spans_.end(*left->span, left->context,
                   {.outcome = MatchStatistics::cancelled, .ticket = name}, net::steady_now());
      }
      post_(RequestCancelled{ticket});
    }
  });
  post_(std::move(match));
}

// A client sends many requests, and a proxy those of many.
const ClientAddress& MatchDesk::name_of(const boost::asio::ip::address& client) {
  if (client != named_ || client_name_.empty()) {
    named_ = client;
    client_name_ = client_of(client);
  }
  return client_name_;
}

// A request that nobody follows has no name but its ticket, which is made into text only when it is
// answered.
void MatchDesk::note_request(wire::RequestContext& context, MatchRequested& match) const {
  const bool logged = obs::log_enabled(obs::LogLevel::debug);
  if (!logged && context.empty()) return;
  const std::string ticket = text_of(match.ticket);
  if (context.request_id.empty()) context.request_id = ticket;
  if (logged) MatchLog::requested({context, ticket}, match);
  match.claim.context = context;
}

void MatchDesk::answer(const Seated& seated, TimePoint now, auth::WallTime wall) {
  const auto waiting = take(seated.ticket, MatchStatistics::seated, now);
  if (!waiting) return;  // hung up while the answer was on its way

  const auto room = to_string(seated.room);
  const auto expires_at =
      wall + std::chrono::duration_cast<std::chrono::milliseconds>(seated.reserved_for);
  auth::SeatSigner& signer = signer_of(seated, room);

  std::vector<PlayerSeat> seats;
  seats.reserve(seated.players.size());
  for (const auto& player : seated.players) {
    seats.push_back({&player, signer.sign({room, player, expires_at})});
  }
  const auto ticket = text_of(seated.ticket);
  const std::string& given = waiting->context.request_id;
  if (obs::log_enabled(obs::LogLevel::debug)) MatchLog::seated({waiting->context, ticket}, seated);
  if (waiting->span) {
    spans_.end(*waiting->span, waiting->context,
               {.outcome = MatchStatistics::seated,
                .status = 200,
                .ticket = ticket,
                .mode = options_.modes[waiting->mode].name.text(),
                .group = seated.group.text(),
                .room = room},
               now);
  }
  waiting->responder.answer({.status = 200,
                             .body = to_json({.ticket = ticket,
                                              .room = room,
                                              .group = seated.group.text(),
                                              .place = &seated.place,
                                              .expires_at = text_of(expires_at),
                                              .seats = &seats}),
                             .request_id = given.empty() ? ticket : given});
}

void MatchDesk::answer(const Refused& refused, TimePoint now, const Directory& directory) {
  auto waiting = take(refused.ticket, type_of(refused.reason), now);
  if (!waiting) return;
  const ModeName& mode = options_.modes[waiting->mode].name;
  CapacityLack lack = CapacityLack::workers_full;
  std::string failures;
  if (refused.reason == Refusal::no_capacity) lack = capacity_lack(directory, mode);
  if (lack == CapacityLack::mode_failing || refused.reason == Refusal::boot_failed) {
    failures = failures_of(directory, mode);
  }
  answer_refusal(waiting->responder, {refused.ticket, std::move(waiting->context), waiting->span},
                 type_of(refused.reason), to_answer(refused, lack, failures), now);
}

void MatchDesk::refuse(const net::HttpResponder& responder, Named&& request, std::string_view type,
                       net::HttpAnswer&& answer, TimePoint now) {
  statistics_.refused_at_once(type);
  answer_refusal(responder, std::move(request), type, std::move(answer), now);
}

void MatchDesk::answer_refusal(const net::HttpResponder& responder, Named&& request,
                               std::string_view type, net::HttpAnswer&& answer, TimePoint now) {
  const std::string ticket = text_of(request.ticket);
  if (request.context.request_id.empty()) request.context.request_id = ticket;
  log_.refused({request.context, ticket}, type, now);
  if (request.span) {
    spans_.end(*request.span, request.context,
               {.outcome = type, .status = answer.status, .ticket = ticket}, now);
  }
  answer.request_id = std::move(request.context.request_id);
  responder.answer(std::move(answer));
}

std::optional<TimePoint> MatchDesk::oldest_waits_since() const {
  if (waiting_.empty()) return {};
  return waiting_.begin()->second.since;
}

WaitingFacts MatchDesk::waiting_facts(const MasterCore& core) const {
  WaitingFacts facts{waiting_.size(), oldest_waits_since(), {}};
  std::set<GroupKey> told;
  std::size_t looked_at = 0;
  for (const auto& [ticket, waiting] : waiting_) {
    if (++looked_at > tickets_looked_at || facts.groups.size() == groups_told) break;
    auto waits = core.waits_for(ticket);
    if (!waits || !told.insert(waits->group).second) continue;
    facts.groups.push_back({std::move(waits->group), waits->requests, waiting.since});
  }
  return facts;
}

std::optional<MatchDesk::Waiting> MatchDesk::take(TicketId ticket, std::string_view outcome,
                                                  TimePoint now) {
  auto waiting = waiting_.extract(ticket);
  if (waiting.empty()) return {};
  statistics_.ended(waiting.mapped().mode, outcome, now - waiting.mapped().since);
  limits_.done(waiting.mapped().counted);
  if (outcome != MatchStatistics::seated) {
    for (const auto& one : waiting.mapped().invitations) invitations_.give_back(one);
  }
  return std::move(waiting.mapped());
}

// A room has one key as long as it lives.
auth::SeatSigner& MatchDesk::signer_of(const Seated& seated, const std::string& room_text) {
  if (const auto known = signers_.find(room_text); known != signers_.end()) return known->second;
  if (signers_.size() >= room_keys) signers_.clear();  // a derivation costs a few microseconds
  return signers_.try_emplace(room_text, auth::derive_room_key(seated.seat_root, seated.room))
      .first->second;
}

// Answers of one batch often share a millisecond.
std::string_view MatchDesk::text_of(auth::WallTime time) {
  if (time != formatted_ || formatted_text_.empty()) {
    formatted_ = time;
    formatted_text_ = obs::utc_text(time);
  }
  return formatted_text_;
}

}  // namespace fixkeep::master
