#include <google/protobuf/arena.h>

#include <algorithm>
#include <limits>
#include <type_traits>

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

using fields::get, fields::get_counter, fields::get_claim, fields::get_brings, fields::get_lent,
    fields::get_explained;

template <class Repeated>
bool get(const Repeated& players, std::vector<PlayerId>& out) {
  if (static_cast<std::size_t>(players.size()) > limits::capacity) return false;
  out.resize(static_cast<std::size_t>(players.size()));
  return std::equal(
      players.begin(), players.end(), out.begin(),
      [](const auto& player, PlayerId& made) { return get(player, limits::id_bytes, made); });
}

bool get_brought(const pb::RoomInfo& room, std::vector<std::string>& out) {
  if (room.brought_size() > 0 && room.brought_size() != room.players_size()) return false;
  return std::all_of(room.brought().begin(), room.brought().end(),
                     [&](const std::string& each) { return get_brings(each, out.emplace_back()); });
}

bool get(const pb::RoomInfo& room, RoomInfo& out) {
  out.number = RoomNumber{room.number()};
  out.capacity = room.capacity();
  out.occupied = room.occupied();
  out.unknown = room.unknown();
  return room.number() > 0 && room.capacity() > 0 && get_place(room, out.place) &&
         room.capacity() <= limits::capacity && room.occupied() <= room.capacity() &&
         get(room.group(), limits::group_bytes, out.group) &&
         get(room.mode(), limits::id_bytes, out.mode) &&
         get(room.phase(), RoomPhase::closed, out.phase) && get(room.creation(), out.creation) &&
         get(room.players(), out.players) && get(room.opened_at_us(), out.opened_at) &&
         get_brought(room, out.brought);
}

template <class Repeated>
bool get(const Repeated& rooms, std::vector<RoomInfo>& out) {
  if (static_cast<std::size_t>(rooms.size()) > limits::rooms) return false;
  out.resize(static_cast<std::size_t>(rooms.size()));
  return std::equal(rooms.begin(), rooms.end(), out.begin(),
                    [](const auto& room, RoomInfo& made) { return get(room, made); });
}

bool get_claims(const google::protobuf::RepeatedPtrField<pb::Claim>& claims,
                std::vector<Claim>& out) {
  if (static_cast<std::size_t>(claims.size()) > limits::claims) return false;
  out.resize(static_cast<std::size_t>(claims.size()));
  return std::equal(claims.begin(), claims.end(), out.begin(),
                    [](const pb::Claim& claim, Claim& made) { return get_claim(claim, made); });
}

template <class Repeated>
bool get_granted(const Repeated& granted, std::vector<std::uint32_t>& out) {
  if (static_cast<std::size_t>(granted.size()) > limits::claims) return false;
  out.assign(granted.begin(), granted.end());
  return std::is_sorted(out.begin(), out.end(), std::less_equal<>{});
}

template <class Names, class Paused>
bool get_modes(const Names& known, const Paused& paused, WorkerModes& out) {
  if (static_cast<std::size_t>(known.size()) > limits::modes ||
      static_cast<std::size_t>(paused.size()) > limits::modes) {
    return false;
  }
  for (const auto& mode : known) {
    if (!get(mode, limits::id_bytes, out.known.emplace_back())) return false;
  }
  for (const auto& each : paused) {
    auto& made = out.paused.emplace_back();
    made.left = std::chrono::milliseconds{each.left_ms()};
    made.reason = each.reason();
    if (!get(each.mode(), limits::id_bytes, made.mode) ||
        !get(each.cause(), last_pause_cause, made.cause) || made.reason.empty() ||
        made.reason.size() > limits::reason_bytes) {
      return false;
    }
  }
  return true;
}

// --- messages ------------------------------------------------------------------------------------

bool get_body(const pb::WorkerState& state, WorkerState& out) {
  if (state.seat_root().size() != out.seat_root.size()) return false;
  std::copy(state.seat_root().begin(), state.seat_root().end(), out.seat_root.begin());
  out.room_limit = state.room_limit();
  out.headroom = state.headroom();
  out.newest_room = RoomNumber{state.newest_room()};
  out.address = state.address();
  out.starts = {state.starts().queued(), state.starts().per_minute()};
  if (state.ping_port() > std::numeric_limits<std::uint16_t>::max()) return false;
  out.ping_port = static_cast<std::uint16_t>(state.ping_port());
  out.last_reservation = ReservationId{state.last_reservation()};
  return get_modes(state.modes(), state.paused(), out.modes) && !out.address.empty() &&
         out.address.size() <= limits::address_bytes &&
         get(state.zone(), limits::id_bytes, out.zone) && get(state.rooms(), out.rooms) &&
         get_counter(state.highest_counter(), out.highest_counter);
}

bool get_body(const pb::RoomsChanged& changes, RoomsChanged& out) {
  out.headroom = changes.headroom();
  out.newest_room = RoomNumber{changes.newest_room()};
  out.starts = {changes.starts().queued(), changes.starts().per_minute()};
  if (static_cast<std::size_t>(changes.changed_size()) > limits::rooms) return false;
  for (const auto& change : changes.changed()) {
    auto& made = out.changed.emplace_back();
    made.number = RoomNumber{change.number()};
    made.occupied = change.occupied();
    made.unknown = change.unknown();
    if (!get(change.phase(), RoomPhase::closed, made.phase) ||
        !get(change.reason(), last_close_reason, made.reason) ||
        !get(change.seated(), made.seated) || !get(change.left(), made.left) ||
        !get(change.opened_at_us(), made.opened_at)) {
      return false;
    }
  }
  if (changes.has_modes() &&
      !get_modes(changes.modes().known(), changes.modes().paused(), out.modes.emplace())) {
    return false;
  }
  return get(changes.opened(), out.opened);
}

bool get_body(const pb::SeatReply& reply, SeatReply& out) {
  out.request = reply.request();
  out.room = RoomNumber{reply.room()};
  out.reserved_for = std::chrono::milliseconds{reply.reserved_for_ms()};
  out.reservation = ReservationId{reply.reservation()};
  return get(reply.phase(), RoomPhase::closed, out.phase) &&
         get(reply.reason(), last_close_reason, out.reason) &&
         get_granted(reply.granted(), out.granted) && get(reply.seated(), out.seated) &&
         get(reply.granted_at_us(), out.granted_at) && get(reply.opened_at_us(), out.opened_at);
}

bool get_body(const pb::PrepareReply& reply, PrepareReply& out) {
  out.request = reply.request();
  out.promised = reply.promised();
  return get(reply.group(), limits::group_bytes, out.group) && get(reply.highest(), out.highest) &&
         get(reply.rooms(), out.rooms);
}

bool get_body(const pb::SpawnReply& reply, SpawnReply& out) {
  out.request = reply.request();
  out.headroom = reply.headroom();
  out.reserved_for = std::chrono::milliseconds{reply.reserved_for_ms()};
  out.reservation = ReservationId{reply.reservation()};
  return get(reply.outcome(), last_spawn_outcome, out.outcome) &&
         get(reply.highest(), out.highest) &&
         (out.outcome != SpawnOutcome::accepted || get(reply.room(), out.room)) &&
         get_granted(reply.granted(), out.granted) && get(reply.granted_at_us(), out.granted_at);
}

bool get_body(const pb::SeatRequest& request, SeatRequest& out) {
  out.request = request.request();
  out.room = RoomNumber{request.room()};
  if (request.has_basis() && !get(request.basis(), out.basis.emplace())) return false;
  return get_claims(request.claims(), out.claims);
}

bool get_body(const pb::ReleaseSeats& release, ReleaseSeats& out) {
  out.room = RoomNumber{release.room()};
  out.reservation = ReservationId{release.reservation()};
  out.own_after = ReservationId{release.own_after()};
  out.own_up_to = ReservationId{release.own_up_to()};
  if (static_cast<std::size_t>(release.players_size()) > limits::capacity) return false;
  for (const auto& player : release.players()) {
    if (!get(player, limits::id_bytes, out.players.emplace_back())) return false;
  }
  return true;
}

bool get_body(const pb::PrepareSpawn& prepare, PrepareSpawn& out) {
  out.request = prepare.request();
  return get(prepare.group(), limits::group_bytes, out.group) && get(prepare.token(), out.token);
}

bool get_body(const pb::SpawnRoom& spawn, SpawnRoom& out) {
  out.request = spawn.request();
  out.capacity = spawn.capacity();
  out.only_warm = spawn.only_warm();
  return spawn.capacity() > 0 && spawn.capacity() <= limits::capacity &&
         get(spawn.group(), limits::group_bytes, out.group) &&
         get(spawn.mode(), limits::id_bytes, out.mode) && get(spawn.creation(), out.creation) &&
         get(spawn.basis(), out.basis) && get_claims(spawn.claims(), out.claims);
}

bool get_pool(const std::string& text, GroupKey& out) {
  return get(text, limits::group_bytes, out) && is_warm_pool(out);
}

bool get_body(const pb::KeepWarm& keep, KeepWarm& out) {
  if (static_cast<std::size_t>(keep.pools_size()) > limits::modes) return false;
  return std::all_of(keep.pools().begin(), keep.pools().end(), [&](const std::string& pool) {
    return get_pool(pool, out.pools.emplace_back());
  });
}

bool get_body(const pb::CloseWarmRoom& close, CloseWarmRoom& out) {
  out.room = RoomNumber{close.room()};
  return get_pool(close.pool(), out.pool) && get(close.order(), out.order) &&
         get(close.basis(), out.basis);
}

bool get_body(const pb::OperatorCall& call, OperatorCall& out) {
  out.request = call.request();
  out.changes = call.changes();
  out.target = call.target();
  out.body = call.body();
  return out.target.size() <= limits::call_target_bytes &&
         out.body.size() <= limits::call_body_bytes;
}

bool get_body(const pb::OperatorAnswer& answer, OperatorAnswer& out) {
  constexpr std::uint32_t first_status = 200;
  constexpr std::uint32_t last_status = 599;
  out.request = answer.request();
  out.status = answer.status();
  out.form = static_cast<AnswerForm>(answer.form());
  out.body = answer.body();
  return out.status >= first_status && out.status <= last_status &&
         answer.form() <= static_cast<std::uint32_t>(last_answer_form) &&
         out.body.size() <= limits::call_answer_bytes;
}

template <class Body>
bool get_body(const std::string& bytes, Body& out) {  // body of a lock message
  return lock::parse(bytes, out);
}

bool get_body(const pb::Gather& gather, Gather& out) {
  return get(gather.pool(), limits::group_bytes, out.pool) && get(gather.hold(), out.hold);
}

bool get_body(const pb::ClaimsPart& part, ClaimsPart& out) {
  out.index = part.index();
  out.last = part.last();
  if (static_cast<std::size_t>(part.claims_size()) > limits::lent_claims) return false;
  return get(part.pool(), limits::group_bytes, out.pool) && get(part.hold(), out.hold) &&
         std::all_of(part.claims().begin(), part.claims().end(), [&](const pb::LentClaim& lent) {
           return get_lent(lent, out.claims.emplace_back());
         });
}

bool get_body(const pb::ClaimsSeated& seated, ClaimsSeated& out) {
  out.room.incarnation = Incarnation{seated.incarnation()};
  out.room.number = RoomNumber{seated.room()};
  out.capacity = seated.capacity();
  out.reservation = ReservationId{seated.reservation()};
  out.reserved_for = std::chrono::milliseconds{seated.reserved_for_ms()};
  if (static_cast<std::size_t>(seated.claims_size()) > limits::claims) return false;
  out.claims.assign(seated.claims().begin(), seated.claims().end());
  return seated.room() > 0 && seated.capacity() > 0 && seated.capacity() <= limits::capacity &&
         get(seated.pool(), limits::group_bytes, out.pool) && get(seated.hold(), out.hold) &&
         get(seated.worker(), limits::id_bytes, out.room.worker) &&
         get(seated.mode(), limits::id_bytes, out.mode) &&
         get(seated.granted_at_us(), out.granted_at);
}

bool get_body(const pb::CloseLoan& close, CloseLoan& out) {
  out.again = close.again();
  if (static_cast<std::size_t>(close.passed_size()) > limits::passed) return false;
  out.passed.assign(close.passed().begin(), close.passed().end());
  if (static_cast<std::size_t>(close.explained_size()) > limits::explained) return false;
  return get(close.pool(), limits::group_bytes, out.pool) && get(close.hold(), out.hold) &&
         std::all_of(close.explained().begin(), close.explained().end(),
                     [&](const pb::Explained& each) {
                       return get_explained(each, out.explained.emplace_back());
                     });
}

bool get_body(const pb::ModesKnown& known, ModesKnown& out) {
  out.hash = known.hash();
  return true;
}

template <class Direction, class Body, class Wire>
Result<Direction> decoded(const Wire& wire) {
  if constexpr (std::is_convertible_v<Body, Direction>) {
    Body body;
    if (get_body(wire, body)) return Direction{std::move(body)};
  }
  return Errc::malformed_message;
}

}  // namespace

template <class Direction>
Result<Direction> decode(std::string_view payload) {
  google::protobuf::Arena arena;
  auto* frame = google::protobuf::Arena::CreateMessage<pb::Frame>(&arena);
  if (payload.size() > limits::frame_bytes ||
      !frame->ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
    return Errc::malformed_message;
  }
  switch (frame->body_case()) {
    case pb::Frame::kWorkerState: return decoded<Direction, WorkerState>(frame->worker_state());
    case pb::Frame::kRoomsChanged: return decoded<Direction, RoomsChanged>(frame->rooms_changed());
    case pb::Frame::kSeatReply: return decoded<Direction, SeatReply>(frame->seat_reply());
    case pb::Frame::kPrepareReply: return decoded<Direction, PrepareReply>(frame->prepare_reply());
    case pb::Frame::kSpawnReply: return decoded<Direction, SpawnReply>(frame->spawn_reply());
    case pb::Frame::kSeatRequest: return decoded<Direction, SeatRequest>(frame->seat_request());
    case pb::Frame::kReleaseSeats: return decoded<Direction, ReleaseSeats>(frame->release_seats());
    case pb::Frame::kPrepareSpawn: return decoded<Direction, PrepareSpawn>(frame->prepare_spawn());
    case pb::Frame::kSpawnRoom: return decoded<Direction, SpawnRoom>(frame->spawn_room());
    case pb::Frame::kKeepWarm: return decoded<Direction, KeepWarm>(frame->keep_warm());
    case pb::Frame::kCloseWarmRoom:
      return decoded<Direction, CloseWarmRoom>(frame->close_warm_room());
    case pb::Frame::kLockMessage:
      return decoded<Direction, lock::LockMessage>(frame->lock_message());
    case pb::Frame::kMeshHello: return decoded<Direction, lock::MeshHello>(frame->mesh_hello());
    case pb::Frame::kMasterList: return decoded<Direction, lock::MasterList>(frame->master_list());
    case pb::Frame::kOperatorCall: return decoded<Direction, OperatorCall>(frame->operator_call());
    case pb::Frame::kOperatorAnswer:
      return decoded<Direction, OperatorAnswer>(frame->operator_answer());
    case pb::Frame::kGather: return decoded<Direction, Gather>(frame->gather());
    case pb::Frame::kClaimsPart: return decoded<Direction, ClaimsPart>(frame->claims_part());
    case pb::Frame::kClaimsSeated: return decoded<Direction, ClaimsSeated>(frame->claims_seated());
    case pb::Frame::kCloseLoan: return decoded<Direction, CloseLoan>(frame->close_loan());
    case pb::Frame::kModesKnown: return decoded<Direction, ModesKnown>(frame->modes_known());
    case pb::Frame::kClosing: {
      const auto reason = static_cast<Errc>(frame->closing());
      return is_told(reason) ? reason : Errc::malformed_message;
    }
    case pb::Frame::BODY_NOT_SET: break;
  }
  return Errc::malformed_message;
}

template Result<FromWorker> decode(std::string_view payload);
template Result<ToWorker> decode(std::string_view payload);
template Result<BetweenMasters> decode(std::string_view payload);

}  // namespace fixkeep::wire
