// Messages that the text says.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "tests/scenarios/cluster/message_text.hpp"
#include "tests/scenarios/cluster/message_words.hpp"

namespace fixkeep::scenarios {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using wire::RoomPhase;

constexpr Duration usual_reservation{std::chrono::seconds{15}};

milliseconds short_time(Words& words, const char* key, Duration otherwise) {
  return duration_cast<milliseconds>(words.duration(key, otherwise));
}

// The oldest question of the kind, or one without anything in it if its number is made up.
template <class Question>
Question answered(Dialogue& back, Words& words) {
  if (const auto made_up = words.key("request")) {
    Question question;
    question.request = number_of(*made_up);
    return question;
  }
  for (auto at = back.unanswered.begin(); at != back.unanswered.end(); ++at) {
    if (const auto* found = std::get_if<Question>(&*at)) {
      Question question = *found;
      back.unanswered.erase(at);
      return question;
    }
  }
  throw ScenarioError("nothing of the kind was asked");
}

// `granted=p1,p2`, by the first player of each claim; `granted=5` is an index, whatever it means.
std::vector<std::uint32_t> granted_of(Words& words, const std::vector<wire::Claim>& claims,
                                      bool all) {
  std::vector<std::uint32_t> granted;
  const auto listed = words.key("granted");
  if (!listed) {
    for (std::uint32_t i = 0; all && i < claims.size(); ++i) granted.push_back(i);
    return granted;
  }
  for (const std::string& name : names_of(split(*listed, ','))) {
    const auto found = std::find_if(claims.begin(), claims.end(), [&](const wire::Claim& claim) {
      return claim.player.text() == name;
    });
    granted.push_back(found == claims.end() ? small(number_of(name))
                                            : small(std::uint64_t(found - claims.begin())));
  }
  return granted;
}

std::vector<PlayerId> players_of(const std::vector<std::uint32_t>& granted,
                                 const std::vector<wire::Claim>& claims) {
  std::vector<PlayerId> players;
  for (const std::uint32_t index : granted) {
    if (index >= claims.size()) continue;
    players.push_back(claims[index].player);
    players.insert(players.end(), claims[index].party.begin(), claims[index].party.end());
  }
  return players;
}

ReservationId reservation_of(Words& words, Dialogue& back, bool any) {
  if (const auto given = words.key("r")) return ReservationId{number_of(*given)};
  return ReservationId{any ? ++back.reservations : 0};
}

wire::WorkerModes modes_of(Words& words, bool& said) {
  wire::WorkerModes modes;
  const auto known = words.key("modes");
  const auto paused = words.key("paused");
  said = known || paused;
  for (const std::string& mode : split(known.value_or("duel"), ',')) {
    modes.known.emplace_back(mode);
  }
  for (const std::string& each : split(paused.value_or(""), ',')) {
    const auto parts = split(each, ':');  // "duel:1s" or "duel:drained"
    wire::PausedMode pause{ModeName{parts.at(0)}, wire::PauseCause::failing, milliseconds{0}, "x"};
    if (parts.at(1) == "slow") {
      pause.cause = wire::PauseCause::slow;
    } else if (parts.at(1) == "drained") {
      pause.cause = wire::PauseCause::drained;
    } else {
      pause.left = duration_cast<milliseconds>(duration_of(parts.at(1)));
    }
    modes.paused.push_back(std::move(pause));
  }
  return modes;
}

wire::StartQueue starts_of(Words& words) {
  const auto parts = split(words.key("queued").value_or("0/0"), '/');
  return {small(number_of(parts.at(0))), small(number_of(parts.at(1)))};
}

}  // namespace

// --- what the text says --------------------------------------------------------------------------

wire::WorkerState MessageText::worker_state(Words& words, Dialogue& forth) {
  wire::WorkerState state;
  state.zone = ZoneName{words.key("zone").value_or("a")};
  state.address = played_address;
  state.room_limit = small(words.number("limit", 10));
  state.headroom = small(words.number("headroom", 10));
  state.highest_counter = words.number("highest", 0);
  state.last_reservation = ReservationId{words.number("last", 0)};
  bool said = false;
  state.modes = modes_of(words, said);
  state.starts = starts_of(words);
  forth.newest = RoomNumber{small(words.number("newest", 0))};
  for (const std::string& each : words.rest()) {
    for (wire::RoomInfo& room : rooms(each)) {
      forth.newest = std::max(forth.newest, room.number);
      state.rooms.push_back(std::move(room));
    }
  }
  state.newest_room = forth.newest;
  return state;
}

wire::RoomsChanged MessageText::rooms_changed(Words& words, Dialogue& forth) {
  wire::RoomsChanged news;
  news.headroom = small(words.number("headroom", 10));
  bool said = false;
  auto modes = modes_of(words, said);
  if (said) news.modes = std::move(modes);
  news.starts = starts_of(words);
  const auto newest = words.key("newest");
  for (const std::string& each : words.rest()) {
    if (each[0] == '+') {
      for (wire::RoomInfo& room : rooms(each)) {
        forth.newest = std::max(forth.newest, room.number);
        news.opened.push_back(std::move(room));
      }
    } else if (each[0] == '!') {
      news.results.push_back(result(each.substr(1)));
    } else {
      news.changed.push_back(change(each));
    }
  }
  news.newest_room = newest ? RoomNumber{small(number_of(*newest))} : forth.newest;
  return news;
}

wire::SeatReply MessageText::seat_reply(Words& words, Dialogue& back, TimePoint now) {
  const auto question = answered<wire::SeatRequest>(back, words);
  wire::SeatReply reply;
  reply.request = question.request;
  reply.room = question.room;
  if (words.peek().starts_with('#')) reply.room = room_number(words.take(""));
  reply.phase = RoomPhase::open;
  if (const auto phase = phase_named(words.peek())) {
    reply.phase = *phase;
    words.take("");
  }
  if (const auto reason = enumerator_named(words.peek(), wire::last_close_reason)) {
    reply.reason = *reason;
    words.take("");
  }
  if (words.flag("running")) reply.stage = RoomStage::running;
  if (words.flag("no-newcomers")) reply.stage = RoomStage::no_newcomers;
  reply.granted = granted_of(words, question.claims, false);
  const bool any = !reply.granted.empty();
  reply.reserved_for = short_time(words, "for", any ? usual_reservation : Duration{0});
  if (const auto seated = words.key("seated")) {
    for (const std::string& each : names_of(split(*seated, ','))) {
      reply.seated.push_back(PlayerId{each});
    }
  } else {
    for (const PlayerId& each : players_of(reply.granted, question.claims)) {
      reply.seated.push_back(each);
    }
  }
  reply.reservation = reservation_of(words, back, any);
  reply.granted_at = words.duration("at", now.time_since_epoch());
  reply.opened_at = words.duration("opened", Duration{0});
  words.finish();
  return reply;
}

wire::SpawnReply MessageText::spawn_reply(Words& words, Dialogue& back, TimePoint now) {
  auto order = answered<wire::SpawnRoom>(back, words);
  if (order.capacity == 0) {  // its number is made up
    order.group = GroupKey{"g"};
    order.mode = ModeName{"duel"};
    order.capacity = 1;
  }
  wire::SpawnReply reply;
  reply.request = order.request;
  const auto outcome = enumerator_named(words.take("the outcome"), wire::last_spawn_outcome);
  require(outcome.has_value(), "no such outcome of an order");
  reply.outcome = *outcome;
  if (const auto highest = words.key("highest")) reply.highest = token_of(*highest);
  if (reply.outcome != wire::SpawnOutcome::accepted) {
    reply.headroom = small(words.number("headroom", 0));
    words.finish();
    return reply;
  }
  reply.headroom = small(words.number("headroom", 9));
  reply.room.number = room_number(words.take("the room"));
  reply.room.group = order.group;
  reply.room.mode = order.mode;
  reply.room.capacity = order.capacity;
  reply.room.creation = order.creation;
  reply.room.place = place(words);
  if (const auto phase = phase_named(words.peek())) {
    reply.room.phase = *phase;
    words.take("");
  }
  reply.granted = granted_of(words, order.claims, true);
  for (const PlayerId& each : players_of(reply.granted, order.claims)) {
    reply.room.players.push_back(each);
  }
  reply.reserved_for = short_time(words, "for", usual_reservation);
  reply.reservation = reservation_of(words, back, !reply.granted.empty());
  reply.granted_at = words.duration("at", now.time_since_epoch());
  words.finish();
  return reply;
}

wire::PrepareReply MessageText::prepare_reply(Words& words, Dialogue& back) {
  const auto question = answered<wire::PrepareSpawn>(back, words);
  wire::PrepareReply reply;
  reply.request = question.request;
  reply.group = question.group;
  reply.promised = words.take("yes or no") == "yes";
  if (const auto highest = words.key("highest")) reply.highest = token_of(*highest);
  for (const std::string& each : words.rest()) {
    for (wire::RoomInfo& room : rooms(each)) reply.rooms.push_back(std::move(room));
  }
  return reply;
}

wire::Order MessageText::question(const std::string& kind, Words& words, Dialogue& asked) {
  if (kind == "SeatRequest") {
    wire::SeatRequest request{++asked.requests, {}, {}};
    request.room = room_number(words.take("the room"));
    request.claims = claims(words.rest());
    return request;
  }
  if (kind == "PrepareSpawn") {
    wire::PrepareSpawn prepare{++asked.requests, {}, {}};
    prepare.token = token_of(words.take("the token"));
    prepare.group = GroupKey{words.take_or("g")};
    return prepare;
  }
  if (kind == "SpawnRoom") {
    wire::SpawnRoom order;
    order.request = ++asked.requests;
    order.mode = ModeName{words.key("mode").value_or("duel")};
    order.group = GroupKey{words.key("g").value_or("g")};
    if (const auto basis = words.key("basis")) order.basis = token_of(*basis);
    order.capacity = small(words.number("capacity", 4));
    order.only_warm = words.flag("only-warm");
    order.creation = creation_of(words.take("the order"));
    order.claims = claims(words.rest());
    return order;
  }
  if (kind == "ReleaseSeats") {
    wire::ReleaseSeats release;
    release.reservation = ReservationId{words.number("r", 0)};
    release.own_after = ReservationId{words.number("after", 0)};
    release.own_up_to = ReservationId{words.number("up-to", 0)};
    release.room = room_number(words.take("the room"));
    for (const std::string& each : names_of(words.rest()))
      release.players.push_back(PlayerId{each});
    return release;
  }
  if (kind == "KeepWarm") {
    wire::KeepWarm keep;
    for (const std::string& each : words.rest()) keep.pools.emplace_back(each);
    return keep;
  }
  require(kind == "CloseWarmRoom", "no such message: " + kind);
  wire::CloseWarmRoom close;
  close.basis = token_of(words.key("basis").value_or("0.m0"));
  close.room = room_number(words.take("the room"));
  close.pool = GroupKey{words.take("the pool")};
  close.order = creation_of(words.take("the order"));
  return close;
}

wire::Report MessageText::report(Words& words, Dialogue& asked, Dialogue& own, TimePoint now) {
  const std::string kind = words.take("the message");
  if (kind == "WorkerState") return worker_state(words, own);
  if (kind == "RoomsChanged") return rooms_changed(words, own);
  if (kind == "SeatReply") return seat_reply(words, asked, now);
  if (kind == "SpawnReply") return spawn_reply(words, asked, now);
  if (kind == "SeatsReleased") return wire::SeatsReleased{words.number("n", 0)};
  require(kind == "PrepareReply", "no such message of a worker: " + kind);
  return prepare_reply(words, asked);
}

wire::Order MessageText::order(Words& words, Dialogue& asked) {
  wire::Order order = question(words.take("the message"), words, asked);
  words.finish();
  asked.asked(order);
  return order;
}

}  // namespace fixkeep::scenarios
