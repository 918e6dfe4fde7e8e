#include <utility>

#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

using wire::RoomPhase;

namespace {

// After a damaged journal, skips this many room numbers, because the lost part may have used them.
constexpr std::uint32_t lost_rooms = 10'000;
constexpr std::uint64_t lost_reservations = 1'000'000'000;

}  // namespace

Records RoomHost::take_records() {
  return impl_->records.take();
}

bool RoomHost::has_new_results() const {
  return !impl_->new_results.empty();
}

void RoomHost::results_written(bool stored, Actions& out) {
  Impl& self = *impl_;
  for (const auto& [number, calls] : std::exchange(self.new_results, {})) {
    const Room* const room = self.find(number);
    if (stored && room != nullptr) {
      self.results.put({number, room->group, room->creation, calls.front().value});
    }
    const ResultRecord* const result = self.results.find(number);
    for (const ResultSaid& call : calls) {
      const auto answer = result == nullptr             ? ResultAnswer::not_kept
                          : result->value == call.value ? ResultAnswer::kept
                                                        : ResultAnswer::differs;
      out.emplace_back(AnswerResult{.question = call.question, .answer = answer});
    }
    if (result == nullptr) continue;
    self.news.said(*result);
    if (!self.options.record_events) continue;
    self.happenings.emplace_back(events::RoomResult{
        RoomId{self.options.self, self.options.incarnation, number}, result->group,
        result->creation, wire::match_id_of(result->group), result->value});
  }
}

Records RoomHost::snapshot() const {
  const Impl& self = *impl_;
  Records out;
  self.promises.snapshot(out);
  self.ended_matches.snapshot(out);
  for (const auto& [number, result] : self.results.all()) out.emplace_back(result);
  for (const auto& [number, calls] : self.new_results) {
    const auto room = self.rooms.find(number);
    if (room == self.rooms.end() || self.results.find(number) != nullptr) continue;
    out.emplace_back(
        ResultRecord{number, room->second.group, room->second.creation, calls.front().value});
  }
  self.creations.snapshot(out, [&](const CreationId& creation, RoomNumber number) {
    const auto room = self.rooms.find(number);
    return room != self.rooms.end() && room->second.creation == creation;
  });
  for (const auto& [number, room] : self.rooms) {
    out.emplace_back(self.record_of(room));
    for (const auto& [player, seat] : room.seats.all()) {
      out.emplace_back(room.seats.record_of(number, player));
    }
  }
  out.emplace_back(NumbersRecord{self.capacity.newest().number(), self.last_reservation});
  return out;
}

RoomRecord RoomHost::Impl::record_of(const Room& room) const {
  RoomRecord record{.room = room.number,
                    .group = room.group,
                    .mode = room.mode,
                    .place = room.place,
                    .capacity = room.seats.capacity(),
                    .creation = room.creation,
                    .phase = room.phase(),
                    .reason = room.life.reason(),
                    .opened_at = room.opened_at,
                    .drained_by = std::nullopt,
                    .watched = health.watches(room.number),
                    .match = room.match,
                    .admission = room.admission,
                    .wants = room.wants};
  if (room.admission.until) record.admission.until = clock.outside(*room.admission.until);
  if (room.phase() == RoomPhase::draining && room.life.timer()) {
    record.drained_by = clock.outside(room.life.timer()->at);
  }
  return record;
}

// --- changes -------------------------------------------------------------------------------------

Seats& RoomHost::Impl::changing_seats(Room& room) {
  records.seats_change(room);
  seats_changed.push_back(room.number);
  return room.seats;
}

void RoomHost::Impl::record_batch() {
  for (Record& promise : promises.take_records()) records.add(std::move(promise));
  for (const RoomNumber number : news.pending()) {
    const Room& room = rooms.at(number);
    if (room.news.born || room.news.renewed || room.news.changed) records.add(record_of(room));
  }
  for (const RoomNumber number : records.take_rooms()) { records.add(record_of(rooms.at(number))); }
  for (const RoomNumber number : records.take_seats()) {
    Room& room = rooms.at(number);
    room.seats_changed = false;
    for (const PlayerId& player : room.seats.take_changed()) {
      records.add(room.seats.record_of(number, player));
    }
  }
  for (const RoomNumber number : gone) records.add(RoomGone{number});
  // Includes rooms and reservations that ended within the batch, because masters know their
  // numbers.
  records.add_numbers({capacity.newest().number(), last_reservation});
}

// --- the next run --------------------------------------------------------------------------------

void RoomHost::Impl::on(Recovered&& event) {
  const Memory& memory = event.memory;
  capacity.go_on_after(memory.numbers.room + (event.complete ? 0 : lost_rooms));
  last_reservation = memory.numbers.reservation + (event.complete ? 0 : lost_reservations);
  promises.restore(memory, now);
  for (const CreationRecord& made : memory.creations) {
    creations.add(made.group, made.creation, made.room);
    creations.closed(made.group, made.creation, now);
  }
  for (const MatchEnded& ended : memory.ended_matches) ended_matches.add(ended);
  results = memory.results;
  for (const auto& [number, remembered] : memory.rooms) {
    Room* const room = recover(remembered);
    if (room == nullptr) continue;
    // No worker received signs of life between the two runs, so the game's silence starts now.
    if (remembered.room.watched && !room->closed()) health.sign(number, now);
    go_on(*room, event.complete);
  }
  // Rooms that were not restored are gone.
  for (const auto& [number, result] : memory.results.all()) {
    if (!result.ended && !rooms.contains(number)) end_result(number);
  }
}

// Continues the room. If the room's mode is gone, returns null and remembers the room as closed.
Room* RoomHost::Impl::recover(const Memory::RememberedRoom& remembered) {
  const RoomRecord& record = remembered.room;
  creations.add(record.group, record.creation, record.room);
  const ModeOptions* const mode = mode_of(record.mode);
  const bool closed = record.phase == RoomPhase::closed;
  if (closed || mode == nullptr) creations.closed(record.group, record.creation, now);
  if (mode == nullptr) return nullptr;
  Room& room =
      rooms
          .emplace(record.room, Room{.number = record.room,
                                     .group = record.group,
                                     .mode = record.mode,
                                     .place = record.place,
                                     .creation = record.creation,
                                     .seats = Seats{record.capacity, records.keeps()},
                                     .life = {life_rules(*mode),
                                              {.phase = record.phase,
                                               .reason = record.reason,
                                               .placed = record.place.has_value(),
                                               .drained_by = record.drained_by},
                                              now},
                                     .opened_at = record.opened_at,
                                     .is_asked = mode->seats == SeatRule::counted,
                                     .counted = std::nullopt,
                                     .may_have_been_entered = record.phase != RoomPhase::starting,
                                     .news = {},
                                     .match = record.match,
                                     .admission = record.admission,
                                     .wants = record.wants})
          .first->second;
  for (const auto& [player, seat] : remembered.seats) {
    // Only a damaged or foreign journal has more seats than the capacity.
    if (room.seats.taken() < record.capacity) room.seats.restore(seat);
  }
  if (!closed) groups[room.group].insert(room.number);
  capacity.adopt(mode->memory_mib);
  out->emplace_back(AdoptProcess{.as = {.room = room.number,
                                        .group = room.group,
                                        .mode = room.mode,
                                        .capacity = record.capacity,
                                        .creation = room.creation,
                                        .match = match_of(room)},
                                 .place = room.place,
                                 .open = room.opened_at != wire::WorkerTime{}});
  watch_timer(room, std::nullopt);
  return &room;
}

// Each reservation gets its full time again. No seat thus lapses earlier than the answer to its
// player has promised. The worker does not know which players were in the game, so each player gets
// the time to come back.
void RoomHost::Impl::go_on(Room& room, bool complete) {
  if (!room.closed() && room.phase() != RoomPhase::starting) {
    expect_all(room, time_to_come_back(room));
    look_at_players(room);
    newcomer_times.go_on(room, now);
  }
  if (!room.closed() && !complete) {
    room.uncertain = true;
    std::vector<PlayerId> players;
    for (const auto& [player, seat] : room.seats.all()) players.push_back(player);
    for (const PlayerId& player : players) changing_seats(room).occupy(player);
  }
  live(room, life::Recovered{.need = need_of(room), .complete = complete});
}

}  // namespace fixkeep::worker
