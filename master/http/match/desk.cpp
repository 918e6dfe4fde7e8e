#include "master/http/match/desk.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/obs/utc.hpp"
#include "master/http/match/body.hpp"
#include "master/http/match/modes_page.hpp"
#include "master/http/match/why.hpp"
#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

std::string key_of_request(const CountedAs& caller, std::string_view request_id) {
  return caller.first.text() + '\n' + std::string{request_id};
}

bool games_may_be_why(Refusal refusal) {
  return refusal == Refusal::no_capacity || refusal == Refusal::boot_failed ||
         refusal == Refusal::wait_timeout;
}

}  // namespace

MatchDesk::MatchDesk(MatchDeskOptions options, std::function<void(Event&&)> post)
    : intake_(std::move(options.intake)),
      post_(std::move(post)),
      modes_json_(master::modes_json(intake_.modes(), intake_.longest_wait())),
      ticket_prefix_(ticket_prefix(options.self, options.incarnation)),
      statistics_(intake_.modes()),
      waits_(intake_.modes()),
      spans_(std::move(options.spans)) {}

void MatchDesk::request(const net::HttpRequest& request, const net::HttpResponder& responder,
                        TimePoint now) {
  const TicketId ticket = new_ticket();
  Named named{ticket, responder, context_of(request), {}};
  named.span = spans_.begin(named.context, now);
  auto taken = intake_.admit(request, responder.client(), now);
  if (auto* refusal = std::get_if<Identity::Refusal>(&taken)) {
    statistics_.refused_at_once(refusal->type);
    return answer_refusal(std::move(named), refusal->type, std::move(refusal->answer), now);
  }
  responder.on_hang_up([this, ticket] { cancel(ticket, net::steady_now()); });
  begin(std::move(named), std::move(std::get<Intake::Admitted>(taken)), now);
}

void MatchDesk::hold(TicketId ticket, Intake::Admitted&& admitted, wire::RequestContext context,
                     TimePoint now) {
  begin({ticket, {}, std::move(context), {}}, std::move(admitted), now);
}

void MatchDesk::begin(Named&& request, Intake::Admitted&& admitted, TimePoint now) {
  auto& [body, held, owner] = admitted;
  auto& [ticket, responder, context, span, why] = request;
  const auto mode = static_cast<std::size_t>(body.mode - intake_.modes().data());
  const TimePoint since = now - body.age;
  MatchRequested match{ticket,
                       std::move(body.group),
                       body.mode->name,
                       body.mode->capacity,
                       std::move(body.claim),
                       now + body.wait,
                       held.counted.for_rooms(),
                       body.mode->one_seat_per,
                       std::move(body.room),
                       std::move(body.rules),
                       since,
                       body.mode->newcomers,
                       body.mode->newcomers_for};
  if (!context.request_id.empty()) {
    by_request_id_.insert_or_assign(key_of_request(held.counted, context.request_id), ticket);
  }
  note_request(context, match);
  waiting_.emplace_hint(
      waiting_.end(), ticket,
      Waiting{std::move(responder), mode, std::move(held), since, std::move(context), span});
  statistics_.began(mode);
  post_(std::move(match));
}

void MatchDesk::cancel(TicketId ticket, TimePoint now) {
  const auto left = take(ticket, MatchStatistics::cancelled, now);
  if (!left) return;
  const std::string name = name_of(ticket);
  MatchLog::cancelled({left->context, name}, !left->responder);
  if (left->span) {
    spans_.end(*left->span, left->context, {.outcome = MatchStatistics::cancelled, .ticket = name},
               now);
  }
  post_(RequestCancelled{ticket});
}

void MatchDesk::leave(SeatsLeft&& seats, const net::HttpResponder& responder,
                      std::function<void()> done) {
  seats.ticket = new_ticket();
  leaving_.emplace(seats.ticket, Leaving{responder, std::move(done)});
  post_(std::move(seats));
}

void MatchDesk::answer(const SeatsGivenBack& done) {
  const auto found = leaving_.extract(done.ticket);
  if (found.empty()) return;
  if (found.mapped().done) found.mapped().done();
  found.mapped().responder.answer({.status = 204, .body = {}});
}

void MatchDesk::give(const std::optional<net::HttpResponder>& responder, HeldEnd&& end) {
  if (responder) return responder->answer(std::move(end.answer));
  held_end_(std::move(end));
}

void MatchDesk::renew(std::vector<Mode> modes, TimePoint now) {
  const std::vector<Mode>& before = intake_.modes();
  std::vector<std::optional<std::size_t>>
      places;  // new place of each old mode; nullopt: changed or gone
  for (const Mode& old : before) {
    const auto same = std::ranges::find_if(modes, [&](Mode mode) {
      mode.warm = old.warm;
      mode.shadow = old.shadow;
      return mode == old;
    });
    places.push_back(same == modes.end() ? std::nullopt : std::optional{same - modes.begin()});
  }
  std::vector<TicketId> refused;
  for (const auto& [ticket, waiting] : waiting_) {
    if (!places[waiting.mode]) refused.push_back(ticket);
  }
  for (const TicketId ticket : refused) {
    auto waiting = take(ticket, modes_changed, now);
    post_(RequestCancelled{ticket});
    answer_refusal({ticket, waiting->responder, std::move(waiting->context), waiting->span},
                   modes_changed, modes_changed_answer(), now);
  }
  for (auto& [ticket, waiting] : waiting_) waiting.mode = *places[waiting.mode];
  statistics_.renew(modes);
  waits_.renew(modes);
  intake_.renew(std::move(modes));
  modes_json_ = master::modes_json(intake_.modes(), intake_.longest_wait());
}

// Names the request in the log and for the worker. If the client sent no request id, the ticket's
// name is used. This name is made only if there is a debug log or the client sent a part of the
// context.
void MatchDesk::note_request(wire::RequestContext& context, MatchRequested& match) const {
  const bool logged = obs::log_enabled(obs::LogLevel::debug);
  if (!logged && context.empty()) return;
  const std::string ticket = name_of(match.ticket);
  if (context.request_id.empty()) context.request_id = ticket;
  if (logged) MatchLog::requested({context, ticket}, match);
  match.claim.context = context;
}

void MatchDesk::answer(const Seated& seated, TimePoint now, auth::WallTime wall) {
  const auto waiting = take(seated.ticket, MatchStatistics::seated, now);
  if (!waiting) return;  // the client has just hung up

  const auto room = to_string(seated.room);
  const auto expires_at =
      wall + std::chrono::duration_cast<std::chrono::milliseconds>(seated.reserved_for);
  auth::SeatSigner& signer = signer_of(seated, room);

  std::vector<PlayerSeat> seats;
  seats.reserve(seated.players.size());
  for (std::size_t i = 0; i < seated.players.size(); ++i) {
    const PlayerId& player = seated.players[i];
    const auto facts = auth::seat_facts(seated.team(i), {});
    seats.push_back({&player, signer.sign({room, player, expires_at, facts})});
  }
  const auto ticket = name_of(seated.ticket);
  const std::string& given = waiting->context.request_id;
  if (obs::log_enabled(obs::LogLevel::debug)) MatchLog::seated({waiting->context, ticket}, seated);
  if (waiting->span) {
    spans_.end(*waiting->span, waiting->context,
               {.outcome = MatchStatistics::seated,
                .status = 200,
                .ticket = ticket,
                .mode = intake_.modes()[waiting->mode].name.text(),
                .group = seated.group.text(),
                .room = room},
               now);
  }
  net::HttpAnswer told{.status = 200,
                       .body = to_json({.ticket = ticket,
                                        .room = room,
                                        .group = seated.group.text(),
                                        .place = &seated.place,
                                        .expires_at = text_of(expires_at),
                                        .seats = &seats,
                                        .code = waiting->held.code,
                                        .team = seated.team(0)}),
                       .request_id = given.empty() ? ticket : given};
  give(waiting->responder, {seated.ticket, std::move(told), &seated, now});
}

void MatchDesk::answer(const Refused& refused, TimePoint now, const Directory& directory) {
  if (const auto left = leaving_.extract(refused.ticket)) {
    return left.mapped().responder.answer(to_answer(refused, {}, false));
  }
  auto waiting = take(refused.ticket, type_of(refused.reason), now);
  if (!waiting) return;
  const ModeName& mode = intake_.modes()[waiting->mode].name;
  CapacityLack lack = CapacityLack::workers_full;
  std::string failures = not_ready_of(directory, mode);
  if (refused.reason == Refusal::no_capacity) lack = capacity_lack(directory, mode);
  if (lack == CapacityLack::mode_failing || refused.reason == Refusal::boot_failed) {
    failures = failures_of(directory, mode);
  }
  auto told = to_answer(refused, lack, !failures.empty());
  if (refused.why) told = with_member(std::move(told), "why", why_json(*refused.why, now));
  if (!games_may_be_why(refused.reason)) failures.clear();
  answer_refusal({refused.ticket, waiting->responder, std::move(waiting->context), waiting->span,
                  std::move(failures)},
                 type_of(refused.reason), std::move(told), now);
}

void MatchDesk::answer_refusal(Named&& request, std::string_view type, net::HttpAnswer&& answer,
                               TimePoint now) {
  const std::string ticket = name_of(request.ticket);
  if (request.context.request_id.empty()) request.context.request_id = ticket;
  log_.refused({request.context, ticket}, type, request.why, now);
  if (request.span) {
    spans_.end(*request.span, request.context,
               {.outcome = type, .status = answer.status, .ticket = ticket}, now);
  }
  answer.request_id = std::move(request.context.request_id);
  give(request.responder, {request.ticket, std::move(answer), nullptr, now});
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
  const Waiting& ended = waiting.mapped();
  const bool seated = outcome == MatchStatistics::seated;
  statistics_.ended(ended.mode, outcome, now - ended.since);
  waits_.ended(ended.mode, seated, now - ended.since, now);
  if (!ended.context.request_id.empty()) forget_name(ended, ticket);
  intake_.done(ended.held, seated);
  return std::move(waiting.mapped());
}

// Removes the name of the ended request, unless a later request has this name now.
void MatchDesk::forget_name(const Waiting& ended, TicketId ticket) {
  const auto named =
      by_request_id_.find(key_of_request(ended.held.counted, ended.context.request_id));
  if (named != by_request_id_.end() && named->second == ticket) by_request_id_.erase(named);
}

std::optional<MatchDesk::WaitingRequest> MatchDesk::find_waiting(
    const CountedAs& caller, std::string_view request_id) const {
  const auto found = by_request_id_.find(key_of_request(caller, request_id));
  if (found == by_request_id_.end()) return {};
  const Waiting& waiting = waiting_.at(found->second);
  return WaitingRequest{found->second, intake_.modes()[waiting.mode].name, waiting.since};
}

std::string MatchDesk::mode_statistics(std::size_t mode, const MasterCounters& counters,
                                       TimePoint now) {
  look_at_waits(now);
  const auto shadow = counters.shadows.find(intake_.modes()[mode].name);
  return waits_.to_json(mode, now, shadow == counters.shadows.end() ? nullptr : &shadow->second);
}

nlohmann::ordered_json MatchDesk::estimate_json(std::size_t mode, TimePoint now) {
  look_at_waits(now);
  return waits_.estimate_json(mode, now);
}

void MatchDesk::look_at_waits(TimePoint now) {
  if (!waits_.stale(now)) return;
  waits_.look(now);
  for (const auto& [ticket, waiting] : waiting_) waits_.waits(waiting.mode, now - waiting.since);
}

// Returns the signer for a room. Signers are stored, because a room's key never changes.
auth::SeatSigner& MatchDesk::signer_of(const Seated& seated, const std::string& room_text) {
  if (const auto known = signers_.find(room_text); known != signers_.end()) return known->second;
  if (signers_.size() >= room_keys) signers_.clear();  // deriving a key costs a few microseconds
  return signers_.try_emplace(room_text, auth::derive_room_key(seated.seat_root, seated.room))
      .first->second;
}

// Returns the time as text. The last text is stored, because answers in one batch often have the
// same millisecond.
std::string_view MatchDesk::text_of(auth::WallTime time) {
  if (time != formatted_ || formatted_text_.empty()) {
    formatted_ = time;
    formatted_text_ = obs::utc_text(time);
  }
  return formatted_text_;
}

}  // namespace fixkeep::master
