#include "master/core/orders/room_orders.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/assert.hpp"
#include "common/wire/warm_pool.hpp"
#include "master/core/claims/tickets.hpp"
#include "master/core/directory/matches.hpp"
#include "master/core/seam/each_player.hpp"

namespace fixkeep::master {

std::size_t RoomOrders::rooms_left(const Group& group) const {
  const std::size_t starting = directory_.starting_rooms(group.key) + group.asked->orders.size();
  const bool match = wire::is_match(group.key);
  if (match && room_of_match(directory_, group.key) != nullptr) return 0;
  const std::size_t most = match ? 1 : options_.starting_rooms_per_group;
  return most > starting ? most - starting : 0;
}

std::uint32_t RoomOrders::order(Group& group, const hold::OrderRooms& orders, Step& step) {
  FIXKEEP_ASSERT(directory_.all_known(), group.key.text());
  if (wire::is_warm_pool(group.key)) return order_warm(group, orders, step);
  requests_.expire(step);  // refuses late claims now: no room is ordered for them
  std::vector<ClaimNumber> numbers = need_.claims(group);
  if (numbers.empty()) return 0;  // all remaining claims wait for starting rooms
  // A match's room is made for its first claim only: other claims of the match may come from
  // requests with a different body.
  if (wire::is_match(group.key)) numbers.resize(1);
  const std::size_t rooms = rooms_left(group);
  if (rooms == 0) return 0;
  Wanted wanted = wanted_for(numbers, step.now);
  SpawnLimits limits;
  limits.capacity = group.rooms->capacity;
  limits.rooms = rooms;
  limits.client_rooms = std::move(wanted.client_rooms);
  const SpawnPlan plan = plan_spawns(wanted.claims, workers_for(group), limits);
  for (const std::size_t index : plan.refused) {
    requests_.turn_away(numbers[index], Refusal::too_many_rooms, step);
  }
  if (plan.rooms.empty()) {
    if (need_.any(group)) groups_.sleep(group, directory_.capacity_generation());
    return 0;
  }
  groups_.found_capacity(group);
  hold::OrderRooms next = orders;
  for (const PlannedRoom& room : plan.rooms) {
    OrderQuestion question;
    question.only_warm = room.only_warm;
    question.claims.reserve(room.claims.size());
    for (const std::size_t index : room.claims) question.claims.push_back(numbers[index]);
    send(group, room.worker, std::move(question), next, step);
    ++next.first_index;
  }
  return static_cast<std::uint32_t>(plan.rooms.size());
}

RoomOrders::Wanted RoomOrders::wanted_for(const std::vector<ClaimNumber>& numbers,
                                          TimePoint now) const {
  Wanted wanted;
  wanted.claims.reserve(numbers.size());
  std::map<ClientAddress, std::size_t> clients;
  for (const ClaimNumber number : numbers) {
    const Waiting& waiting = claims_.at(number);
    wanted.claims.push_back(
        {waiting.claim.seats(), bytes_of(waiting.claim), waiting.seats->avoid, {}});
    if (waiting.askers->client.empty()) continue;
    const auto [client, fresh] = clients.try_emplace(waiting.askers->client, clients.size());
    wanted.claims.back().client = client->second;
    if (!fresh) continue;
    const std::uint32_t starting = directory_.starting_rooms(waiting.askers->client);
    const std::uint32_t most = options_.starting_rooms_per_client;
    wanted.client_rooms.push_back(
        std::min(most > starting ? most - starting : 0, budget_.left(waiting.askers->client, now)));
  }
  return wanted;
}

std::vector<SpawnWorker> RoomOrders::workers_for(const Group& group) const {
  std::map<WorkerId, std::uint32_t> group_rooms;
  for (const RoomId& room : directory_.rooms_of(group.key)) ++group_rooms[room.worker];
  auto warm = directory_.warm_rooms(wire::warm_pool_of(group.rooms->mode, group.rooms->capacity));
  std::vector<SpawnWorker> workers;
  for (const auto& [id, worker] : directory_.workers()) {
    if (group.lock->hold.excluded().contains(id) || !worker.modes.contains(group.rooms->mode))
      continue;
    if (!worker.gets_orders() || worker.behind) continue;
    if (wire::is_match(group.key) && !worker.keeps_matches) continue;
    const bool starts = worker.starts(group.rooms->mode);  // false: only warm rooms
    SpawnWorker candidate;
    candidate.id = id;
    candidate.zone = worker.zone;
    candidate.headroom = starts ? worker.room_left() : 0;
    if (!wire::is_warm_pool(group.key)) {
      const std::uint32_t open = group.lock->without_warm.contains(id) ? 0 : warm[id].open;
      candidate.warm = open > worker.warm_ordered ? open - worker.warm_ordered : 0;
      candidate.warming = warm[id].starting + open - candidate.warm;
    }
    if (!starts && candidate.warm == 0) continue;
    candidate.group_rooms = group_rooms[id];
    candidate.room_limit = worker.room_limit;
    candidate.ordered = worker.ordered;
    candidate.affinity = affinity(group.key, id);
    workers.push_back(std::move(candidate));
  }
  return workers;
}

std::uint32_t RoomOrders::order(Group& pool, std::vector<PoolRoom>&& rooms,
                                const hold::OrderRooms& orders, Step& step) {
  std::map<ZoneName, std::vector<std::size_t>> by_zone;
  for (std::size_t i = 0; i < rooms.size(); ++i) by_zone[rooms[i].zone].push_back(i);
  const std::vector<SpawnWorker> workers = workers_for(pool);
  const std::size_t most = rooms_left(pool);
  SpawnLimits limits;
  limits.capacity = pool.rooms->capacity;
  hold::OrderRooms next = orders;
  std::uint32_t ordered = 0;
  for (const auto& in_zone : by_zone) {
    const ZoneName& zone = in_zone.first;
    const std::vector<std::size_t>& places = in_zone.second;
    std::vector<SpawnClaim> whole_rooms;
    whole_rooms.reserve(places.size());
    for (const std::size_t place : places) {
      whole_rooms.push_back({pool.rooms->capacity, 0, rooms[place].avoid, std::nullopt});
    }
    std::vector<SpawnWorker> there = workers;
    std::erase_if(there, [&](const auto& worker) { return !zone.empty() && worker.zone != zone; });
    limits.rooms = most - ordered;
    for (const PlannedRoom& planned : plan_spawns(whole_rooms, there, limits).rooms) {
      PoolRoom& room = rooms[places.at(planned.claims.front())];
      OrderQuestion question;
      question.only_warm = planned.only_warm;
      question.lent = std::move(room.lent);
      question.client = std::move(room.client);
      for (const wire::Claim& claim : room.claims) question.players.push_back(players_of(claim));
      send(pool, planned.worker, std::move(question), std::move(room.claims), next, step);
      ++next.first_index;
      ++ordered;
    }
  }
  // If the rooms need certain zones, the pool sleeps only if no room at all was ordered. While any
  // zone has capacity, some claims are perhaps allowed there.
  const bool anywhere = rooms.empty() || rooms.front().zone.empty();
  const bool lacking = anywhere ? ordered < rooms.size() : ordered == 0;
  if (lacking && most >= rooms.size()) {
    groups_.sleep(pool, directory_.capacity_generation());
  } else {
    groups_.found_capacity(pool);
  }
  return ordered;
}

std::set<ZoneName> RoomOrders::open_zones(const Group& pool) const {
  std::set<ZoneName> zones;
  for (const SpawnWorker& worker : workers_for(pool)) {
    if (worker.headroom + worker.warm + worker.warming > 0) zones.insert(worker.zone);
  }
  return zones;
}

std::vector<SpawnWorker> RoomOrders::workers_for_pool(const Group& pool) const {
  std::vector<SpawnWorker> workers = workers_for(pool);
  std::erase_if(workers, [&](const SpawnWorker& worker) {
    return !directory_.find(worker.id)->can_warm(pool.rooms->mode);
  });
  for (SpawnWorker& worker : workers) --worker.headroom;
  return workers;
}

std::uint32_t RoomOrders::order_warm(Group& pool, const hold::OrderRooms& orders, Step& step) {
  const std::int64_t missing = warm_.missing(pool);
  if (missing < 0) close_warm(pool, orders, step);
  if (missing <= 0) return 0;
  const std::size_t rooms = std::min(static_cast<std::size_t>(missing), rooms_left(pool));
  SpawnClaim whole_room;
  whole_room.seats = pool.rooms->capacity;
  SpawnLimits limits;
  limits.capacity = pool.rooms->capacity;
  const SpawnPlan plan =
      plan_spawns(std::vector<SpawnClaim>(rooms, whole_room), workers_for_pool(pool), limits);
  if (plan.rooms.size() < rooms) warm_.failed(pool.key, step.now);
  hold::OrderRooms next = orders;
  for (const PlannedRoom& room : plan.rooms) {
    send(pool, room.worker, {}, next, step);
    ++next.first_index;
    ++counters_.warm_ordered;
  }
  return static_cast<std::uint32_t>(plan.rooms.size());
}

// Closes the pool's surplus rooms. Workers send no reply, but their news shows the closed rooms. If
// an order is lost, the next hold repeats it.
void RoomOrders::close_warm(Group& pool, const hold::OrderRooms& orders, Step& step) {
  CreationId order{orders.token, orders.first_index, options_.incarnation};
  for (const RoomId& room : warm_.too_many(pool)) {
    step.out.emplace_back(
        SendToWorker{room.worker, wire::CloseWarmRoom{pool.key, room.number, order, orders.basis}});
    ++order.index;
    ++counters_.warm_closed;
  }
  warm_.closing(pool.key, step.now);
}

// If the client sent no request id, the ticket's name becomes the id of the order. Orders are rare,
// so the cost of this text does not matter.
void RoomOrders::name_cause(const OrderQuestion& question, wire::SpawnRoom& message) const {
  if (question.claims.empty()) return;
  wire::RequestContext& first = message.claims.front().context;
  const std::vector<TicketId>& tickets = claims_.at(question.claims.front()).askers->tickets;
  if (!first.request_id.empty() || tickets.empty()) return;
  first.request_id =
      ticket_text(ticket_prefix(options_.self, options_.incarnation), tickets.front());
}

void RoomOrders::send(Group& group, const WorkerId& worker, OrderQuestion&& question,
                      const hold::OrderRooms& orders, Step& step) {
  std::vector<wire::Claim> claims;
  for (const ClaimNumber number : question.claims) {
    claims_.order(number);
    claims.push_back(claims_.at(number).claim);
  }
  if (!question.claims.empty())
    question.client = claims_.at(question.claims.front()).askers->client;
  send(group, worker, std::move(question), std::move(claims), orders, step);
}

void RoomOrders::send(Group& group, const WorkerId& worker, OrderQuestion&& question,
                      std::vector<wire::Claim>&& claims, const hold::OrderRooms& orders,
                      Step& step) {
  wire::SpawnRoom message;
  message.group = group.key;
  message.mode = group.rooms->mode;
  message.creation = {orders.token, orders.first_index, options_.incarnation};
  message.basis = orders.basis;
  message.capacity = group.rooms->capacity;
  message.only_warm = question.only_warm;
  message.newcomers = group.rooms->newcomers;
  message.newcomers_for = group.rooms->newcomers_for;
  question.spare = group.rooms->capacity;
  message.claims = std::move(claims);
  for (const wire::Claim& claim : message.claims) question.spare -= claim.seats();
  name_cause(question, message);
  question.hold = group.lock->hold.number();
  question.creation = message.creation;
  question.asked_at = step.now;
  if (const auto* cause = wire::cause_of(message.claims)) question.cause = *cause;
  directory_.order_begins(worker, question.client, question.only_warm);
  budget_.ordered(question.client, step.now);
  const Duration patience = directory_.find(worker)->patience(options_.worker_reply);
  message.request = questions_.put({&group, worker, std::move(question)}, step.now, patience);
  ++counters_.spawns_ordered;
  step.out.emplace_back(SendToWorker{worker, std::move(message)});
}

}  // namespace fixkeep::master
