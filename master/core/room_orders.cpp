#include "master/core/room_orders.hpp"

#include <map>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::master {

std::size_t RoomOrders::rooms_left(const Group& group) const {
  const std::size_t starting = directory_.starting_rooms(group.key) + group.asked.orders.size();
  const std::size_t most = options_.starting_rooms_per_group;
  return most > starting ? most - starting : 0;
}

std::uint32_t RoomOrders::order(Group& group, const hold::OrderRooms& orders, Step& step) {
  FIXKEEP_ASSERT(directory_.all_known(), group.key.text());
  requests_.expire(step);  // no room for claims that the next tick would refuse
  const std::vector<ClaimNumber> numbers = need_.claims(group);
  if (numbers.empty()) return 0;  // whoever is left waits for the rooms that start
  const std::size_t rooms = rooms_left(group);
  if (rooms == 0) return 0;
  Wanted wanted = wanted_for(numbers);
  SpawnLimits limits;
  limits.capacity = group.capacity;
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
  group.no_capacity = false;
  hold::OrderRooms next = orders;
  for (const PlannedRoom& room : plan.rooms) {
    std::vector<ClaimNumber> riders;
    riders.reserve(room.claims.size());
    for (const std::size_t index : room.claims) riders.push_back(numbers[index]);
    send(group, room.worker, std::move(riders), next, step);
    ++next.first_index;
  }
  return static_cast<std::uint32_t>(plan.rooms.size());
}

RoomOrders::Wanted RoomOrders::wanted_for(const std::vector<ClaimNumber>& numbers) const {
  Wanted wanted;
  wanted.claims.reserve(numbers.size());
  std::map<ClientAddress, std::size_t> clients;
  for (const ClaimNumber number : numbers) {
    const Waiting& waiting = claims_.at(number);
    wanted.claims.push_back({waiting.claim.seats(), bytes_of(waiting.claim), waiting.avoid, {}});
    if (waiting.client.empty()) continue;
    const auto [client, fresh] = clients.try_emplace(waiting.client, clients.size());
    wanted.claims.back().client = client->second;
    if (!fresh) continue;
    const std::uint32_t starting = directory_.starting_rooms(waiting.client);
    const std::uint32_t most = options_.starting_rooms_per_client;
    wanted.client_rooms.push_back(most > starting ? most - starting : 0);
  }
  return wanted;
}

std::vector<SpawnWorker> RoomOrders::workers_for(const Group& group) const {
  std::map<WorkerId, std::uint32_t> group_rooms;
  for (const RoomId& room : directory_.rooms_of(group.key)) ++group_rooms[room.worker];
  std::vector<SpawnWorker> workers;
  for (const auto& [id, worker] : directory_.workers()) {
    if (group.hold.excluded().contains(id) || !worker.starts(group.mode)) continue;
    workers.push_back({id, worker.zone, worker.headroom, group_rooms[id], worker.room_limit,
                       worker.ordered, affinity(group.key, id)});
  }
  return workers;
}

void RoomOrders::send(Group& group, const WorkerId& worker, std::vector<ClaimNumber> claims,
                      const hold::OrderRooms& orders, Step& step) {
  wire::SpawnRoom message;
  message.group = group.key;
  message.mode = group.mode;
  message.creation = {orders.token, orders.first_index, options_.incarnation};
  message.basis = orders.basis;
  message.capacity = group.capacity;
  OrderQuestion question;
  question.spare = group.capacity;
  for (const ClaimNumber number : claims) {
    claims_.order(number);
    message.claims.push_back(claims_.at(number).claim);
    question.spare -= message.claims.back().seats();
  }
  question.hold = group.hold.number();
  question.creation = message.creation;
  question.asked_at = step.now;
  question.client = claims_.at(claims.front()).client;
  question.claims = std::move(claims);
  directory_.order_begins(worker, question.client);
  message.request =
      questions_.put({&group, worker, std::move(question)}, step.now + options_.worker_reply);
  ++counters_.spawns_ordered;
  step.out.emplace_back(SendToWorker{worker, std::move(message)});
}

}  // namespace fixkeep::master
