// Descriptions of the messages between nodes (common/record/record.hpp). The numbers of the fields
// are those of fixkeep.proto.
//
// Thread rule: free functions. Bounds: limits.hpp. Errors: as in codec.hpp.
#pragma once

#include "common/wire/messages.hpp"
#include "common/wire/room_records.hpp"

namespace fixkeep::wire {

// --- worker to master ----------------------------------------------------------------------------

void describe(auto& fields, Described<WorkerState> auto& state) {
  fields.id(1, state.zone, limits::id_bytes);
  fields.id(2, state.address, limits::address_bytes);
  fields.number(3, state.room_limit);
  fields.number(4, state.headroom);
  fields.number(5, state.newest_room);
  fields.ids(6, state.modes.known, limits::modes, limits::id_bytes);
  fields.list(7, state.rooms, limits::rooms);
  fields.list(8, state.modes.paused, limits::modes);
  fields.number(20, state.highest_counter, limits::counter);
  fields.bytes(21, state.seat_root);
  fields.nested(22, state.starts);
  fields.number(23, state.ping_port);
  fields.number(24, state.last_reservation);
  fields.number(25, state.keeps_matches);
}

void describe(auto& fields, Described<RoomsChanged> auto& changes) {
  fields.number(1, changes.headroom);
  fields.number(2, changes.newest_room);
  fields.list(3, changes.opened, limits::rooms);
  fields.list(4, changes.changed, limits::rooms);
  fields.nested(5, changes.modes);
  fields.nested(6, changes.starts);
  fields.list(7, changes.results, limits::rooms);
}

void describe(auto& fields, Described<SeatReply> auto& reply) {
  fields.number(1, reply.request);
  fields.number(2, reply.room);
  fields.choice(3, reply.phase, RoomPhase::closed);
  fields.numbers(4, reply.granted, limits::claims);
  fields.number(5, reply.reserved_for);
  fields.number(7, reply.reservation);
  fields.choice(8, reply.reason, last_close_reason);
  fields.number(9, reply.granted_at, limits::worker_time_us);
  fields.number(10, reply.opened_at, limits::worker_time_us);
  fields.ids(11, reply.seated, limits::capacity, limits::id_bytes);
  fields.choice(12, reply.stage, last_room_stage);
}
[[nodiscard]] inline bool holds(const SeatReply& reply) {
  return ascends(reply.granted);
}

void describe(auto& fields, Described<PrepareReply> auto& reply) {
  fields.number(1, reply.request);
  fields.id(2, reply.group, limits::group_bytes);
  fields.number(3, reply.promised);
  fields.nested(4, reply.highest);
  fields.list(5, reply.rooms, limits::rooms);
  fields.number(6, reply.match_ended);
}

void describe(auto& fields, Described<SpawnReply> auto& reply) {
  fields.number(1, reply.request);
  fields.choice(2, reply.outcome, last_spawn_outcome);
  fields.nested(3, reply.highest);
  fields.number(4, reply.headroom);
  if (fields.reads || reply.outcome == SpawnOutcome::accepted) fields.nested(5, reply.room);
  fields.numbers(6, reply.granted, limits::claims);
  fields.number(7, reply.reserved_for);
  fields.number(8, reply.reservation);
  fields.number(9, reply.granted_at, limits::worker_time_us);
}
// If the order was refused, drops the room. Needs the whole reply, because the outcome may arrive
// after the room.
inline void mend(SpawnReply& reply) {
  if (reply.outcome != SpawnOutcome::accepted) reply.room = {};
}
[[nodiscard]] inline bool holds(const SpawnReply& reply) {
  return ascends(reply.granted);
}

// --- master to worker ----------------------------------------------------------------------------

void describe(auto& fields, Described<SeatRequest> auto& request) {
  fields.number(1, request.request);
  fields.number(2, request.room);
  fields.list(3, request.claims, limits::claims);
  fields.nested(4, request.basis);
}

void describe(auto& fields, Described<ReleaseSeats> auto& release) {
  fields.number(1, release.room);
  fields.ids(2, release.players, limits::capacity, limits::id_bytes);
  fields.number(3, release.reservation);
  fields.number(4, release.own_after);
  fields.number(5, release.own_up_to);
  fields.number(6, release.leaves_match);
  fields.number(7, release.request);
}

void describe(auto& fields, Described<SeatsReleased> auto& released) {
  fields.number(1, released.request);
}

void describe(auto& fields, Described<PrepareSpawn> auto& prepare) {
  fields.number(1, prepare.request);
  fields.id(2, prepare.group, limits::group_bytes);
  fields.nested(3, prepare.token);
}

void describe(auto& fields, Described<SpawnRoom> auto& spawn) {
  fields.number(1, spawn.request);
  fields.id(2, spawn.group, limits::group_bytes);
  fields.id(3, spawn.mode, limits::id_bytes);
  fields.nested(4, spawn.creation);
  fields.positive(5, spawn.capacity, limits::capacity);
  fields.list(6, spawn.claims, limits::claims);
  fields.nested(7, spawn.basis);
  fields.number(8, spawn.only_warm);
  fields.choice(9, spawn.newcomers, last_newcomers);
  fields.number(10, spawn.newcomers_for, limits::worker_time_us);
}

void describe(auto& fields, Described<KeepWarm> auto& keep) {
  fields.ids(1, keep.pools, limits::modes, limits::group_bytes);
}
[[nodiscard]] inline bool holds(const KeepWarm& keep) {
  return std::ranges::all_of(keep.pools, is_warm_pool);
}

void describe(auto& fields, Described<CloseWarmRoom> auto& close) {
  fields.id(1, close.pool, limits::group_bytes);
  fields.number(2, close.room);
  fields.nested(3, close.order);
  fields.nested(4, close.basis);
}
[[nodiscard]] inline bool holds(const CloseWarmRoom& close) {
  return is_warm_pool(close.pool);
}

// --- an operator's call through a master ---------------------------------------------------------

void describe(auto& fields, Described<OperatorCall> auto& call) {
  fields.number(1, call.request);
  fields.number(2, call.changes);
  fields.text(3, call.target, limits::call_target_bytes);
  fields.text(4, call.body, limits::call_body_bytes);
}

void describe(auto& fields, Described<OperatorAnswer> auto& answer) {
  fields.number(1, answer.request);
  fields.number(2, answer.status);
  fields.choice(3, answer.form, last_answer_form);
  fields.text(4, answer.body, limits::call_answer_bytes);
}
[[nodiscard]] inline bool holds(const OperatorAnswer& answer) {
  return answer.status >= 200 && answer.status <= 599;  // a status of HTTP
}

// --- master to master ----------------------------------------------------------------------------

void describe(auto& fields, Described<ModesKnown> auto& known) {
  fields.fixed(1, known.hash);
}

}  // namespace fixkeep::wire
