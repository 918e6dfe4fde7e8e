#include "master/http/matches/desk.hpp"

#include <algorithm>
#include <utility>

#include "common/base/percent.hpp"
#include "common/obs/utc.hpp"
#include "master/core/directory/directory.hpp"
#include "master/http/call.hpp"
#include "master/http/matches/answers.hpp"
#include "master/http/preferred_wait.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;

// To join a room or to learn about a ready room, a client waits at least for this time. It is
// enough for one answer of the room's worker.
constexpr milliseconds least_wait{1'000};
constexpr milliseconds longest_wait_ever = std::chrono::hours{1};

wire::Claim claim_of(const wire::MatchFacts& facts) {
  wire::Claim claim;
  for (const wire::MatchPlayer& each : facts.players) claim.party.push_back(each.player);
  if (!claim.party.empty()) {
    claim.player = claim.party.front();
    claim.party.erase(claim.party.begin());
  }
  return claim;
}

}  // namespace

std::optional<MatchesDesk::Named> MatchesDesk::named(const ApiCall& call) {
  auto known = desk_.intake().caller_of(call.request, call.responder.client(), call.context.now());
  if (auto* refusal = std::get_if<net::HttpAnswer>(&known)) {
    call.answer(std::move(*refusal));
    return {};
  }
  Caller& caller = std::get<Caller>(known);
  const auto id = match_id_in(call.parameters[0]);
  if (!id || !caller.may_name_others()) {
    call.answer(id ? key_needed() : wrong_match_id());
    return {};
  }
  const GroupKey group = wire::match_group_of(*id);
  MatchState state = core_.match(group, call.context.now());
  const ModeName& mode = state.room != nullptr ? state.room->mode : state.mode_of_ended;
  if (!mode.empty() && !caller.is_for(mode)) {
    call.answer(key_of_other_mode());
    return {};
  }
  // Without the mode, this master cannot know whether the key may read the result.
  if (mode.empty() && !caller.is_for(mode)) state.result = nullptr;
  CountedAs counted = counted_as(caller, client_of(call.responder.client()));
  return Named{*id, group, std::move(caller), std::move(counted), state};
}

void MatchesDesk::answer_without_room(const ApiCall& call, const Named& match) {
  if (match.state.ended || match.state.room != nullptr) {
    return call.answer(match_over(match.state.result));
  }
  if (kept_.contains(match.id)) return call.answer(still_starting());
  if (match.state.out_of_sight) return call.answer(room_out_of_sight());
  const auto failure = failures_.find(match.id);
  if (failure != failures_.end()) return call.answer(room_failed(failure->second));
  call.answer(unknown_match());
}

void MatchesDesk::put(const ApiCall& call) {
  const auto match = named(call);
  if (!match) return;
  const auto kept = kept_.find(match->id);
  const Room* room = match->state.room;
  const wire::MatchFacts* before = room != nullptr ? room->match.get() : nullptr;
  std::vector<Mode> modes;
  if (before != nullptr) {
    modes.push_back(mode_then(*before, room->mode, room->capacity));
  } else if (kept != kept_.end()) {
    const MatchRequested& request = kept->second.request;
    before = &*request.claim.match;
    modes.push_back(mode_then(*before, request.mode, request.capacity));
  }
  // The mode may have allowed a longer wait then.
  auto parsed = parse_match_order(call.request.body(), modes, longest_wait_ever);
  const auto* same = std::get_if<MatchOrder>(&parsed);
  if (before == nullptr || same == nullptr || !before->same_body(same->facts)) {
    const auto& present = desk_.intake().modes();
    parsed = parse_match_order(call.request.body(), present, desk_.intake().longest_wait());
  }
  if (auto* problem = std::get_if<MatchProblem>(&parsed)) {
    return call.answer(to_answer(*problem));
  }
  MatchOrder& order = std::get<MatchOrder>(parsed);
  const Mode& mode = *order.mode;
  if (!match->caller.is_for(mode.name)) return call.answer(key_of_other_mode());
  const milliseconds longest = longest_wait(mode.name);
  const milliseconds wait = std::min(order.wait.value_or(longest), longest);
  if (match->state.ended) return call.answer(match_over(match->state.result));
  if (before != nullptr && !before->same_body(order.facts)) {
    return call.answer(match_differs(differences(*before, order.facts)));
  }
  if (room != nullptr) return watch_room(call, *match, wait);
  if (kept == kept_.end()) {
    if (kept_by_[match->counted.first] >= most_kept) return call.answer(too_many_matches());
    MatchRequested request;
    request.group = match->group;
    request.mode = mode.name;
    request.capacity = mode.capacity;
    request.claim = claim_of(order.facts);
    request.claim.match = std::move(order.facts);
    request.deadline = call.context.now() + longest_wait(mode.name);
    request.client = match->counted.for_rooms();
    request.one_seat_per = mode.one_seat_per;
    keep(*match, std::move(request));
  }
  watch(call, *match, kept_.at(match->id).request, wait);
}

void MatchesDesk::get(const ApiCall& call) {
  const auto match = named(call);
  if (!match) return;
  const auto wait = preferred_wait(call.request, desk_.intake().longest_wait());
  if (match->state.ended) return call.answer(match_over(match->state.result));
  if (const Room* room = match->state.room) {
    const auto told = told_.find(room->id);
    const bool over = told != told_.end() && call.context.now() >= told->second;
    const bool listed = room->match && !room->match->players.empty();
    if (over && listed && room->ready()) return call.answer(without_seats(*match));
    return watch_room(call, *match, wait);
  }
  const auto kept = kept_.find(match->id);
  if (kept == kept_.end()) return answer_without_room(call, *match);
  if (!match->caller.is_for(kept->second.request.mode)) return call.answer(key_of_other_mode());
  watch(call, *match, kept->second.request, wait);
}

void MatchesDesk::join(const ApiCall& call) {
  const auto match = named(call);
  if (!match) return;
  const Room* room = match->state.room;
  if (match->state.ended || room == nullptr || !room->takes_players() || !room->match) {
    return answer_without_room(call, *match);
  }
  auto parsed = parse_joining_players(call.request.body(), longest_wait(room->mode));
  if (auto* problem = std::get_if<MatchProblem>(&parsed)) {
    return call.answer(to_answer(*problem));
  }
  MatchOrder& order = std::get<MatchOrder>(parsed);
  MatchRequested request = request_in(*room, *match);
  request.claim = claim_of(order.facts);
  if (request.claim.seats() > room->capacity) return call.answer(match_full());
  order.facts.told = room->match->told;
  const std::size_t bytes = room->match->bytes() + order.facts.bytes();
  if (bytes > wire::limits::match_bytes) return call.answer(match_too_large());
  request.claim.match = std::move(order.facts);
  watch(call, *match, std::move(request),
        std::max(order.wait.value_or(longest_wait(room->mode)), least_wait));
}

void MatchesDesk::leave(const ApiCall& call) {
  const auto match = named(call);
  if (!match) return;
  const auto player = match_id_in(call.parameters[1]);
  if (!player) return call.answer(wrong_match_id());
  const Room* room = match->state.room;
  if (match->state.ended || room == nullptr) return answer_without_room(call, *match);
  desk_.leave({{}, room->id, {PlayerId{*player}}, true}, call.responder);
}

// Sends the room's worker the same call as an operator's drain. The worker may refuse calls through
// masters. If the match has two rooms (room_of_match), both end; the first answer counts.
void MatchesDesk::end(const ApiCall& call) {
  const auto match = named(call);
  if (!match) return;
  if (match->state.ended) return call.answer({.status = 204, .body = {}});
  const auto kept = kept_.find(match->id);
  if (match->state.room == nullptr && kept != kept_.end()) {
    if (!match->caller.is_for(kept->second.request.mode)) return call.answer(key_of_other_mode());
    cancel(match->id);
    return call.answer({.status = 204, .body = {}});
  }
  if (match->state.room == nullptr && failures_.erase(match->id) > 0) {
    return call.answer({.status = 204, .body = {}});
  }
  if (match->state.room == nullptr) return answer_without_room(call, *match);
  for (const RoomId& id : core_.directory().rooms_of(match->group)) {
    if (core_.directory().find(id)->provisional) continue;
    call.workers.ask(id.worker,
                     {.changes = true,
                      .target = "/v1/rooms/" + to_string(id) + "/drain",
                      .body = R"({"most_ms":0})"},
                     call.responder);
  }
}

const Mode* MatchesDesk::find_mode(const ModeName& name) const {
  const auto& modes = desk_.intake().modes();
  const auto mode = std::ranges::find(modes, name, &Mode::name);
  return mode == modes.end() ? nullptr : &*mode;
}

milliseconds MatchesDesk::longest_wait(const ModeName& name) const {
  const milliseconds configured = desk_.intake().longest_wait();
  const Mode* mode = find_mode(name);
  return mode == nullptr ? configured : longest_wait_of(*mode, configured);
}

MatchRequested MatchesDesk::request_in(const Room& room, const Named& match) const {
  MatchRequested request;
  request.group = match.group;
  request.mode = room.mode;
  request.capacity = room.capacity;
  request.room = room.id;
  request.client = match.counted.for_rooms();
  if (const Mode* mode = find_mode(room.mode)) request.one_seat_per = mode->one_seat_per;
  return request;
}

Mode MatchesDesk::mode_then(const wire::MatchFacts& match, const ModeName& name,
                            std::uint32_t capacity) const {
  const Mode* now = find_mode(name);
  Mode then = now != nullptr ? *now : Mode{.name = name};
  then.capacity = capacity;
  then.rules.reset();
  then.values.clear();
  then.attributes.clear();
  std::string_view key = match.told.text();  // mode/name=value/name=value
  for (auto next = key.find('/'); next != std::string_view::npos; next = key.find('/')) {
    key.remove_prefix(next + 1);
    then.attributes.push_back(percent_decoded(key.substr(0, key.find('='))).value_or(""));
  }
  return then;
}

void MatchesDesk::watch_room(const ApiCall& call, const Named& match, milliseconds wait) {
  const Room& room = *match.state.room;
  if (!room.takes_players() || !room.match) return call.answer(match_over(match.state.result));
  MatchRequested request = request_in(room, match);
  request.claim = claim_of(*room.match);
  if (request.claim.player.empty()) {
    return call.answer(
        with_result(match_without_players(match.id, room.mode.text()), match.state.result));
  }
  request.claim.match = *room.match;
  watch(call, match, std::move(request), room.ready() ? std::max(wait, least_wait) : wait);
}

void MatchesDesk::watch(const ApiCall& call, const Named& match, MatchRequested request,
                        milliseconds wait) {
  if (wait <= milliseconds{0}) return call.answer(not_ready(match.id, request.mode));
  const TicketId ticket = desk_.new_ticket();
  request.ticket = ticket;
  request.deadline = call.context.now() + wait;
  watchers_.emplace(ticket,
                    Watcher{match.id, call.responder, request.deadline, request.mode,
                            std::make_shared<const wire::MatchFacts>(*request.claim.match)});
  call.responder.on_hang_up([this, ticket] {
    if (watchers_.erase(ticket) > 0) desk_.post(RequestCancelled{ticket});
  });
  desk_.post(std::move(request));
}

void MatchesDesk::keep(const Named& match, MatchRequested request) {
  const TicketId ticket = desk_.new_ticket();
  request.ticket = ticket;
  ++kept_by_[match.counted.first];
  kept_tickets_.emplace(ticket, match.id);
  kept_.emplace(match.id, Kept{ticket, request, match.counted});
  desk_.post(std::move(request));
}

void MatchesDesk::forget(const std::string& id) {
  const auto ended = kept_.extract(id);
  kept_tickets_.erase(ended.mapped().ticket);
  if (--kept_by_[ended.mapped().counted.first] == 0) kept_by_.erase(ended.mapped().counted.first);
}

void MatchesDesk::cancel(const std::string& id) {
  desk_.post(RequestCancelled{kept_.at(id).ticket});
  forget(id);
  failures_.erase(id);
  std::erase_if(watchers_, [&](const auto& each) {
    if (each.second.id != id) return false;
    desk_.post(RequestCancelled{each.first});
    each.second.responder.answer(unknown_match());
    return true;
  });
}

void MatchesDesk::failed(const std::string& id, Refusal reason) {
  const bool of_room = reason == Refusal::boot_failed || reason == Refusal::no_capacity ||
                       reason == Refusal::lock_timeout || reason == Refusal::lock_unavailable;
  if (!of_room) return;
  const std::string_view type = type_of(reason);
  if (!failures_.insert_or_assign(id, type).second) return;
  failures_by_age_.push_back(id);
  if (failures_by_age_.size() <= most_failures) return;
  failures_.erase(failures_by_age_.front());
  failures_by_age_.pop_front();
}

net::HttpAnswer MatchesDesk::not_ready(const std::string& id, const ModeName& mode) const {
  const MatchState state = core_.match(wire::match_group_of(id), TimePoint::max());
  if (!state.no_capacity) return on_its_way(id, {});
  return on_its_way(id, to_string(capacity_lack(core_.directory(), mode)));
}

net::HttpAnswer MatchesDesk::without_seats(const Named& match) const {
  const Room& room = *match.state.room;
  Seated there{.ticket = {}, .room = room.id, .group = room.group, .place = *room.place};
  if (there.place.host.empty()) there.place.host = core_.directory().find(room.id.worker)->address;
  for (const wire::MatchPlayer& each : room.match->players) there.players.push_back(each.player);
  return with_result(match_ready({.id = match.id,
                                  .mode = room.mode.text(),
                                  .seated = there,
                                  .asked = *room.match,
                                  .list = room.match.get(),
                                  .expires_at = {}}),
                     match.state.result);
}

bool MatchesDesk::answer(const Seated& seated, TimePoint now, auth::WallTime wall) {
  if (const auto kept = kept_tickets_.find(seated.ticket); kept != kept_tickets_.end()) {
    forget(std::string{kept->second});
    return true;
  }
  const auto found = watchers_.extract(seated.ticket);
  if (found.empty()) return false;
  if (told_.try_emplace(seated.room, now + seated.reserved_for).second) {
    told_by_age_.push_back(seated.room);
    if (told_by_age_.size() > most_told) {
      told_.erase(told_by_age_.front());
      told_by_age_.pop_front();
    }
  }
  const Watcher& watcher = found.mapped();
  const MatchState state = core_.match(wire::match_group_of(watcher.id), TimePoint::max());
  const bool listed = state.room != nullptr && state.room->match;
  const auto expires_at = wall + std::chrono::duration_cast<milliseconds>(seated.reserved_for);
  watcher.responder.answer(with_result(match_ready({.id = watcher.id,
                                                    .mode = watcher.mode.text(),
                                                    .seated = seated,
                                                    .asked = *watcher.facts,
                                                    .list = listed ? &*state.room->match : nullptr,
                                                    .expires_at = expires_at}),
                                       state.result));
  return true;
}

bool MatchesDesk::answer(const Refused& refused, TimePoint now) {
  if (const auto kept = kept_tickets_.find(refused.ticket); kept != kept_tickets_.end()) {
    failed(kept->second, refused.reason);
    forget(std::string{kept->second});
    return true;
  }
  const auto found = watchers_.extract(refused.ticket);
  if (found.empty()) return false;
  const Watcher& watcher = found.mapped();
  const MatchState state = core_.match(wire::match_group_of(watcher.id), now);
  const bool goes_on =
      kept_.contains(watcher.id) || (state.room != nullptr && state.room->starts());
  if (now >= watcher.deadline && goes_on) {
    watcher.responder.answer(not_ready(watcher.id, watcher.mode));
  } else {
    watcher.responder.answer(refusal_of(watcher, refused));
  }
  return true;
}

net::HttpAnswer MatchesDesk::refusal_of(const Watcher& watcher, const Refused& refused) const {
  const MatchState state = core_.match(wire::match_group_of(watcher.id), TimePoint::max());
  switch (refused.reason) {
    case Refusal::match_differs: {
      const bool known = state.room != nullptr && state.room->match;
      return match_differs(known ? differences(*state.room->match, *watcher.facts) : "");
    }
    case Refusal::room_closed:
      return state.ended ? match_over(state.result) : room_failed(type_of(Refusal::boot_failed));
    case Refusal::match_ended: return match_over(state.result);
    case Refusal::room_full: return match_full();
    case Refusal::wait_timeout:
      if (state.room != nullptr) return room_out_of_sight();
      return room_failed(type_of(refused.reason));
    case Refusal::not_joined:
    case Refusal::queue_full:
    case Refusal::no_capacity:
    case Refusal::boot_failed:
    case Refusal::lock_timeout:
    case Refusal::lock_unavailable:
    case Refusal::too_many_rooms:
    case Refusal::party_too_large:
    case Refusal::already_seated:
    case Refusal::stopping:
    case Refusal::worker_away: break;
  }
  return to_answer(refused, capacity_lack(core_.directory(), watcher.mode));
}

}  // namespace fixkeep::master
