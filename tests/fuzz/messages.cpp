#include "tests/fuzz/messages.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::fuzz {
namespace {

namespace limits = wire::limits;

template <class Make>
auto several(Script& script, std::uint32_t most, Make make) {
  std::vector<decltype(make(script))> all;
  for (auto left = script.below(most + 1); left > 0; --left) all.push_back(make(script));
  return all;
}

std::uint32_t narrow_number(Script& script) {
  return static_cast<std::uint32_t>(script.number());
}

template <class Enum>
Enum any_of(Script& script, Enum last) {
  return static_cast<Enum>(script.below(static_cast<std::uint32_t>(last) + 1));
}

wire::WorkerTime any_time(Script& script) {
  return wire::WorkerTime{static_cast<std::int64_t>(script.number_up_to(limits::worker_time_us))};
}

std::vector<PlayerId> any_players(Script& script) {
  return several(script, 4, any_player);
}

CreationId any_creation(Script& script) {
  return {.token = any_token(script),
          .index = script.below(4),
          .orderer = Incarnation{script.number()}};
}

wire::RoomInfo any_room(Script& script) {
  wire::RoomInfo room;
  room.number = RoomNumber{1 + script.below(16)};
  room.group = any_group(script);
  room.mode = any_mode(script);
  room.phase = any_of(script, wire::RoomPhase::closed);
  if (script.below(4) > 0 || wire::has_opened(room.phase)) {
    room.place = wire::at_port(static_cast<std::uint16_t>(20'000 + script.below(4)));
  }
  room.capacity = 1 + static_cast<std::uint32_t>(script.number_up_to(limits::capacity - 1));
  room.creation = any_creation(script);
  room.occupied = static_cast<std::uint32_t>(script.number_up_to(room.capacity));
  room.players = any_players(script);
  room.opened_at = any_time(script);
  room.unknown = script.below(2) == 0;
  room.stage = any_of(script, last_room_stage);
  return room;
}

wire::RoomChange any_change(Script& script) {
  return {.number = RoomNumber{1 + script.below(16)},
          .phase = any_of(script, wire::RoomPhase::closed),
          .reason = any_of(script, wire::last_close_reason),
          .occupied = narrow_number(script),
          .seated = any_players(script),
          .left = any_players(script),
          .opened_at = any_time(script),
          .unknown = script.below(2) == 0,
          .stage = any_of(script, last_room_stage)};
}

wire::WorkerModes any_modes(Script& script) {
  const auto paused = [](Script& rest) {
    return wire::PausedMode{any_mode(rest), any_of(rest, wire::last_pause_cause),
                            std::chrono::milliseconds{narrow_number(rest)}, "why"};
  };
  return {several(script, 3, any_mode), several(script, 2, paused)};
}

lock::LockMessage any_lock_message(Script& script) {
  lock::LockMessage message;
  message.key = any_group(script);
  message.kind = script.byte();
  message.round = script.number_up_to(limits::counter);
  // In the order without which no holder could have written it.
  std::array tokens{any_token(script), any_token(script), any_token(script)};
  std::ranges::sort(tokens, std::less{});
  message.value.fence = tokens[0];
  message.value.stamp = tokens[1];
  message.token = tokens[2];
  message.value.uncertain = script.flag();
  message.value.bytes = std::string{script.take(script.below(64))};
  message.awaited = script.flag();
  return message;
}

WorkerId any_worker(Script& script) {
  return WorkerId{"w" + std::to_string(1 + script.below(4))};
}

std::vector<std::uint32_t> any_granted(Script& script, std::size_t claims) {
  std::vector<std::uint32_t> granted;
  const unsigned which = script.byte();
  for (std::uint32_t i = 0; i < 8; ++i) {
    // Now and then one that nobody asked for.
    if ((which >> i & 1U) != 0 && (i < claims || which == 0xFF)) granted.push_back(i);
  }
  return granted;
}

std::vector<MasterId> any_masters(Script& script, unsigned least) {
  std::vector<MasterId> masters;
  const unsigned which = script.byte() | least;
  for (std::uint16_t i = 0; i < 8; ++i) {
    if ((which >> i & 1U) != 0) masters.emplace_back(static_cast<std::uint16_t>(i + 1));
  }
  return masters;
}

wire::Report make(Script& script, std::type_identity<wire::Report>) {
  switch (script.below(std::variant_size_v<wire::Report>)) {
    case 0:
      return wire::WorkerState{ZoneName{"a"},
                               "10.0.0.1",
                               9000,
                               narrow_number(script),
                               narrow_number(script),
                               RoomNumber{narrow_number(script)},
                               any_modes(script),
                               several(script, 4, any_room),
                               script.number_up_to(limits::counter),
                               SeatRoot{}};
    case 1: {
      wire::RoomsChanged news{narrow_number(script), RoomNumber{narrow_number(script)},
                              several(script, 3, any_room), several(script, 4, any_change),
                              std::nullopt};
      if (script.flag()) news.modes = any_modes(script);
      return news;
    }
    case 2: return answer_to(wire::SeatRequest{script.number(), RoomNumber{1}, {}}, script);
    case 3: return answer_to(wire::PrepareSpawn{script.number(), any_group(script), {}}, script);
    case 4: return wire::SeatsReleased{script.number()};
    default: {
      wire::SpawnRoom order;
      order.request = script.number();
      order.group = any_group(script);
      order.mode = any_mode(script);
      order.capacity = 1 + script.below(8);
      return answer_to(order, script);
    }
  }
}

wire::Order make(Script& script, std::type_identity<wire::Order>) {
  const auto claims = [](Script& rest) { return several(rest, 4, any_claim); };
  switch (script.below(std::variant_size_v<wire::Order>)) {
    case 0: {
      wire::SeatRequest request{script.number(), RoomNumber{1 + script.below(16)}, claims(script)};
      if (script.flag()) request.basis = any_token(script);
      return request;
    }
    case 1:
      return wire::ReleaseSeats{RoomNumber{1 + script.below(16)}, several(script, 4, any_player),
                                ReservationId{script.number()}};
    case 2: return wire::PrepareSpawn{script.number(), any_group(script), any_token(script)};
    case 3:
      return wire::SpawnRoom{
          script.number(),      any_group(script), any_mode(script),
          any_creation(script), any_token(script), 1 + script.below(8),
          claims(script),       script.flag(),     any_of(script, last_newcomers)};
    case 4:
      return wire::KeepWarm{several(script, 3, [](Script& rest) {
        return wire::warm_pool_of(any_mode(rest), 1 + rest.below(4));
      })};
    default:
      return wire::CloseWarmRoom{wire::warm_pool_of(any_mode(script), 1 + script.below(4)),
                                 RoomNumber{1 + script.below(16)}, any_creation(script),
                                 any_token(script)};
  }
}

wire::Explained any_explained(Script& script) {
  wire::Explained made;
  made.number = script.below(16);
  made.tickets = script.below(16);
  made.refused = several(script, 3, [](Script& rest) {
    return wire::RefusedBy{rest.below(limits::refusers), rest.below(16), rest.below(16)};
  });
  if (script.flag()) {
    made.nearest = {.by = script.below(limits::refusers), .beyond = script.number()};
    if (script.flag()) made.nearest->in = std::chrono::milliseconds{narrow_number(script)};
  }
  made.players_missing = script.below(16);
  if (script.flag()) made.enough_in = std::chrono::milliseconds{narrow_number(script)};
  made.regions_full = static_cast<std::uint32_t>(script.below(8));
  made.roles_missing.resize(script.below(limits::roles + 1));
  return made;
}

wire::PoolMessage any_pool_message(Script& script) {
  const auto number = [](Script& rest) { return std::uint64_t{rest.below(16)}; };
  switch (script.below(std::variant_size_v<wire::PoolMessage>)) {
    case 0: return wire::Gather{any_group(script), any_token(script)};
    case 1: {
      const auto lent = [&](Script& rest) {
        return wire::LentClaim{number(rest),
                               any_claim(rest),
                               std::chrono::milliseconds{narrow_number(rest)},
                               rest.below(4),
                               rest.flag() ? any_worker(rest) : WorkerId{},
                               rest.flag()};
      };
      return wire::ClaimsPart{any_group(script), any_token(script), script.below(3), script.flag(),
                              several(script, 4, lent)};
    }
    case 2:
      return wire::ClaimsSeated{
          any_group(script),
          any_token(script),
          {any_worker(script), Incarnation{1 + script.below(2)}, RoomNumber{1 + script.below(16)}},
          any_mode(script),
          1 + script.below(8),
          ReservationId{script.number()},
          any_time(script),
          std::chrono::milliseconds{narrow_number(script)},
          several(script, 4, number),
          {}};
    default:
      return wire::CloseLoan{any_group(script), any_token(script), several(script, 4, number),
                             script.flag(), several(script, 4, any_explained)};
  }
}

wire::BetweenMasters make(Script& script, std::type_identity<wire::BetweenMasters>) {
  switch (script.below(5)) {  // the mesh has three kinds
    case 0: return any_lock_message(script);
    case 1: return lock::MasterList{any_masters(script, 1)};
    case 2: return any_pool_message(script);
    case 3: return wire::ModesKnown{script.below(3)};
    default:
      return lock::MeshHello{several(script, 3, any_lock_message), several(script, 3, any_worker),
                             script.flag(), script.number_up_to(limits::counter),
                             any_masters(script, 0)};
  }
}

wire::SeatReply seat_reply(const wire::SeatRequest& asked, Script& script) {
  wire::SeatReply reply;
  reply.request = asked.request;
  reply.room = asked.room;
  reply.phase = any_of(script, wire::RoomPhase::closed);
  reply.granted = any_granted(script, asked.claims.size());
  reply.reserved_for = std::chrono::milliseconds{narrow_number(script)};
  reply.seated = any_players(script);
  reply.reservation = ReservationId{script.number()};
  reply.reason = any_of(script, wire::last_close_reason);
  reply.granted_at = any_time(script);
  reply.opened_at = any_time(script);
  reply.stage = any_of(script, last_room_stage);
  return reply;
}

wire::PrepareReply prepare_reply(const wire::PrepareSpawn& asked, Script& script) {
  return {asked.request, asked.group, script.flag(), any_token(script),
          several(script, 4, any_room)};
}

wire::SpawnReply spawn_reply(const wire::SpawnRoom& asked, Script& script) {
  wire::SpawnReply reply;
  reply.request = asked.request;
  reply.outcome = any_of(script, wire::last_spawn_outcome);
  reply.highest = any_token(script);
  reply.headroom = narrow_number(script);
  reply.granted = any_granted(script, asked.claims.size());
  reply.reserved_for = std::chrono::milliseconds{narrow_number(script)};
  reply.reservation = ReservationId{script.number()};
  reply.granted_at = any_time(script);
  if (reply.outcome != wire::SpawnOutcome::accepted) return reply;
  reply.room = any_room(script);
  // A room of somebody else, or the one that was ordered.
  if (script.below(4) == 3) return reply;
  reply.room.group = asked.group;
  reply.room.mode = asked.mode;
  reply.room.creation = asked.creation;
  reply.room.capacity = asked.capacity;
  reply.room.occupied = 0;
  return reply;
}

// What a core hears of a message that crosses a link.
template <class Said>
std::optional<Said> heard(std::string_view payload) {
  if constexpr (std::is_same_v<Said, wire::BetweenMasters>) {
    auto message = wire::decode<Said>(payload);
    if (message) return std::move(*message);
  } else {
    constexpr bool from_worker = std::is_same_v<Said, wire::Report>;
    using Direction = std::conditional_t<from_worker, wire::FromWorker, wire::ToWorker>;
    auto message = wire::decode<Direction>(payload);
    if (message && std::holds_alternative<Said>(*message)) return std::get<Said>(*message);
  }
  return std::nullopt;
}

template <class Said>
Said through_the_codec(const Said& message) {
  std::string frame;
  wire::append_frame(message, frame);
  auto arrived = heard<Said>(std::string_view{frame}.substr(wire::prefix_bytes));
  FIXKEEP_ASSERT(arrived == message, "kind " + std::to_string(message.index()));
  return std::move(*arrived);
}

}  // namespace

GroupKey any_group(Script& script) {
  constexpr std::array<const char*, 5> groups{"duel/eu", "duel/us", "royale", "*duel/4", "x"};
  return GroupKey{groups.at(script.below(groups.size()))};
}

ModeName any_mode(Script& script) {
  constexpr std::array<const char*, 4> modes{"duel", "royale", "asked", "unknown"};
  return ModeName{modes.at(script.below(modes.size()))};
}

PlayerId any_player(Script& script) {
  return PlayerId{"p" + std::to_string(script.below(12))};
}

// The context takes nothing of the script, so that the inputs of the corpus mean what they meant.
wire::Claim any_claim(Script& script) {
  wire::Claim claim{any_player(script), several(script, 3, any_player)};
  const std::uint64_t hash = sip_hash({}, claim.player.text());
  if (hash % 2 == 0) claim.context.request_id = claim.player.text();
  if (hash % 3 == 0) claim.context.trace = {{hash, 1}, 1, !claim.party.empty()};
  return claim;
}

FencingToken any_token(Script& script) {
  return {script.number_up_to(limits::counter),
          MasterId{static_cast<std::uint16_t>(script.below(5))}};
}

template <class Said>
std::optional<Said> raw_message(Script& script) {
  const std::size_t high = script.byte();
  return heard<Said>(script.take(high << 8U | script.byte()));
}

template <class Said>
Said any_message(Script& script) {
  return through_the_codec(make(script, std::type_identity<Said>{}));
}

template std::optional<wire::Report> raw_message(Script&);
template std::optional<wire::Order> raw_message(Script&);
template std::optional<wire::BetweenMasters> raw_message(Script&);
template wire::Order any_message(Script&);

wire::Report answer_to(const wire::Order& asked, Script& script) {
  if (const auto* seats = std::get_if<wire::SeatRequest>(&asked)) {
    return through_the_codec<wire::Report>(seat_reply(*seats, script));
  }
  if (const auto* prepare = std::get_if<wire::PrepareSpawn>(&asked)) {
    return through_the_codec<wire::Report>(prepare_reply(*prepare, script));
  }
  if (const auto* spawn = std::get_if<wire::SpawnRoom>(&asked)) {
    return through_the_codec<wire::Report>(spawn_reply(*spawn, script));
  }
  const auto* release = std::get_if<wire::ReleaseSeats>(&asked);
  if (release != nullptr && release->request != 0) return wire::SeatsReleased{release->request};
  return any_message<wire::Report>(script);
}

wire::BetweenMasters answer_to(const wire::BetweenMasters& asked, Script& script) {
  const auto* lock = std::get_if<lock::LockMessage>(std::get_if<lock::MeshMessage>(&asked));
  if (lock == nullptr) return any_message<wire::BetweenMasters>(script);
  auto answer = any_lock_message(script);
  answer.key = lock->key;
  if (script.below(4) != 3) answer.round = lock->round;
  return through_the_codec<wire::BetweenMasters>(answer);
}

}  // namespace fixkeep::fuzz
