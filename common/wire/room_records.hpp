// Descriptions of rooms and claims in messages (common/record/record.hpp). The numbers of the
// fields are those of fixkeep.proto.
//
// Thread rule: free functions. Bounds: limits.hpp. Errors: as in codec.hpp.
#pragma once

#include <algorithm>

#include "common/record/ids.hpp"
#include "common/record/record.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/modes.hpp"
#include "common/wire/rooms.hpp"

namespace fixkeep {

void describe(auto& fields, Described<Want> auto& want) {
  fields.text(1, want.team, wire::limits::id_bytes);
  fields.text(2, want.role, wire::limits::id_bytes);
  fields.positive(3, want.players, wire::limits::capacity);
}

}  // namespace fixkeep

namespace fixkeep::wire {

void describe(auto& fields, Described<NamedPort> auto& port) {
  fields.text(1, port.name, limits::port_name_bytes);
  fields.number(2, port.number);
}

void describe(auto& fields, Described<RoomPlace> auto& place) {
  fields.text(1, place.host, limits::address_bytes);
  fields.list(2, place.ports, limits::ports);
}
[[nodiscard]] inline bool holds(const RoomPlace& place) {
  return is_valid(place);
}

void describe(auto& fields, Described<MatchPlayer> auto& player) {
  fields.id(1, player.player, limits::id_bytes);
  fields.text(2, player.team, limits::id_bytes);
  fields.text(3, player.attributes, limits::player_attributes_bytes);
}

void describe(auto& fields, Described<MatchFacts> auto& match) {
  fields.id(1, match.told, limits::group_bytes);
  fields.fixed(2, match.teams_hash);
  fields.fixed(3, match.metadata_hash);
  fields.number(4, match.joins);
  fields.list(5, match.players, limits::capacity);
  fields.text(6, match.metadata, limits::metadata_bytes);
}
[[nodiscard]] inline bool holds(const MatchFacts& match) {
  return match.bytes() <= limits::match_bytes;
}

void describe(auto& fields, Described<RoomInfo> auto& room) {
  fields.positive(1, room.number);
  fields.id(2, room.group, limits::group_bytes);
  fields.id(3, room.mode, limits::id_bytes);
  fields.choice(4, room.phase, RoomPhase::closed);
  fields.positive(6, room.capacity, limits::capacity);
  fields.nested(7, room.creation);
  fields.number(8, room.occupied);
  fields.number(10, room.opened_at, limits::worker_time_us);
  fields.number(11, room.unknown);
  fields.nested(12, room.place);
  fields.ids(13, room.players, limits::capacity, limits::id_bytes);
  fields.texts(14, room.brought, limits::capacity, limits::brings_bytes);
  fields.nested(15, room.match);
  fields.choice(16, room.stage, last_room_stage);
  fields.list(17, room.wants, wants_most);
}
[[nodiscard]] inline bool holds(const RoomInfo& room) {
  return room.occupied <= room.capacity &&
         (room.brought.empty() || room.brought.size() == room.players.size());
}

void describe(auto& fields, Described<RoomChange> auto& change) {
  fields.number(1, change.number);
  fields.choice(2, change.phase, RoomPhase::closed);
  fields.choice(3, change.reason, last_close_reason);
  fields.number(4, change.occupied);
  fields.number(7, change.opened_at, limits::worker_time_us);
  fields.number(8, change.unknown);
  fields.ids(9, change.seated, limits::capacity, limits::id_bytes);
  fields.ids(10, change.left, limits::capacity, limits::id_bytes);
  fields.choice(11, change.stage, last_room_stage);
  fields.list(12, change.wants, wants_most);
}

void describe(auto& fields, Described<RoomResult> auto& result) {
  fields.positive(1, result.room);
  fields.id(2, result.group, limits::group_bytes);
  fields.nested(3, result.creation);
  fields.text(4, result.value, limits::result_bytes);
  fields.number(5, result.room_ended);
}

void describe(auto& fields, Described<PausedMode> auto& paused) {
  fields.id(1, paused.mode, limits::id_bytes);
  fields.choice(2, paused.cause, last_pause_cause);
  fields.number(3, paused.left);
  fields.id(4, paused.reason, limits::reason_bytes);
}

void describe(auto& fields, Described<WorkerModes> auto& modes) {
  fields.ids(1, modes.known, limits::modes, limits::id_bytes);
  fields.list(2, modes.paused, limits::modes);
}

void describe(auto& fields, Described<StartQueue> auto& starts) {
  fields.number(1, starts.queued);
  fields.number(2, starts.per_minute);
}

void describe(auto& fields, Described<Claim> auto& claim) {
  fields.id(1, claim.player, limits::id_bytes);
  fields.ids(2, claim.party, limits::capacity - 1, limits::id_bytes);
  fields.text(3, claim.context.request_id, limits::request_id_bytes);
  fields.nested(4, claim.context.trace);
  fields.text(5, claim.brings, limits::brings_bytes);
  fields.texts(6, claim.party_brings, limits::party - 1, limits::brings_bytes);
  fields.nested(7, claim.match);
  fields.list(8, claim.lineup, limits::party);
  fields.number(9, claim.no_backfill);
}
// Drops an invalid request id or trace: the claim still gets its seat.
inline void mend(Claim& claim) {
  RequestContext& context = claim.context;
  if (!is_request_id(context.request_id)) context.request_id.clear();
  if (context.trace && !context.trace->valid()) context.trace.reset();
}
[[nodiscard]] inline bool holds(const Claim& claim) {
  return (claim.party_brings.empty() || claim.party_brings.size() == claim.party.size()) &&
         (claim.match || claim.party.size() < limits::party);
}

// Returns true if the numbers of the granted claims ascend.
[[nodiscard]] inline bool ascends(const std::vector<std::uint32_t>& granted) {
  return std::is_sorted(granted.begin(), granted.end(), std::less_equal<>{});
}

void describe(auto& fields, Described<RoomHint> auto& hint) {
  fields.id(1, hint.room.worker, limits::id_bytes);
  fields.fixed(2, hint.room.incarnation);
  fields.number(3, hint.room.number);
  fields.id(4, hint.mode, limits::id_bytes);
  fields.positive(5, hint.capacity, limits::capacity);
  fields.number(6, hint.free);
  fields.nested(7, hint.ordered);
}
[[nodiscard]] inline bool holds(const RoomHint& hint) {
  const bool has_number = hint.room.number.number() > 0;
  return has_number != hint.ordered.has_value() && hint.free <= hint.capacity;
}

}  // namespace fixkeep::wire
