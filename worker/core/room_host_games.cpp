#include <utility>

#include "worker/core/player_count.hpp"
#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

using wire::RoomPhase;

namespace {

bool may_come(const Room& room, const PlayerId& player) {
  if (room.closed()) return false;
  if (room.seats.find(player) != nullptr) return true;
  return room.uncertain && room.seats.taken() < room.seats.capacity();
}

}  // namespace

void RoomHost::Impl::on(RoomPlaced&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed() || room->place == event.place) return;
  live(*room, life::Placed{.valid = wire::is_valid(event.place)});
  if (room->closed()) return;
  room->place = std::move(event.place);
  news.renewed(*room);
}

void RoomHost::Impl::on(PlacesChanged&& event) {
  capacity.places_changed(event.places, event.started);
  std::string why = shortened(std::move(event.why));
  if (why == why_no_places) return;
  why_no_places = std::move(why);
  news.modes_changed(worker_modes());
}

void RoomHost::Impl::on(ProcessBegun&& event) {
  Room* room = find(event.room);
  if (room == nullptr || !room->life.queued()) return;
  capacity.pace().begun(now);
  if (!room->closed()) room->started_at = now;
  live(*room, life::Begun{});
  look_at_boot(*room);
}

void RoomHost::Impl::look_at_boot(const Room& room) {
  const bool is_watched = options.look_at_boots > Duration{0};
  if (!is_watched || room.phase() != RoomPhase::starting) return;
  boots_seen_at.emplace(now + options.look_at_boots, room.number);
}

void RoomHost::Impl::look_at_boots() {
  while (!boots_seen_at.empty() && boots_seen_at.begin()->first <= now) {
    Room* const room = find(boots_seen_at.extract(boots_seen_at.begin()).value().second);
    if (room == nullptr || room->phase() != RoomPhase::starting) continue;
    look(*room);
    look_at_boot(*room);
  }
}

void RoomHost::Impl::look_at_players(const Room& room) {
  if (rules_of(room).seats != SeatRule::until_exit) return;
  players_seen_at.emplace(now + options.look_at_players, room.number);
}

void RoomHost::Impl::look_at_players() {
  while (!players_seen_at.empty() && players_seen_at.begin()->first <= now) {
    Room* const room = find(players_seen_at.extract(players_seen_at.begin()).value().second);
    if (room == nullptr || room->closed()) continue;
    if (room->seats.occupied() > 0) look(*room);
    look_at_players(*room);
  }
}

// Frees the seats if no client was connected for a while. A short gap proves nothing: a client may
// be reconnecting.
void RoomHost::Impl::saw_players(Room& room) {
  if (room.connected != false) return room.nobody_since.reset();
  if (!room.nobody_since) room.nobody_since = now;
  const bool for_long = now - *room.nobody_since >= options.look_at_players;
  if (!for_long || room.seats.occupied() == 0) return;
  const CountedSeats changes = apply_count(changing_seats(room), 0);
  for (const PlayerId& player : changes.freed) news.left(room, player);
  news.changed(room);
  watch_emptiness(room);
}

void RoomHost::Impl::on(ProcessReady&& event) {
  Room* room = find(event.room);
  if (room != nullptr) live(*room, life::Ready{need_of(*room)});
}

void RoomHost::Impl::on(ProcessExited&& event) {
  Room* room = find(event.room);
  if (room == nullptr) return;
  if (event.blameless && room->phase() == RoomPhase::starting && !event.how.empty()) {
    mode_troubles.said(room->mode, shortened(event.how), now);
  }
  const life::Exited exited{.blameless = event.blameless, .early = nobody_has_seen(*room)};
  live(*room, exited, std::move(event.how));
}

// Returns whether the room opened only a moment ago and no player has entered it. If such a room
// crashes, the game itself is at fault. If players have entered, they may have caused the crash, so
// the crash must not pause the mode for other players.
bool RoomHost::Impl::nobody_has_seen(const Room& room) const {
  return !room.seats.was_entered() &&
         clock.worker_time() - room.opened_at < options.boot_backoff.lasting;
}

void RoomHost::Impl::on(NotReady&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->phase() != RoomPhase::starting) return;
  room->why_not_ready = shortened(std::move(event.why));
  if (room->older_rules != nullptr) return;  // older rules do not describe the present games
  mode_troubles.said(room->mode, "not ready: " + room->why_not_ready, now);
}

void RoomHost::Impl::on(GameSeen&& event) {
  Room* room = find(event.room);
  if (room == nullptr) return;
  room->connected = event.connected;
  live(*room, life::Seen{event.waited});
  if (!room->closed() && rules_of(*room).seats == SeatRule::until_exit) saw_players(*room);
}

void RoomHost::Impl::on(GameHealthy&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed()) return;
  if (!health.watches(room->number)) records.room_changes(room->number);
  health.sign(room->number, now);
  live(*room, life::Healthy{});
}

void RoomHost::Impl::on(ShutdownAsked&& event) {
  Room* room = find(event.room);
  if (room != nullptr) live(*room, life::AskedToEnd{});
}

void RoomHost::Impl::on(PlayerArrived&& event) {
  Room* room = find(event.room);
  const bool admitted = room != nullptr && may_come(*room, event.player);
  out->emplace_back(AdmitPlayer{.question = event.question, .admitted = admitted});
  if (!admitted) {
    ++counters.players_turned_away;
    return;
  }
  ++counters.players_admitted;
  const Seat* seat = room->seats.find(event.player);
  const bool unknown = seat == nullptr;
  const bool came_back = seat != nullptr && seat->occupied();  // the player has reconnected
  if (unknown) news.seated(*room, event.player, {});
  changing_seats(*room).occupy_anew(event.player);
  if (!came_back) news.changed(*room);
  if (unknown) watch_emptiness(*room);
}

// A draining room keeps no seat for a player that left. Masters send no more players to such a
// room, so it would wait for this player alone. A starting room keeps no seat either, because no
// reservation runs out before the room opens.
bool RoomHost::Impl::keeps_seat_of(const Room& room, const PlayerId& player) const {
  const ModeOptions& mode = rules_of(room);
  if (mode.seats != SeatRule::told || mode.reconnect == Duration{0}) return false;
  const Seat* seat = room.seats.find(player);
  return room.phase() == RoomPhase::open && seat != nullptr && seat->occupied();
}

// If the player has reserved its seat again since it came, the seat stays taken: the player is
// going to come back.
void RoomHost::Impl::on(PlayerLeft&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed()) return;
  const std::uint32_t occupied = room->seats.occupied();
  if (keeps_seat_of(*room, event.player)) {
    const ReservationId reservation{++last_reservation};
    changing_seats(*room).leave_for_a_while(event.player, reservation);
    expect(*room, event.player, reservation, time_to_come_back(*room));
    news.changed(*room);
    return;
  }
  const bool freed = changing_seats(*room).leave(event.player);
  if (room->seats.occupied() != occupied) news.changed(*room);
  if (freed) seat_freed(*room, event.player);
}

void RoomHost::Impl::on(NewcomersDecided&& event) {
  Room* room = find(event.room);
  if (room == nullptr || room->closed()) return;
  Admission& admission = room->admission;
  if (event.wants) {
    if (*event.wants == room->wants) return;  // repeated, also by the game's next run
    room->wants = *std::move(event.wants);
    changing_seats(*room).want_anew(room->wants);
    admission.complete = admission.complete || !room->wants.empty();
  } else if (admission.word != event.word) {
    admission.word = event.word;
    if (event.word == NewcomersWord::closed) admission.complete = true;
  } else {
    return;
  }
  news.changed(*room);
  watch_emptiness(*room);
}

// A game that was asked to end may still say its result.
void RoomHost::Impl::on(ResultSaid&& event) {
  const auto answer = [&](ResultAnswer how) {
    out->emplace_back(AnswerResult{.question = event.question, .answer = how});
  };
  if (const ResultRecord* before = results.find(event.room)) {
    return answer(before->value == event.value ? ResultAnswer::kept : ResultAnswer::differs);
  }
  const Room* room = find(event.room);
  const bool played =
      room != nullptr && room->opened_at != wire::WorkerTime{} && !wire::is_warm_pool(room->group);
  if (!played) return answer(ResultAnswer::too_early);
  if (!results.has_space_for(event.value)) return answer(ResultAnswer::not_kept);
  auto& calls = new_results[event.room];
  if (calls.empty()) {
    records.add(ResultRecord{room->number, room->group, room->creation, event.value});
  }
  calls.push_back(std::move(event));
}

// Masters hear of the end of a match even without a result, because its service waits for the end.
void RoomHost::Impl::end_result(RoomNumber number) {
  const ResultRecord* found = results.find(number);
  const Room* const room = find(number);
  const auto said = new_results.find(number);
  if (found == nullptr && room != nullptr && said != new_results.end()) {
    results.put({number, room->group, room->creation, said->second.front().value});
    found = results.find(number);
  }
  ResultRecord result;
  if (found != nullptr) {
    if (found->ended) return;
    result = *found;
  } else {
    const bool match_ends =
        room != nullptr && room->match && wire::ends_match(room->life.reason(), room->opened_at);
    if (!match_ends) return;
    result = {number, room->group, room->creation, {}};
  }
  result.ended = now;
  results.put(result);
  if (wire::is_match(result.group)) news.said(result);
  records.add(std::move(result));
}

void RoomHost::Impl::on(PlayersCounted&& event) {
  Room* room = find(event.room);
  const bool serving = room != nullptr && !room->closed() && room->phase() != RoomPhase::starting;
  if (!serving || !room->is_asked) return;
  if (room->unknown()) news.changed(*room);
  room->counted = event.players;
  const std::uint32_t occupied = room->seats.occupied();
  const CountedSeats changes = apply_count(changing_seats(*room), event.players);
  for (const PlayerId& player : changes.taken) news.seated(*room, player, {});
  for (const PlayerId& player : changes.freed) news.left(*room, player);
  if (room->seats.occupied() != occupied) news.changed(*room);
  if (!changes.taken.empty() || !changes.freed.empty()) watch_emptiness(*room);
  for (auto& [player, reservation] : std::exchange(room->overdue, {})) {
    lapse({event.room, std::move(player), reservation});
  }
}

void RoomHost::Impl::on(PlayersUnknown&& event) {
  Room* room = find(event.room);
  if (room == nullptr || !std::exchange(room->counted, std::nullopt)) return;
  if (!room->closed()) news.changed(*room);
}

void RoomHost::Impl::on(GameUnhealthy&& event) {
  Room* room = find(event.room);
  if (room != nullptr) live(*room, life::Unhealthy{}, std::move(event.why));
}

}  // namespace fixkeep::worker
