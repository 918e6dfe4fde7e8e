#include "tests/unit/common/wire/random_messages.hpp"

#include <array>
#include <limits>
#include <set>
#include <utility>

#include "common/wire/limits.hpp"

namespace fixkeep::wire {
namespace {

// Zero, the largest, or a number of any length.
template <class Number>
Number number(Random& random) {
  switch (random.below(4)) {
    case 0: return 0;
    case 1: return std::numeric_limits<Number>::max();
    default: return static_cast<Number>(random.next() >> random.below(64));
  }
}

// Any bytes; UTF-8 only by chance.
std::string text(Random& random, std::size_t most) {
  std::string made(random.chance(0.1) ? most : 1 + random.below(std::min<std::size_t>(most, 12)),
                   '\0');
  for (auto& byte : made) byte = static_cast<char>(random.below(256));
  return made;
}

template <class Id>
Id id(Random& random, std::size_t most = limits::id_bytes) {
  return Id{text(random, most)};
}

template <class Enumerator>
Enumerator one_of(Random& random, Enumerator last) {
  return static_cast<Enumerator>(random.below(static_cast<std::uint64_t>(last) + 1));
}

// None to three of them.
template <class Make>
auto some(Random& random, Make make) {
  std::vector<decltype(make(random))> made;
  for (auto left = random.below(4); left > 0; --left) made.push_back(make(random));
  return made;
}

std::uint32_t up_to(Random& random, std::size_t least, std::size_t most) {
  switch (random.below(3)) {
    case 0: return static_cast<std::uint32_t>(least);
    case 1: return static_cast<std::uint32_t>(most);
    default: return static_cast<std::uint32_t>(least + random.below(most - least + 1));
  }
}

std::uint64_t counter(Random& random) {
  return std::min(number<std::uint64_t>(random), limits::counter);
}

FencingToken token(Random& random) {
  return {counter(random), MasterId{number<std::uint16_t>(random)}};
}

CreationId creation(Random& random) {
  return {token(random), number<std::uint32_t>(random), Incarnation{number<std::uint64_t>(random)}};
}

std::vector<PlayerHash> hashes(Random& random) {
  return some(random, [](Random& r) { return PlayerHash{number<std::uint64_t>(r)}; });
}

RoomNumber room_number(Random& random) {
  return RoomNumber{number<std::uint32_t>(random)};
}

std::chrono::milliseconds duration(Random& random) {
  return std::chrono::milliseconds{number<std::uint32_t>(random)};
}

WorkerTime worker_time(Random& random) {
  return WorkerTime{number<std::uint64_t>(random) >> 2U};
}

RoomInfo room(Random& random) {
  RoomInfo made;
  made.number = RoomNumber{std::max<std::uint32_t>(1, number<std::uint32_t>(random))};
  made.group = id<GroupKey>(random, limits::group_bytes);
  made.mode = id<ModeName>(random);
  made.phase = one_of(random, RoomPhase::closed);
  made.port = number<std::uint16_t>(random);
  made.capacity = up_to(random, 3, limits::capacity);
  made.creation = creation(random);
  made.occupied = up_to(random, 0, made.capacity);
  made.players = hashes(random);
  made.opened_at = worker_time(random);
  made.unknown = random.below(2) == 0;
  return made;
}

RoomChange change(Random& random) {
  return {room_number(random),
          one_of(random, RoomPhase::closed),
          one_of(random, last_close_reason),
          number<std::uint32_t>(random),
          hashes(random),
          hashes(random),
          worker_time(random),
          random.below(2) == 0};
}

WorkerModes worker_modes(Random& random) {
  return {some(random, [](Random& r) { return id<ModeName>(r); }), some(random, [](Random& r) {
            return PausedMode{id<ModeName>(r), one_of(r, last_pause_cause), duration(r),
                              text(r, limits::reason_bytes)};
          })};
}

std::vector<std::uint32_t> granted(Random& random) {
  std::set<std::uint32_t> indices;
  for (auto left = random.below(5); left > 0; --left) {
    indices.insert(number<std::uint32_t>(random));
  }
  return {indices.begin(), indices.end()};
}

RequestContext context(Random& random) {
  RequestContext made;
  if (random.chance(0.5)) {
    made.request_id.resize(up_to(random, 1, limits::request_id_bytes));
    for (auto& c : made.request_id) c = static_cast<char>(random.between(' ', '~'));
  }
  if (random.chance(0.5)) {
    made.trace = {{number<std::uint64_t>(random), random.next() | 1U},
                  random.next() | 1U,
                  random.chance(0.5)};
  }
  return made;
}

std::vector<Claim> claims(Random& random) {
  return some(random, [](Random& r) {
    Claim claim{id<PlayerId>(r), some(r, [](Random& s) { return id<PlayerId>(s); }), context(r)};
    if (r.chance(0.02)) claim.party.resize(limits::party - 1, PlayerId{"member"});
    return claim;
  });
}

LockMessage lock_message(Random& random) {
  LockMessage made;
  made.key = id<GroupKey>(random, limits::group_bytes);
  made.kind = number<std::uint8_t>(random);
  made.round = counter(random);
  made.token = token(random);
  if (random.chance(0.5)) made.value.stamp = std::min(token(random), made.token);
  if (random.chance(0.5)) made.value.fence = std::min(token(random), made.value.stamp);
  made.value.uncertain = random.chance(0.5);
  if (random.chance(0.5)) made.value.bytes = text(random, limits::lock_value_bytes);
  return made;
}

// --- one a message -------------------------------------------------------------------------------

StartQueue start_queue(Random& random) {
  return {number<std::uint32_t>(random), number<std::uint32_t>(random)};
}

Message worker_state(Random& random) {
  WorkerState made;
  made.zone = id<ZoneName>(random);
  made.address = text(random, limits::address_bytes);
  made.room_limit = number<std::uint32_t>(random);
  made.headroom = number<std::uint32_t>(random);
  made.newest_room = room_number(random);
  made.modes = worker_modes(random);
  made.rooms = some(random, room);
  made.highest_counter = counter(random);
  for (auto& byte : made.seat_root) byte = static_cast<unsigned char>(random.between(0, 255));
  made.starts = start_queue(random);
  return made;
}

Message rooms_changed(Random& random) {
  return RoomsChanged{number<std::uint32_t>(random),
                      room_number(random),
                      some(random, room),
                      some(random, change),
                      random.chance(0.5) ? std::optional{worker_modes(random)} : std::nullopt,
                      start_queue(random)};
}

Message seat_reply(Random& random) {
  return SeatReply{number<std::uint64_t>(random),
                   room_number(random),
                   one_of(random, RoomPhase::closed),
                   granted(random),
                   duration(random),
                   hashes(random),
                   ReservationId{number<std::uint64_t>(random)},
                   one_of(random, last_close_reason),
                   worker_time(random),
                   worker_time(random)};
}

Message prepare_reply(Random& random) {
  return PrepareReply{number<std::uint64_t>(random), id<GroupKey>(random, limits::group_bytes),
                      random.chance(0.5), token(random), some(random, room)};
}

Message spawn_reply(Random& random) {
  SpawnReply made;
  made.request = number<std::uint64_t>(random);
  made.outcome = one_of(random, last_spawn_outcome);
  made.highest = token(random);
  made.headroom = number<std::uint32_t>(random);
  if (made.outcome == SpawnOutcome::accepted) made.room = room(random);
  made.granted = granted(random);
  made.reserved_for = duration(random);
  made.reservation = ReservationId{number<std::uint64_t>(random)};
  made.granted_at = worker_time(random);
  return made;
}

Message seat_request(Random& random) {
  return SeatRequest{number<std::uint64_t>(random), room_number(random), claims(random)};
}

Message release_seats(Random& random) {
  return ReleaseSeats{room_number(random), some(random, [](Random& r) { return id<PlayerId>(r); }),
                      ReservationId{number<std::uint64_t>(random)}};
}

Message prepare_spawn(Random& random) {
  return PrepareSpawn{number<std::uint64_t>(random), id<GroupKey>(random, limits::group_bytes),
                      token(random)};
}

Message spawn_room(Random& random) {
  SpawnRoom made;
  made.request = number<std::uint64_t>(random);
  made.group = id<GroupKey>(random, limits::group_bytes);
  made.mode = id<ModeName>(random);
  made.creation = creation(random);
  made.basis = token(random);
  made.capacity = up_to(random, 1, limits::capacity);
  made.claims = claims(random);
  made.only_warm = random.chance(0.5);
  return made;
}

GroupKey pool(Random& random) {
  return warm_pool_of(id<ModeName>(random), up_to(random, 1, limits::capacity));
}

Message keep_warm(Random& random) {
  return KeepWarm{some(random, pool)};
}

Message close_warm_room(Random& random) {
  return CloseWarmRoom{pool(random), room_number(random), creation(random), token(random)};
}

Message lock(Random& random) {
  return lock_message(random);
}

std::vector<MasterId> masters(Random& random, std::size_t least) {
  std::vector<MasterId> made;
  std::uint16_t last = 0;
  for (std::size_t left = up_to(random, least, 9); left > 0; --left) {
    last = static_cast<std::uint16_t>(last + 1 + random.below(9));
    made.emplace_back(last);
  }
  return made;
}

Message mesh_hello(Random& random) {
  MeshHello made;
  made.outstanding = some(random, lock_message);
  made.workers = some(random, [](Random& r) { return id<WorkerId>(r); });
  made.last = random.chance(0.5);
  made.highest_counter = counter(random);
  made.masters = masters(random, 0);
  return made;
}

Message master_list(Random& random) {
  return MasterList{masters(random, 1)};
}

std::string bytes(Random& random, std::size_t most) {
  std::string text(up_to(random, 0, most), '\0');
  for (char& c : text) c = static_cast<char>(random.below(256));
  return text;
}

Message operator_call(Random& random) {
  return OperatorCall{random.next(), random.chance(0.5), bytes(random, 200), bytes(random, 500)};
}

Message operator_answer(Random& random) {
  return OperatorAnswer{random.next(), up_to(random, 200, 599),
                        static_cast<AnswerForm>(up_to(random, 0, 2)), bytes(random, 1000)};
}

}  // namespace

Message random_message(Random& random, std::size_t type) {
  static constexpr std::array<Message (*)(Random&), message_types> makers{
      worker_state,  rooms_changed, seat_reply,    prepare_reply,  spawn_reply,     seat_request,
      release_seats, prepare_spawn, spawn_room,    keep_warm,      close_warm_room, lock,
      mesh_hello,    master_list,   operator_call, operator_answer};
  return makers.at(type)(random);
}

RoomHint random_hint(Random& random) {
  RoomHint made;
  made.room.worker = id<WorkerId>(random);
  made.room.incarnation = Incarnation{number<std::uint64_t>(random)};
  made.room.number = RoomNumber{std::max<std::uint32_t>(1, number<std::uint32_t>(random))};
  made.mode = id<ModeName>(random);
  made.capacity = up_to(random, 1, limits::capacity);
  made.free = up_to(random, 0, made.capacity);
  return made;
}

}  // namespace fixkeep::wire
