#include "tests/unit/master/core/orders/pool_holder.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::shared_ptr<const plan::Rules> rules_of_three() {
  auto rules = std::make_shared<plan::Rules>();
  rules->numbers = {"rating"};
  rules->distances = {{0, {{Duration{0}, 50}, {seconds{20}, 500}}}};
  rules->size = {.least = 2, .best = 3, .most = 3, .after = seconds{10}};
  rules->party = 3;
  return rules;
}

MasterOptions holder_options(bool alone, ShadowRules shadows) {
  MasterOptions options;
  options.self = PoolHolder::self;
  options.await_workers = Duration{0};
  if (alone) options.locks.strategy = "none";
  options.modes.shadows = std::move(shadows);
  options.out_of_sight = PoolHolder::out_of_sight;
  return options;
}

}  // namespace

PoolHolder::PoolHolder(bool alone, ShadowRules shadows)
    : rules(rules_of_three()), core(holder_options(alone, std::move(shadows)), locks, now) {
  core.step(PeerConnected{m2}, now, actions);
}

void PoolHolder::connect(std::vector<wire::RoomInfo> rooms) {
  connect(w, std::move(rooms));
}

void PoolHolder::connect(const WorkerId& worker, std::vector<wire::RoomInfo> rooms) {
  core.step(WorkerConnected{worker, Incarnation{1}}, now, actions);
  wire::WorkerState state;
  state.address = "here";
  state.zone = zone;
  state.room_limit = state.headroom = 10;
  state.modes.known = {duel};
  state.rooms = std::move(rooms);
  core.step(WorkerSaid{worker, std::move(state)}, now, actions);
}

void PoolHolder::match(const std::string& player, int rating, std::vector<PlayerId> party) {
  MatchRequested request{TicketId{++tickets},
                         battle,
                         duel,
                         3,
                         {PlayerId{player}, std::move(party), {}, brings(rating)},
                         now + minutes{10}};
  request.rules = rules;
  core.step(std::move(request), now, actions);
}

void PoolHolder::grant(FencingToken token) {
  LockGranted granted;
  granted.group = battle;
  granted.token = token;
  core.granted(std::move(granted), now, actions);
}

wire::RoomInfo PoolHolder::room(
    std::uint32_t number, const std::vector<std::pair<std::string, std::string>>& players) const {
  wire::RoomInfo info;
  info.number = RoomNumber{number};
  info.group = battle;
  info.mode = duel;
  info.phase = wire::RoomPhase::open;
  info.place = wire::at_port(20'000);
  info.capacity = 3;
  info.creation = {{1, m2}, number, Incarnation{9}};
  for (const auto& [player, text] : players) {
    info.players.emplace_back(player);
    info.brought.push_back(text);
  }
  return info;
}

void PoolHolder::promise(std::vector<wire::RoomInfo> rooms) {
  const auto asked = to_worker<wire::PrepareSpawn>();
  ASSERT_THAT(asked, testing::Not(testing::IsEmpty())) << "no fence is asked for";
  say(wire::PrepareReply{asked.back().request, battle, true, asked.back().token, std::move(rooms)});
}

void PoolHolder::seat(const wire::SeatRequest& request, std::vector<std::uint32_t> granted) {
  wire::SeatReply reply;
  reply.request = request.request;
  reply.room = request.room;
  reply.phase = wire::RoomPhase::open;
  reply.granted = std::move(granted);
  reply.reserved_for = seconds{15};
  reply.reservation = ReservationId{4};
  for (const std::uint32_t i : reply.granted) {
    reply.seated.push_back(request.claims.at(i).player);
  }
  say(std::move(reply));
}

void PoolHolder::start(const wire::SpawnRoom& order) {
  wire::SpawnReply reply;
  reply.request = order.request;
  reply.outcome = wire::SpawnOutcome::accepted;
  reply.headroom = 9;
  reply.room = room(40, {});
  reply.room.phase = wire::RoomPhase::starting;
  reply.room.creation = order.creation;
  reply.reservation = ReservationId{5};
  reply.reserved_for = seconds{15};
  for (std::uint32_t i = 0; i < order.claims.size(); ++i) {
    reply.granted.push_back(i);
    reply.room.players.push_back(order.claims[i].player);
    reply.room.brought.push_back(order.claims[i].brings);
  }
  say(std::move(reply));
}

void PoolHolder::refuse(const wire::SpawnRoom& order, wire::SpawnOutcome outcome) {
  wire::SpawnReply reply;
  reply.request = order.request;
  reply.outcome = outcome;
  reply.highest = {99, m2};
  reply.headroom = 10;
  say(std::move(reply));
}

wire::SpawnRoom PoolHolder::ordered_for_three() {
  connect();
  match("ann", 1500);
  grant();
  lend({lent(11, "bob", 1510), lent(12, "cid", 1520)});
  promise();
  const auto orders = to_worker<wire::SpawnRoom>();
  EXPECT_EQ(orders.size(), 1U);
  return orders.empty() ? wire::SpawnRoom{} : orders.front();
}

}  // namespace fixkeep::master
