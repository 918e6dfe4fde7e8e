// Descriptions of the records in a worker's journal (common/record/record.hpp). A field keeps its
// number for ever: a worker reads what an older or a newer program has written.
//
// Thread rule: free functions. Bounds: the same as in messages (common/wire/limits.hpp). Errors: as
// in codec.hpp.
#pragma once

#include <algorithm>

#include "common/record/ids.hpp"
#include "common/record/record.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/room_records.hpp"
#include "worker/core/memory.hpp"

namespace fixkeep::worker {

void describe(auto& fields, Described<RoomRecord> auto& room) {
  fields.positive(1, room.room);
  fields.id(2, room.group, wire::limits::group_bytes);
  fields.id(3, room.mode, wire::limits::id_bytes);
  fields.positive(6, room.capacity, wire::limits::capacity);
  fields.nested(7, room.creation);
  fields.choice(8, room.phase, wire::RoomPhase::closed);
  fields.choice(9, room.reason, wire::last_close_reason);
  fields.number(10, room.opened_at, wire::limits::worker_time_us);
  fields.number(11, room.drained_by);  // CLOCK_MONOTONIC
  fields.number(12, room.watched);
  fields.nested(13, room.place);
  fields.nested(14, room.match);
  fields.choice(15, room.admission.rule, last_newcomers);
  fields.choice(16, room.admission.word, last_newcomers_word);
  fields.number(17, room.admission.complete);
  fields.number(18, room.admission.lasts);
  fields.number(19, room.admission.until);  // CLOCK_MONOTONIC
  fields.list(20, room.wants, wants_most);
}
[[nodiscard]] inline bool holds(const RoomRecord& room) {
  return room.place || !wire::has_opened(room.phase);
}

// RoomGone and PromiseForgotten have one field each. It stands directly in the journal's record:
// its number also says which kind of record this is (codec.cpp).
void describe(auto& fields, Described<RoomGone> auto& gone) {
  fields.positive(2, gone.room);
}

void describe(auto& fields, Described<PromiseForgotten> auto& forgotten) {
  fields.id(5, forgotten.group, wire::limits::group_bytes);
}

void describe(auto& fields, Described<SeatRecord> auto& seat) {
  constexpr std::size_t most_reservations = 16;  // more than Reservations::most + 1
  fields.number(1, seat.room);
  fields.id(2, seat.player, wire::limits::id_bytes);
  fields.number(3, seat.came);
  fields.column(4, seat.reservations, &SeatReservation::id, most_reservations);
  fields.text(5, seat.brings, wire::limits::brings_bytes);
  fields.column(6, seat.reservations, &SeatReservation::by, most_reservations);
  fields.text(7, seat.team, wire::limits::id_bytes);
  fields.text(8, seat.attributes, wire::limits::player_attributes_bytes);
  fields.number(9, seat.want);
}
[[nodiscard]] inline bool holds(const SeatRecord& seat) {
  return std::ranges::all_of(seat.reservations,
                             [](const SeatReservation& each) { return each.id.number() > 0; });
}

void describe(auto& fields, Described<PromiseRecord> auto& promise) {
  fields.id(1, promise.group, wire::limits::group_bytes);
  fields.nested(2, promise.highest);
  fields.fixed(3, promise.orderer);
  fields.nested(4, promise.promised);
}

void describe(auto& fields, Described<PromiseFloors> auto& floors) {
  fields.nested(1, floors.floor);
  fields.nested(2, floors.promised_floor);
  fields.number(3, floors.highest_counter, largest_counter);
}

void describe(auto& fields, Described<CreationRecord> auto& made) {
  fields.id(1, made.group, wire::limits::group_bytes);
  fields.nested(2, made.creation);
  fields.number(3, made.room);
}

void describe(auto& fields, Described<NumbersRecord> auto& numbers) {
  fields.number(1, numbers.room);
  fields.number(2, numbers.reservation);
}

void describe(auto& fields, Described<MatchEnded> auto& ended) {
  fields.id(1, ended.group, wire::limits::group_bytes);
  fields.number(2, ended.at);  // CLOCK_MONOTONIC
}

void describe(auto& fields, Described<ResultRecord> auto& result) {
  fields.positive(1, result.room);
  fields.id(2, result.group, wire::limits::group_bytes);
  fields.nested(3, result.creation);
  fields.text(4, result.value, wire::limits::result_bytes);
  fields.number(5, result.ended);  // CLOCK_MONOTONIC
}

}  // namespace fixkeep::worker
