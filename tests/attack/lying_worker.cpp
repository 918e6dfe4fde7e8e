#include "tests/attack/lying_worker.hpp"

#include <limits>

#include "common/wire/limits.hpp"

namespace fixkeep::attack {
namespace {

constexpr std::uint32_t endless = std::numeric_limits<std::uint32_t>::max();

wire::RoomInfo room_of(const wire::SpawnRoom& order, std::uint32_t number) {
  wire::RoomInfo room;
  room.number = RoomNumber{number};
  room.group = order.group;
  room.mode = order.mode;
  room.place = wire::at_port(9);
  room.capacity = order.capacity;
  room.creation = order.creation;
  for (const wire::Claim& claim : order.claims) room.players.push_back(claim.player);
  return room;
}

}  // namespace

LyingWorker::LyingWorker(const support::LocalCluster& cluster, std::size_t masters,
                         const std::string& name, Lie lie)
    : lie_(lie) {
  std::vector<Liar::Target> targets;
  for (std::size_t i = 0; i < masters; ++i) {
    targets.push_back({"m" + std::to_string(i + 1), cluster.mesh(i).port});
  }
  liar_ = std::make_unique<Liar>(
      identity(cluster.config(support::Part::worker, 0), net::Role::worker, name),
      Liar::Script{.met = [this](Liar& liar, const net::Peer& master) { met(liar, master); },
                   .master_said =
                       [this](Liar& liar, const net::Peer& master, wire::ToWorker&& message) {
                         heard(liar, master, std::move(message));
                       }},
      targets);
}

wire::WorkerState LyingWorker::state() const {
  wire::WorkerState state;
  state.zone = ZoneName{"a"};
  state.address = "127.0.0.1";
  state.room_limit = 10'000;
  state.headroom = lie_ == Lie::endless_room ? endless : 10'000;
  state.newest_room = RoomNumber{newest_};
  state.modes.known = {ModeName{"duel"}};
  if (lie_ == Lie::highest_of_all) state.highest_counter = wire::limits::counter;
  return state;
}

void LyingWorker::met(Liar& liar, const net::Peer& master) const {
  liar.say(master, state());
  if (lie_ == Lie::speaks_as_master) liar.say(master, wire::SeatRequest{});
  if (lie_ != Lie::too_many_rooms) return;
  wire::RoomsChanged news;
  for (std::uint32_t i = 1; i <= wire::limits::rooms + 1; ++i) {
    wire::RoomInfo room;
    room.number = RoomNumber{newest_ + i};
    room.group = GroupKey{"group " + std::to_string(i)};
    room.mode = ModeName{"duel"};
    room.phase = wire::RoomPhase::open;
    room.place = wire::at_port(9);
    room.capacity = 8;
    news.opened.push_back(std::move(room));
    // A master hears others between two of these, however slow a sanitizer makes it.
    if (news.opened.size() < 500) continue;
    liar.say(master, news);
    news.opened.clear();
  }
  liar.say(master, news);
}

void LyingWorker::heard(Liar& liar, const net::Peer& master, wire::ToWorker&& message) {
  const auto* said = std::get_if<wire::Order>(&message);
  if (lie_ == Lie::no_answer || said == nullptr) return;
  if (const auto* asked = std::get_if<wire::PrepareSpawn>(said)) answer(liar, master, *asked);
  if (const auto* order = std::get_if<wire::SpawnRoom>(said)) answer(liar, master, *order);
}

void LyingWorker::answer(Liar& liar, const net::Peer& master,
                         const wire::PrepareSpawn& asked) const {
  wire::PrepareReply reply;
  reply.request = asked.request;
  reply.group = asked.group;
  reply.promised = lie_ != Lie::highest_of_all && lie_ != Lie::never_promises;
  reply.highest = asked.token;
  if (lie_ == Lie::highest_of_all) reply.highest = {wire::limits::counter, MasterId{9}};
  liar.say(master, reply);
}

void LyingWorker::answer(Liar& liar, const net::Peer& master, const wire::SpawnRoom& order) {
  wire::SpawnReply reply;
  reply.request = order.request;
  reply.headroom = state().headroom;
  if (lie_ == Lie::never_starts || lie_ == Lie::endless_room) {
    reply.outcome = wire::SpawnOutcome::no_capacity;
    liar.say(master, reply);
    return;
  }
  reply.outcome = wire::SpawnOutcome::accepted;
  reply.room = room_of(order, ++newest_);
  reply.reserved_for = std::chrono::seconds{15};
  for (std::uint32_t i = 0; i < order.claims.size(); ++i) reply.granted.push_back(i);
  liar.say(master, reply);
  if (lie_ == Lie::never_opens) return;
  wire::RoomsChanged news;
  news.headroom = reply.headroom;
  news.newest_room = reply.room.number;
  wire::RoomChange change;
  change.number = reply.room.number;
  change.phase = lie_ == Lie::always_fails ? wire::RoomPhase::closed : wire::RoomPhase::open;
  if (lie_ == Lie::always_fails) change.reason = wire::CloseReason::boot_failed;
  news.changed.push_back(std::move(change));
  liar.say(master, news);
}

}  // namespace fixkeep::attack
