#include <algorithm>
#include <chrono>
#include <utility>

#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

using wire::RoomPhase;
using wire::SpawnOutcome;

namespace {

// Rounds down: the answer must not promise more time than the seat has.
std::chrono::milliseconds whole(Duration duration) {
  return std::chrono::floor<std::chrono::milliseconds>(duration);
}

// Returns the wants of the room that the newcomers fill; see fill().
std::optional<std::vector<std::uint32_t>> wants_of(const Room& room, const wire::Claim& claim,
                                                   const std::vector<PlayerId>& newcomers) {
  Wants left = room.wants_left();
  return fill(left, newcomers, [&](const Want& want, const PlayerId& newcomer) {
    const auto known = std::ranges::find(claim.lineup, newcomer, &wire::MatchPlayer::player);
    if (known == claim.lineup.end()) return fits(want, {}, {});
    return fits(want, known->team, known->attributes);
  });
}

bool refuses(RoomStage stage, const wire::Claim& claim) {
  return stage == RoomStage::no_newcomers || (claim.no_backfill && stage != RoomStage::gathering);
}

// Notes whether the room's first match is complete. Returns whether it was not complete before.
bool becomes_complete(Room& room) {
  const bool full = room.seats.taken() == room.seats.capacity();
  if (room.match || !(full || room.seats.was_brought_to())) return false;
  return !std::exchange(room.admission.complete, true);
}

}  // namespace

void RoomHost::Impl::on(MasterConnected&& event) {
  wire::WorkerState state;
  state.zone = options.zone;
  state.address = options.address;
  state.ping_port = options.ping_port;
  state.room_limit = options.room_limit;
  state.modes = worker_modes();
  state.seat_root = options.seat_root;
  forget_kept(event.master);
  state.highest_counter = promises.highest_counter();
  state.last_reservation = ReservationId{last_reservation};
  state.keeps_matches = true;
  news.connected(event.master, std::move(state), rooms, results, outlook(), *out);
}

void RoomHost::Impl::on(MasterDisconnected&& event) {
  news.disconnected(event.master);
  forget_kept(event.master);
}

void RoomHost::Impl::on(MasterSaid&& event) {
  if (!news.knows(event.master)) return;  // the master has already disconnected
  const std::size_t before = out->size();
  std::visit([&](const auto& order) { ordered(event, order); }, event.message);
  // If the last new action is a message to a master, it is the answer to this order: all other news
  // is sent at the end of the batch.
  if (out->size() == before) return;
  if (auto* sent = std::get_if<SendToMaster>(&out->back())) {
    sent->answered = std::move(event.message);
  }
}

// --- seats ---------------------------------------------------------------------------------------

void RoomHost::Impl::ordered(const MasterSaid& said, const wire::SeatRequest& request) {
  wire::SeatReply reply;
  reply.request = request.request;
  reply.room = request.room;
  if (Room* room = find(request.room); room != nullptr) {
    reply.phase = room->phase();
    reply.reason = room->life.reason();
    reply.opened_at = room->opened_at;
    // Grants no seats in a warm room: a warm room with taken seats could not be given to a group.
    const bool has_seats = !room->closed() && !wire::is_warm_pool(room->group);
    const bool stale = request.basis && promises.has_passed(room->group, *request.basis);
    const For whom = stale ? For::seated : For::all;
    if (has_seats) reply.seated = grant(*room, request.claims, said.master, reply, whom);
    // The master answers with the match's list, so the list must arrive before the reply.
    if (room->match && room->news.pending) tell_news();
    reply.stage = room->stage();
  }
  send(said.master, std::move(reply));
}

template <class Reply>
std::vector<PlayerId> RoomHost::Impl::grant(Room& room, const std::vector<wire::Claim>& claims,
                                            MasterId master, Reply& reply, For whom) {
  std::vector<PlayerId> seated;
  const ReservationId reservation{++last_reservation};
  for (std::uint32_t i = 0; i < claims.size(); ++i) {
    if (whom == For::seated && !room.seats.newcomers(claims[i]).empty()) continue;
    if (grant_one(room, claims[i], master, reservation, seated, whom)) reply.granted.push_back(i);
  }
  if (!reply.granted.empty()) {
    if (becomes_complete(room)) records.room_changes(room.number);
    watch_emptiness(room);
    if (newcomer_times.begin(room, now)) records.room_changes(room.number);
    reply.reservation = reservation;
    reply.reserved_for = whole(options.reservation);
    reply.granted_at = clock.worker_time();
  }
  return seated;
}

bool RoomHost::Impl::grant_one(Room& room, const wire::Claim& claim, MasterId master,
                               ReservationId reservation, std::vector<PlayerId>& seated, For whom) {
  if (room.match.has_value() != claim.match.has_value()) return false;
  std::vector<PlayerId> newcomers = room.seats.newcomers(claim);
  // The master may not know yet that a player has left the list of the match.
  const auto has_left = [&](const PlayerId& player) {
    return claim.match && !claim.match->joins && room.match->find(player) == nullptr;
  };
  std::erase_if(newcomers, has_left);
  std::optional<std::vector<std::uint32_t>> fills;
  if (!newcomers.empty()) {
    if (!room.takes_players()) return false;
    if (whom != For::first_match && refuses(room.stage(), claim)) return false;
    if (newcomers.size() > room.seats.capacity() - room.seats.taken()) return false;
    const bool wants = whom != For::first_match && !room.match && !room.wants.empty();
    if (wants) fills = wants_of(room, claim, newcomers);
    if (wants && !fills) return false;
  }
  if (claim.match) {
    const auto& listed = room.match->players;
    const std::size_t before = listed.size();
    const Entry entry = enter_match(*room.match, *claim.match, room.seats.capacity());
    if (entry == Entry::refused) return false;
    if (entry == Entry::joined) match_changed(room);
    for (std::size_t i = before; i < listed.size(); ++i) {
      room.joined[listed[i].player] = {reservation, master};
    }
  }
  for (const PlayerId& player : newcomers) {
    news.seated(room, player, master);
    seated.push_back(player);
    ++counters.seats_granted;
  }
  // A player that already has a seat gets its full time again, and the reply says so.
  const auto give = [&](const PlayerId& player) {
    const bool had = std::find(newcomers.begin(), newcomers.end(), player) == newcomers.end();
    if (had) confirmations.add(room.number, player, master, reservation, now);
    reserve(room, player, {reservation, master});
  };
  if (!has_left(claim.player)) give(claim.player);
  for (const PlayerId& player : claim.party) {
    if (!has_left(player)) give(player);
  }
  for (std::size_t i = 0; fills && i < fills->size(); ++i) {
    changing_seats(room).fill_want(newcomers[i], (*fills)[i] + 1);
    news.changed(room);
  }
  const auto bring = [&](const PlayerId& player, const std::string& brings) {
    if (brings.empty()) return;
    const bool came = std::find(newcomers.begin(), newcomers.end(), player) != newcomers.end();
    if (came) changing_seats(room).bring(player, brings);
  };
  bring(claim.player, claim.brings);
  for (std::size_t i = 0; i < claim.party.size(); ++i) bring(claim.party[i], claim.brought_by(i));
  for (const wire::MatchPlayer& each : claim.lineup) {
    if (std::ranges::find(newcomers, each.player) != newcomers.end()) room.seats.line_up(each);
  }
  return true;
}

// Reserves a seat, even for a player in the game. The connection of this player has probably
// broken, and the game has not noticed it yet.
void RoomHost::Impl::reserve(Room& room, const PlayerId& player, SeatReservation reservation) {
  changing_seats(room).reserve(player, reservation);
  // In a starting room, the reservation's time begins when the room opens.
  if (room.phase() != RoomPhase::starting) expect(room, player, reservation.id, time_to_come(room));
}

Duration RoomHost::Impl::time_to_come(const Room& room) const {
  const ModeOptions& mode = rules_of(room);
  const bool for_a_time = mode.seats == SeatRule::for_a_time;
  return for_a_time ? std::max(mode.seat_time, options.reservation) : options.reservation;
}

Duration RoomHost::Impl::time_to_come_back(const Room& room) const {
  return std::max(rules_of(room).reconnect, time_to_come(room));
}

void RoomHost::Impl::expect(const Room& room, const PlayerId& player, ReservationId reservation,
                            Duration length) {
  seat_deadlines.expect({.room = room.number, .player = player, .reservation = reservation}, length,
                        now);
}

void RoomHost::Impl::expect_all(const Room& room, Duration length) {
  for (const auto& [player, seat] : room.seats.all()) {
    seat.reservations.each([&, &guest = player](const SeatReservation& reservation) {
      expect(room, guest, reservation.id, length);
    });
  }
}

void RoomHost::Impl::ordered(const MasterSaid& said, const wire::ReleaseSeats& request) {
  if (Room* room = find(request.room); room != nullptr && !room->closed()) {
    std::vector<PlayerId> leavers;
    for (const PlayerId& player : request.players) {
      if (give_back(*room, player, said.master, request)) seat_freed(*room, player);
      const bool leaves =
          request.leaves_match || room->is_join_refused(player, said.master, request);
      if (leaves) leavers.push_back(player);
    }
    for (const PlayerId& player : leavers) room->joined.erase(player);
    if (room->match && leave_match(*room->match, leavers)) match_changed(*room);
  }
  if (request.request != 0) send(said.master, wire::SeatsReleased{request.request});
}

bool RoomHost::Impl::give_back(Room& room, const PlayerId& player, MasterId master,
                               const wire::ReleaseSeats& request) {
  Seats& seats = changing_seats(room);
  if (request.own_up_to != ReservationId{}) {
    return seats.give_back_of(player, master, request.own_after, request.own_up_to);
  }
  const bool of_all = request.reservation == ReservationId{};
  // A service takes the player off its match: another master's answer must not keep the seat.
  const bool leaves = request.leaves_match && room.match;
  const auto kept =
      of_all && !leaves ? confirmations.of_another(master, room.number, player, now) : std::nullopt;
  return kept ? seats.give_back_others(player, *kept)
              : seats.give_back(player, request.reservation);
}

void RoomHost::Impl::seat_freed(Room& room, const PlayerId& player) {
  news.left(room, player);
  watch_emptiness(room);
}

// --- new rooms -----------------------------------------------------------------------------------

void RoomHost::Impl::ordered(const MasterSaid& said, const wire::PrepareSpawn& request) {
  wire::PrepareReply reply;
  reply.request = request.request;
  reply.group = request.group;
  reply.promised = promises.promise(request.group, request.token, now);
  reply.highest = promises.highest(request.group);
  reply.match_ended = ended_matches.contains(request.group);
  show_rooms(said.master, reply);
  send(said.master, std::move(reply));
}

// Adds the group's rooms to the reply, until the message is full. Rooms with free seats come first,
// since the master is about to order. Then come full rooms with pending news, and last the full
// rooms that the master already knows. A full room matters only to its own players. If a room does
// not fit, it is not noted as shown, so the master gets the room's news later.
void RoomHost::Impl::show_rooms(MasterId master, wire::PrepareReply& reply) {
  const auto found = groups.find(reply.group);
  if (found == groups.end()) return;
  std::vector<std::pair<int, RoomNumber>> ranked;
  for (const RoomNumber number : found->second) {
    const Room& room = rooms.at(number);
    const bool has_seats = room.takes_players() && room.stage() != RoomStage::no_newcomers &&
                           room.seats.taken() < room.seats.capacity();
    const int full = room.news.pending ? 1 : 2;
    ranked.emplace_back(has_seats ? 0 : full, number);
  }
  std::sort(ranked.begin(), ranked.end());
  std::size_t bytes = 0;
  for (const auto& [rank, number] : ranked) {
    Room& room = rooms.at(number);
    wire::RoomInfo info = info_of(room);
    bytes += estimate(info);
    if (bytes > message_bytes) return;
    reply.rooms.push_back(std::move(info));
    news.shown(room, master);
  }
}

void RoomHost::Impl::ordered(const MasterSaid& said, const wire::SpawnRoom& request) {
  wire::SpawnReply reply;
  reply.request = request.request;
  // A repeated order is recognised before the fence is checked. It makes no second room, so a newer
  // fence does not matter.
  if (const auto made = creations.find(request.group, request.creation)) {
    repeat_spawn(said.master, request, *made, std::move(reply));
    return;
  }
  if (!promises.allow(request.group, request.creation, request.basis, now)) {
    reply.outcome = SpawnOutcome::stale_token;
    ++counters.spawns_refused_stale;
  } else if (Room* room = room_for(request, said.why_not_told, reply.outcome)) {
    reply.outcome = SpawnOutcome::accepted;
    // reply.room lists the players.
    static_cast<void>(grant(*room, request.claims, said.master, reply, For::first_match));
    reply.room = info_of(*room);
    news.shown(*room, said.master);
  }
  reply.highest = promises.highest(request.group);
  reply.headroom = headroom();
  news.headroom_told(said.master, reply.headroom);
  send(said.master, std::move(reply));
}

void RoomHost::Impl::repeat_spawn(MasterId master, const wire::SpawnRoom& request,
                                  RoomNumber number, wire::SpawnReply&& reply) {
  ++counters.spawns_repeated;
  reply.outcome = SpawnOutcome::accepted;
  reply.highest = promises.highest(request.group);
  Room* const room = find(number);
  // A warm room that was given away counts as closed for the order that made it.
  if (room != nullptr && !room->closed() && room->group == request.group) {
    static_cast<void>(grant(*room, request.claims, master, reply));
    reply.room = info_of(*room);
    news.shown(*room, master);
  } else {
    reply.room.number = number;
    reply.room.group = request.group;
    reply.room.mode = request.mode;
    reply.room.phase = RoomPhase::closed;
    reply.room.capacity = request.capacity;
    reply.room.creation = request.creation;
  }
  reply.headroom = headroom();
  news.headroom_told(master, reply.headroom);
  send(master, std::move(reply));
}

Room* RoomHost::Impl::room_for(const wire::SpawnRoom& order, const std::string& why_not_told,
                               SpawnOutcome& outcome) {
  const ModeOptions* mode = mode_of(order.mode);
  if (mode == nullptr) {
    outcome = SpawnOutcome::unknown_mode;
    return nullptr;
  }
  const bool to_be_warm = wire::is_warm_pool(order.group);
  if (to_be_warm && mode->needs_group) {
    outcome = SpawnOutcome::never_warm;
    if (never_warm_told.insert(mode->name).second) out->emplace_back(NeverWarm{mode->name});
    return nullptr;
  }
  if (!to_be_warm && !why_not_told.empty()) {
    ++counters.spawns_refused_group;
    out->emplace_back(GroupRefused{order.mode, order.group, why_not_told, cause_or_none(order)});
    // Masters of every version accept this outcome, and still send other orders of the mode to this
    // worker. One player's input must not prevent these orders.
    outcome = SpawnOutcome::mode_paused;
    return nullptr;
  }
  if (Room* warm = warm_room_for(order)) {
    give(*warm, order);
    return warm;
  }
  if (order.only_warm) {
    outcome = SpawnOutcome::no_warm_room;
    return nullptr;
  }
  if (pause_of(order.mode) || boot_backoff.pauses(order.group)) {
    outcome = SpawnOutcome::mode_paused;
    ++counters.spawns_refused_paused;
    return nullptr;
  }
  outcome = SpawnOutcome::no_capacity;
  const bool last_place = headroom() < 2;
  const bool has_room = drains.takes_rooms() && capacity.has_room_for(mode->memory_mib);
  if (order.capacity == 0 || !has_room || (to_be_warm && last_place)) return nullptr;
  return &make_room(order, *mode);
}

// REQUIRES: capacity for one more room.
Room& RoomHost::Impl::make_room(const wire::SpawnRoom& order, const ModeOptions& mode) {
  const RoomNumber number = capacity.order(mode.memory_mib);
  Room& room = rooms
                   .emplace(number, Room{.number = number,
                                         .group = {},
                                         .mode = order.mode,
                                         .creation = {},
                                         .seats = Seats{order.capacity, records.keeps()},
                                         .life = {life_rules(mode), options.starts_queue, now},
                                         .is_asked = mode.seats == SeatRule::counted,
                                         .counted = std::nullopt,
                                         .news = {}})
                   .first->second;
  enter_group(room, order.group, order.creation);
  room.admission.rule = order.newcomers;
  room.admission.lasts = order.newcomers_for;
  if (!order.claims.empty()) room.match = order.claims.front().match;
  ++counters.rooms_started;
  watch_timer(room, std::nullopt);
  if (options.starts_queue) {
    capacity.pace().ordered();
  } else {
    room.started_at = now;
  }
  news.born(room);
  out->emplace_back(StartProcess{.room = number,
                                 .group = room.group,
                                 .mode = room.mode,
                                 .capacity = order.capacity,
                                 .creation = room.creation,
                                 .cause = cause_or_none(order),
                                 .match = match_of(room, order)});
  return room;
}

}  // namespace fixkeep::worker
