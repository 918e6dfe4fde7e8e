#include <google/protobuf/arena.h>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"
#include "fixkeep.pb.h"

namespace fixkeep::wire {
namespace {

void put(const FencingToken& token, pb::Token* out) {
  out->set_counter(token.counter);
  out->set_master(token.master.number());
}

void put(const CreationId& creation, pb::Creation* out) {
  put(creation.token, out->mutable_token());
  out->set_index(creation.index);
  out->set_orderer(creation.orderer.number());
}

template <class Repeated>
void put(const std::vector<PlayerHash>& players, Repeated* out) {
  out->Reserve(static_cast<int>(players.size()));
  for (const auto player : players) out->AddAlreadyReserved(player.number());
}

void put(const RoomInfo& room, pb::RoomInfo* out) {
  out->set_number(room.number.number());
  out->set_group(room.group.text());
  out->set_mode(room.mode.text());
  out->set_phase(static_cast<std::uint32_t>(room.phase));
  out->set_port(room.port);
  out->set_capacity(room.capacity);
  put(room.creation, out->mutable_creation());
  out->set_occupied(room.occupied);
  put(room.players, out->mutable_players());
}

void put(const std::vector<Claim>& claims, google::protobuf::RepeatedPtrField<pb::Claim>* out) {
  FIXKEEP_ASSERT(claims.size() <= limits::claims, std::to_string(claims.size()));
  out->Reserve(static_cast<int>(claims.size()));
  for (const auto& claim : claims) {
    auto* made = out->Add();
    made->set_player(claim.player.text());
    for (const auto& member : claim.party) made->add_party(member.text());
  }
}

void put(const LockMessage& message, pb::LockMessage* out) {
  FIXKEEP_ASSERT(message.value.bytes.size() <= limits::lock_value_bytes, message.key.text());
  out->set_key(message.key.text());
  out->set_kind(message.kind);
  out->set_round(message.round);
  put(message.token, out->mutable_token());
  if (message.value == LockValue{}) return;
  auto* value = out->mutable_value();
  put(message.value.stamp, value->mutable_stamp());
  put(message.value.fence, value->mutable_fence());
  value->set_uncertain(message.value.uncertain);
  value->set_bytes(message.value.bytes);
}

// --- one a message -------------------------------------------------------------------------------

void put_body(const WorkerState& state, pb::Frame* frame) {
  auto* out = frame->mutable_worker_state();
  out->set_zone(state.zone.text());
  out->set_address(state.address);
  out->set_room_limit(state.room_limit);
  out->set_headroom(state.headroom);
  out->set_newest_room(state.newest_room.number());
  for (const auto& mode : state.modes) out->add_modes(mode.text());
  for (const auto& room : state.rooms) put(room, out->add_rooms());
}

void put_body(const RoomsChanged& changes, pb::Frame* frame) {
  auto* out = frame->mutable_rooms_changed();
  out->set_headroom(changes.headroom);
  out->set_newest_room(changes.newest_room.number());
  for (const auto& room : changes.opened) put(room, out->add_opened());
  for (const auto& change : changes.changed) {
    auto* made = out->add_changed();
    made->set_number(change.number.number());
    made->set_phase(static_cast<std::uint32_t>(change.phase));
    made->set_reason(static_cast<std::uint32_t>(change.reason));
    made->set_occupied(change.occupied);
    put(change.seated, made->mutable_seated());
    put(change.left, made->mutable_left());
  }
}

void put_body(const SeatReply& reply, pb::Frame* frame) {
  auto* out = frame->mutable_seat_reply();
  out->set_request(reply.request);
  out->set_room(reply.room.number());
  out->set_phase(static_cast<std::uint32_t>(reply.phase));
  for (const auto index : reply.granted) out->add_granted(index);
  out->set_reserved_for_ms(static_cast<std::uint32_t>(reply.reserved_for.count()));
  put(reply.seated, out->mutable_seated());
}

void put_body(const PrepareReply& reply, pb::Frame* frame) {
  auto* out = frame->mutable_prepare_reply();
  out->set_request(reply.request);
  out->set_group(reply.group.text());
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
  for (const auto index : reply.granted) out->add_granted(index);
  out->set_reserved_for_ms(static_cast<std::uint32_t>(reply.reserved_for.count()));
}

void put_body(const SeatRequest& request, pb::Frame* frame) {
  auto* out = frame->mutable_seat_request();
  out->set_request(request.request);
  out->set_room(request.room.number());
  put(request.claims, out->mutable_claims());
}

void put_body(const ReleaseSeats& release, pb::Frame* frame) {
  auto* out = frame->mutable_release_seats();
  out->set_room(release.room.number());
  for (const auto& player : release.players) out->add_players(player.text());
}

void put_body(const PrepareSpawn& prepare, pb::Frame* frame) {
  auto* out = frame->mutable_prepare_spawn();
  out->set_request(prepare.request);
  out->set_group(prepare.group.text());
  put(prepare.token, out->mutable_token());
}

void put_body(const SpawnRoom& spawn, pb::Frame* frame) {
  auto* out = frame->mutable_spawn_room();
  out->set_request(spawn.request);
  out->set_group(spawn.group.text());
  out->set_mode(spawn.mode.text());
  put(spawn.creation, out->mutable_creation());
  put(spawn.basis, out->mutable_basis());
  out->set_capacity(spawn.capacity);
  put(spawn.claims, out->mutable_claims());
}

void put_body(const LockMessage& message, pb::Frame* frame) {
  put(message, frame->mutable_lock_message());
}

void put_body(const MeshHello& hello, pb::Frame* frame) {
  auto* out = frame->mutable_mesh_hello();
  for (const auto& message : hello.outstanding) put(message, out->add_outstanding());
  for (const auto& worker : hello.workers) out->add_workers(worker.text());
  out->set_last(hello.last);
}

}  // namespace

void append_frame(const Message& message, std::string& out) {
  google::protobuf::Arena arena;
  auto* frame = google::protobuf::Arena::CreateMessage<pb::Frame>(&arena);
  std::visit([&](const auto& body) { put_body(body, frame); }, message);

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

std::string encode_hints(std::span<const RoomHint> hints) {
  pb::RoomHints message;
  for (const auto& hint : hints.first(std::min(hints.size(), limits::hints))) {
    auto* made = message.add_hints();
    made->set_worker(hint.room.worker.text());
    made->set_incarnation(hint.room.incarnation.number());
    made->set_number(hint.room.number.number());
    made->set_mode(hint.mode.text());
    made->set_capacity(hint.capacity);
    made->set_free(hint.free);
    if (message.ByteSizeLong() > limits::lock_value_bytes) {
      message.mutable_hints()->RemoveLast();
      break;
    }
  }
  return message.SerializeAsString();
}

}  // namespace fixkeep::wire
