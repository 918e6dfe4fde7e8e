#include <google/protobuf/arena.h>

#include <algorithm>
#include <functional>

#include "common/base/assert.hpp"
#include "common/wire/claim_fields.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/explained_fields.hpp"
#include "common/wire/fields.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/place_fields.hpp"
#include "common/wire/warm_pool.hpp"
#include "lock/core/codec.hpp"

namespace fixkeep::wire {
namespace {

using fields::check_count, fields::checked, fields::checked_counter, fields::checked_group,
    fields::checked_id, fields::checked_brings, fields::number_of, fields::put;

template <class Repeated>
void put(const std::vector<PlayerId>& players, Repeated* out) {
  out->Reserve(static_cast<int>(players.size()));
  for (const auto& player : players) *out->Add() = checked_id(player);
}

void put(const RoomInfo& room, pb::RoomInfo* out) {
  FIXKEEP_ASSERT(room.number.number() > 0 && room.capacity > 0 &&
                     room.capacity <= limits::capacity && room.occupied <= room.capacity &&
                     room.players.size() <= limits::capacity,
                 room.group.text());
  out->set_number(room.number.number());
  out->set_group(checked_group(room.group));
  out->set_mode(checked_id(room.mode));
  out->set_phase(static_cast<std::uint32_t>(room.phase));
  if (room.place) put_place(*room.place, *out);
  out->set_capacity(room.capacity);
  put(room.creation, out->mutable_creation());
  out->set_occupied(room.occupied);
  put(room.players, out->mutable_players());
  out->set_opened_at_us(number_of(room.opened_at));
  out->set_unknown(room.unknown);
  FIXKEEP_ASSERT(room.brought.empty() || room.brought.size() == room.players.size(),
                 room.group.text());
  for (const auto& each : room.brought) out->add_brought(checked_brings(each));
}

void put(const std::vector<Claim>& claims, google::protobuf::RepeatedPtrField<pb::Claim>* out) {
  check_count(claims.size(), limits::claims);
  out->Reserve(static_cast<int>(claims.size()));
  for (const auto& claim : claims) put(claim, out->Add());
}

template <class Repeated>
void put_granted(const std::vector<std::uint32_t>& granted, Repeated* out) {
  check_count(granted.size(), limits::claims);
  FIXKEEP_ASSERT(std::is_sorted(granted.begin(), granted.end(), std::less_equal<>{}), "granted");
  out->Add(granted.begin(), granted.end());
}

void put(const std::vector<PausedMode>& paused,
         google::protobuf::RepeatedPtrField<pb::PausedMode>* out) {
  check_count(paused.size(), limits::modes);
  for (const auto& each : paused) {
    auto* made = out->Add();
    made->set_mode(checked_id(each.mode));
    made->set_cause(static_cast<std::uint32_t>(each.cause));
    made->set_left_ms(static_cast<std::uint32_t>(each.left.count()));
    made->set_reason(checked(each.reason, limits::reason_bytes));
  }
}

void put(const StartQueue& starts, pb::StartQueue& out) {
  out.set_queued(starts.queued);
  out.set_per_minute(starts.per_minute);
}

// --- messages ------------------------------------------------------------------------------------

void put_body(const WorkerState& state, pb::Frame* frame) {
  auto* out = frame->mutable_worker_state();
  check_count(state.modes.known.size(), limits::modes);
  check_count(state.rooms.size(), limits::rooms);
  out->set_zone(checked_id(state.zone));
  out->set_address(checked(state.address, limits::address_bytes));
  out->set_room_limit(state.room_limit);
  out->set_headroom(state.headroom);
  out->set_newest_room(state.newest_room.number());
  for (const auto& mode : state.modes.known) out->add_modes(checked_id(mode));
  put(state.modes.paused, out->mutable_paused());
  for (const auto& room : state.rooms) put(room, out->add_rooms());
  out->set_highest_counter(checked_counter(state.highest_counter));
  out->set_seat_root(state.seat_root.data(), state.seat_root.size());
  put(state.starts, *out->mutable_starts());
  out->set_ping_port(state.ping_port);
  out->set_last_reservation(state.last_reservation.number());
}

void put_body(const RoomsChanged& changes, pb::Frame* frame) {
  auto* out = frame->mutable_rooms_changed();
  check_count(changes.opened.size(), limits::rooms);
  check_count(changes.changed.size(), limits::rooms);
  out->set_headroom(changes.headroom);
  out->set_newest_room(changes.newest_room.number());
  put(changes.starts, *out->mutable_starts());
  for (const auto& room : changes.opened) put(room, out->add_opened());
  for (const auto& change : changes.changed) {
    auto* made = out->add_changed();
    made->set_number(change.number.number());
    made->set_phase(static_cast<std::uint32_t>(change.phase));
    made->set_reason(static_cast<std::uint32_t>(change.reason));
    made->set_occupied(change.occupied);
    put(change.seated, made->mutable_seated());
    put(change.left, made->mutable_left());
    made->set_opened_at_us(number_of(change.opened_at));
    made->set_unknown(change.unknown);
  }
  if (!changes.modes) return;
  check_count(changes.modes->known.size(), limits::modes);
  auto* modes = out->mutable_modes();
  for (const auto& mode : changes.modes->known) modes->add_known(checked_id(mode));
  put(changes.modes->paused, modes->mutable_paused());
}

void put_body(const SeatReply& reply, pb::Frame* frame) {
  auto* out = frame->mutable_seat_reply();
  out->set_request(reply.request);
  out->set_room(reply.room.number());
  out->set_phase(static_cast<std::uint32_t>(reply.phase));
  check_count(reply.seated.size(), limits::capacity);
  put_granted(reply.granted, out->mutable_granted());
  out->set_reserved_for_ms(static_cast<std::uint32_t>(reply.reserved_for.count()));
  put(reply.seated, out->mutable_seated());
  out->set_reservation(reply.reservation.number());
  out->set_reason(static_cast<std::uint32_t>(reply.reason));
  out->set_granted_at_us(number_of(reply.granted_at));
  out->set_opened_at_us(number_of(reply.opened_at));
}

void put_body(const PrepareReply& reply, pb::Frame* frame) {
  auto* out = frame->mutable_prepare_reply();
  check_count(reply.rooms.size(), limits::rooms);
  out->set_request(reply.request);
  out->set_group(checked_group(reply.group));
  out->set_promised(reply.promised);
  put(reply.highest, out->mutable_highest());
  for (const auto& room : reply.rooms) put(room, out->add_rooms());
}

void put_body(const SpawnReply& reply, pb::Frame* frame) {
  auto* out = frame->mutable_spawn_reply();
  out->set_request(reply.request);
  out->set_outcome(static_cast<std::uint32_t>(reply.outcome));
  put(reply.highest, out->mutable_highest());
  out->set_headroom(reply.headroom);
  if (reply.outcome == SpawnOutcome::accepted) put(reply.room, out->mutable_room());
  put_granted(reply.granted, out->mutable_granted());
  out->set_reserved_for_ms(static_cast<std::uint32_t>(reply.reserved_for.count()));
  out->set_reservation(reply.reservation.number());
  out->set_granted_at_us(number_of(reply.granted_at));
}

void put_body(const SeatRequest& request, pb::Frame* frame) {
  auto* out = frame->mutable_seat_request();
  out->set_request(request.request);
  out->set_room(request.room.number());
  put(request.claims, out->mutable_claims());
  if (request.basis) put(*request.basis, out->mutable_basis());
}

void put_body(const ReleaseSeats& release, pb::Frame* frame) {
  auto* out = frame->mutable_release_seats();
  check_count(release.players.size(), limits::capacity);
  out->set_room(release.room.number());
  for (const auto& player : release.players) out->add_players(checked_id(player));
  out->set_reservation(release.reservation.number());
  out->set_own_after(release.own_after.number());
  out->set_own_up_to(release.own_up_to.number());
}

void put_body(const PrepareSpawn& prepare, pb::Frame* frame) {
  auto* out = frame->mutable_prepare_spawn();
  out->set_request(prepare.request);
  out->set_group(checked_group(prepare.group));
  put(prepare.token, out->mutable_token());
}

void put_body(const SpawnRoom& spawn, pb::Frame* frame) {
  auto* out = frame->mutable_spawn_room();
  FIXKEEP_ASSERT(spawn.capacity > 0 && spawn.capacity <= limits::capacity, spawn.group.text());
  out->set_request(spawn.request);
  out->set_group(checked_group(spawn.group));
  out->set_mode(checked_id(spawn.mode));
  put(spawn.creation, out->mutable_creation());
  put(spawn.basis, out->mutable_basis());
  out->set_capacity(spawn.capacity);
  put(spawn.claims, out->mutable_claims());
  out->set_only_warm(spawn.only_warm);
}

void put_body(const KeepWarm& keep, pb::Frame* frame) {
  auto* out = frame->mutable_keep_warm();
  check_count(keep.pools.size(), limits::modes);
  for (const auto& pool : keep.pools) out->add_pools(checked_group(pool));
}

void put_body(const CloseWarmRoom& close, pb::Frame* frame) {
  auto* out = frame->mutable_close_warm_room();
  FIXKEEP_ASSERT(is_warm_pool(close.pool), close.pool.text());
  out->set_pool(checked_group(close.pool));
  out->set_room(close.room.number());
  put(close.order, out->mutable_order());
  put(close.basis, out->mutable_basis());
}

void put_body(const OperatorCall& call, pb::Frame* frame) {
  auto* out = frame->mutable_operator_call();
  FIXKEEP_ASSERT(call.target.size() <= limits::call_target_bytes, call.target);
  FIXKEEP_ASSERT(call.body.size() <= limits::call_body_bytes, "body of " + call.target);
  out->set_request(call.request);
  out->set_changes(call.changes);
  out->set_target(call.target);
  out->set_body(call.body);
}

void put_body(const OperatorAnswer& answer, pb::Frame* frame) {
  auto* out = frame->mutable_operator_answer();
  FIXKEEP_ASSERT(answer.body.size() <= limits::call_answer_bytes, "an answer to an operator");
  out->set_request(answer.request);
  out->set_status(answer.status);
  out->set_form(static_cast<std::uint32_t>(answer.form));
  out->set_body(answer.body);
}

void put_body(const lock::LockMessage& message, pb::Frame* frame) {
  lock::append(message, *frame->mutable_lock_message());
}

void put_body(const lock::MeshHello& hello, pb::Frame* frame) {
  lock::append(hello, *frame->mutable_mesh_hello());
}

void put_body(const lock::MasterList& list, pb::Frame* frame) {
  lock::append(list, *frame->mutable_master_list());
}

void put_body(const Gather& gather, pb::Frame* frame) {
  auto* out = frame->mutable_gather();
  out->set_pool(checked_group(gather.pool));
  put(gather.hold, out->mutable_hold());
}

void put_body(const ClaimsPart& part, pb::Frame* frame) {
  auto* out = frame->mutable_claims_part();
  check_count(part.claims.size(), limits::lent_claims);
  out->set_pool(checked_group(part.pool));
  put(part.hold, out->mutable_hold());
  out->set_index(part.index);
  out->set_last(part.last);
  for (const auto& lent : part.claims) put(lent, out->add_claims());
}

void put_body(const ClaimsSeated& seated, pb::Frame* frame) {
  auto* out = frame->mutable_claims_seated();
  check_count(seated.claims.size(), limits::claims);
  FIXKEEP_ASSERT(seated.capacity > 0 && seated.capacity <= limits::capacity, seated.pool.text());
  out->set_pool(checked_group(seated.pool));
  put(seated.hold, out->mutable_hold());
  out->set_worker(checked_id(seated.room.worker));
  out->set_incarnation(seated.room.incarnation.number());
  out->set_room(seated.room.number.number());
  out->set_mode(checked_id(seated.mode));
  out->set_capacity(seated.capacity);
  out->set_reservation(seated.reservation.number());
  out->set_granted_at_us(number_of(seated.granted_at));
  out->set_reserved_for_ms(static_cast<std::uint32_t>(seated.reserved_for.count()));
  out->mutable_claims()->Add(seated.claims.begin(), seated.claims.end());
}

void put_body(const CloseLoan& close, pb::Frame* frame) {
  auto* out = frame->mutable_close_loan();
  check_count(close.passed.size(), limits::passed);
  out->set_pool(checked_group(close.pool));
  put(close.hold, out->mutable_hold());
  out->mutable_passed()->Add(close.passed.begin(), close.passed.end());
  out->set_again(close.again);
  check_count(close.explained.size(), limits::explained);
  for (const Explained& each : close.explained) put(each, out->add_explained());
}

void put_body(const ModesKnown& known, pb::Frame* frame) {
  frame->mutable_modes_known()->set_hash(known.hash);
}

template <class... Bodies>
void put_body(const std::variant<Bodies...>& message, pb::Frame* frame) {
  std::visit([frame](const auto& body) { put_body(body, frame); }, message);
}

}  // namespace

void append_frame(const Message& message, std::string& out) {
  google::protobuf::Arena arena;
  auto* frame = google::protobuf::Arena::CreateMessage<pb::Frame>(&arena);
  put_body(message, frame);

  const std::size_t length = frame->ByteSizeLong();
  FIXKEEP_ASSERT(length <= limits::frame_bytes, std::to_string(length));
  const auto start = out.size();
  out.resize(start + prefix_bytes + length);
  for (std::size_t i = 0; i < prefix_bytes; ++i) {
    out[start + i] = static_cast<char>(length >> (8 * (prefix_bytes - 1 - i)) & 0xFFU);
  }
  frame->SerializeWithCachedSizesToArray(
      reinterpret_cast<std::uint8_t*>(out.data() + start + prefix_bytes));
}

}  // namespace fixkeep::wire
