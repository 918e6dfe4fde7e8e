#include "master/http/match/desk.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/client_network.hpp"
#include "common/obs/utc.hpp"
#include "master/http/match/body.hpp"
#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

std::string prefix_of(MasterId self, Incarnation incarnation) {
  // The same form as a creation id's: the run of the master makes the ticket unique for all time.
  const auto creation = to_string(CreationId{{0, self}, 0, incarnation});
  return to_string(self) + "-" + creation.substr(creation.rfind('.') + 1) + "-";
}

net::HttpAnswer retry_later(unsigned status, std::string_view type, std::string_view title,
                            std::string_view detail, Duration after) {
  auto answer = net::problem(status, type, title, detail);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(after).count();
  answer.retry_after_seconds = seconds < 1 ? 1U : static_cast<unsigned>(seconds);
  return answer;
}

net::HttpAnswer to_answer(const ClientLimits::Admission& refused) {
  if (refused.verdict == ClientLimits::Verdict::too_many_waiting) {
    return retry_later(429, "too-many-waiting", "Too many requests from this address are waiting",
                       "wait until some of them are answered; "
                       "matching.waiting_requests_per_client is the bound",
                       refused.retry_after);
  }
  return retry_later(429, "too-many-requests", "Too many requests from this address",
                     "retry after the time in Retry-After; "
                     "matching.requests_per_client_per_s is the bound",
                     refused.retry_after);
}

}  // namespace

net::HttpAnswer to_answer(const Refused& refused, CapacityLack lack, std::string_view failures) {
  const auto later = [&](unsigned status, std::string_view type, std::string_view title,
                         std::string_view detail) {
    return retry_later(status, type, title, detail, refused.retry_after);
  };
  const auto with_failures = [&](std::string_view detail) {
    return std::string{detail} + (failures.empty() ? "" : ": ") + std::string{failures};
  };
  switch (refused.reason) {
    case Refusal::not_joined:
      return later(503, "not-ready", "This master is still joining",
                   "it has not met the other masters yet; ask another master, or retry");
    case Refusal::queue_full:
      return later(429, "queue-full", "Too many requests are waiting",
                   "retry after the time in Retry-After, or ask another master");
    case Refusal::no_capacity:
      return with_member(later(503, "no-capacity", "No worker can start another room",
                               with_failures(detail_of(lack))),
                         "reason", to_string(lack));
    case Refusal::boot_failed:
      return later(503, "boot-failed", "The rooms for this request did not come up",
                   with_failures("the game processes ended or were not ready in time; see the "
                                 "workers' logs"));
    case Refusal::wait_timeout:
      return later(504, "wait-timeout", "No seat was found in time",
                   "the request waited as long as it was allowed to; ask again");
    case Refusal::lock_timeout:
      return later(503, "lock-timeout", "The lock of the group was not to be had",
                   "the other masters hold it or do not answer; ask again");
    case Refusal::lock_unavailable:
      return later(503, "lock-unavailable", "The server that has the locks cannot be reached",
                   "no room can be started without it; retry later, or see the master's log");
    case Refusal::too_many_rooms:
      return later(429, "too-many-starting-rooms",
                   "Too many rooms are starting for requests from this address",
                   "wait until some of them are open; matching.starting_rooms_per_client is the "
                   "bound");
    case Refusal::party_too_large:
      return net::problem(400, "party-too-large",
                          "The party has more players than a room has seats",
                          "split the party, or choose a mode with larger rooms");
    case Refusal::already_seated:
      return later(409, "already-seated", "A player has a seat in another room",
                   "the player, or one of the party, has or awaits a seat of this mode in another "
                   "room; leave it, or let its reservation end, and ask again");
    case Refusal::stopping:
      return later(503, "stopping", "This master is shutting down", "ask another master");
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
      limits_(options_.client_limits),
      ticket_prefix_(prefix_of(options_.self, options_.incarnation)) {}

void MatchDesk::request(const net::HttpRequest& request, const net::HttpResponder& responder,
                        TimePoint now) {
  const ClientAddress client = client_of(responder.client());
  if (const auto admission = limits_.admit(client, now);
      admission.verdict != ClientLimits::Verdict::admitted) {
    responder.answer(to_answer(admission));
    return;
  }
  auto parsed = parse_match_body(request.body(), options_.modes, options_.wait);
  if (const auto* problem = std::get_if<MatchProblem>(&parsed)) {
    limits_.done(client);
    responder.answer(net::problem(400, problem->type, problem->title, problem->detail));
    return;
  }
  auto& body = std::get<MatchBody>(parsed);
  const auto wait = body.wait.count() > 0 ? body.wait : options_.wait;

  const TicketId ticket{++last_ticket_};
  waiting_.emplace(ticket, Waiting{responder, body.mode->name, client});
  responder.on_hang_up([this, ticket] {
    if (take(ticket)) post_(RequestCancelled{ticket});
  });
  post_(MatchRequested{ticket, std::move(body.groups), body.mode->name, body.mode->capacity,
                       std::move(body.claim), now + wait, client, body.mode->one_seat_per});
}

void MatchDesk::answer(const Seated& seated, auth::WallTime now) {
  const auto waiting = take(seated.ticket);
  if (!waiting) return;  // hung up while the answer was on its way

  const auto room = to_string(seated.room);
  const auto expires_at =
      now + std::chrono::duration_cast<std::chrono::milliseconds>(seated.reserved_for);
  const auto& key = key_of(seated, room);

  std::vector<PlayerSeat> seats;
  seats.reserve(seated.players.size());
  for (const auto& player : seated.players) {
    seats.push_back({&player, auth::sign_seat(key, {room, player, expires_at})});
  }
  const auto ticket = ticket_prefix_ + std::to_string(seated.ticket.number());
  waiting->responder.answer({.status = 200,
                             .body = to_json({.ticket = ticket,
                                              .room = room,
                                              .group = seated.group.text(),
                                              .address = seated.address,
                                              .port = seated.port,
                                              .expires_at = text_of(expires_at),
                                              .seats = &seats})});
}

void MatchDesk::answer(const Refused& refused, const Directory& directory) {
  const auto waiting = take(refused.ticket);
  if (!waiting) return;
  CapacityLack lack = CapacityLack::workers_full;
  std::string failures;
  if (refused.reason == Refusal::no_capacity) lack = capacity_lack(directory, waiting->mode);
  if (lack == CapacityLack::mode_failing || refused.reason == Refusal::boot_failed) {
    failures = failures_of(directory, waiting->mode);
  }
  waiting->responder.answer(to_answer(refused, lack, failures));
}

std::optional<MatchDesk::Waiting> MatchDesk::take(TicketId ticket) {
  auto waiting = waiting_.extract(ticket);
  if (waiting.empty()) return {};
  limits_.done(waiting.mapped().client);
  return std::move(waiting.mapped());
}

// A room has one key as long as it lives.
const auth::Key& MatchDesk::key_of(const Seated& seated, const std::string& room_text) {
  if (const auto known = keys_.find(room_text); known != keys_.end()) return known->second;
  if (keys_.size() >= room_keys) keys_.clear();  // a derivation costs a few microseconds
  return keys_.emplace(room_text, auth::derive_room_key(seated.seat_root, seated.room))
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
