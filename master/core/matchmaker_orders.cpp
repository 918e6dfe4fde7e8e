#include <algorithm>
#include <map>

#include "common/base/assert.hpp"
#include "master/core/matchmaker_internals.hpp"
#include "master/core/spawn_planner.hpp"

namespace fixkeep::master {

std::size_t Matchmaker::Impl::rooms_left(const Group& group) const {
  const std::size_t starting = directory_.starting_rooms(group.key) + group.asked.orders;
  const std::size_t most = options_.starting_rooms_per_group;
  return most > starting ? most - starting : 0;
}

std::uint32_t Matchmaker::Impl::order(Group& group, const hold::OrderRooms& orders, Step& step) {
  FIXKEEP_ASSERT(group.asked.seats.empty() && directory_.all_known(), group.key.text());
  expire_tickets(step);               // no room for whom the next tick would refuse
  if (group.queue.empty()) return 0;  // whoever is left waits for the rooms that start
  SpawnLimits limits;
  limits.capacity = group.capacity;
  limits.rooms = rooms_left(group);
  if (limits.rooms == 0) return 0;
  const std::vector<ClaimNumber> numbers(group.queue.begin(), group.queue.end());
  std::map<ClientAddress, std::size_t> clients;
  std::vector<SpawnClaim> claims;
  claims.reserve(numbers.size());
  for (const ClaimNumber number : numbers) {
    const Waiting& waiting = claims_.at(number);
    claims.push_back({waiting.claim.seats(), bytes_of(waiting.claim), waiting.avoid, {}});
    if (waiting.client.empty()) continue;
    const auto [client, fresh] = clients.try_emplace(waiting.client, clients.size());
    claims.back().client = client->second;
    if (!fresh) continue;
    const std::uint32_t starting = directory_.starting_rooms(waiting.client);
    const std::uint32_t most = options_.starting_rooms_per_client;
    limits.client_rooms.push_back(most > starting ? most - starting : 0);
  }
  std::map<WorkerId, std::uint32_t> group_rooms;
  for (const RoomId& room : directory_.rooms_of(group.key)) ++group_rooms[room.worker];
  std::vector<SpawnWorker> workers;
  for (const auto& [id, worker] : directory_.workers()) {
    if (group.hold.excluded().contains(id) || !worker.modes.contains(group.mode)) continue;
    workers.push_back({id, worker.zone, worker.headroom, group_rooms[id], worker.room_limit,
                       worker.ordered, affinity(group.key, id)});
  }
  const SpawnPlan plan = plan_spawns(claims, workers, limits);
  for (const std::size_t index : plan.refused) {
    refuse_claim(numbers[index], Refusal::too_many_rooms, step);
    withdraw(numbers[index], step);
  }
  if (plan.rooms.empty()) {
    if (!group.queue.empty()) groups_.sleep(group, directory_.capacity_generation());
    return 0;
  }
  group.no_capacity = false;
  hold::OrderRooms next = orders;
  for (const PlannedRoom& room : plan.rooms) {
    std::vector<ClaimNumber> riders;
    riders.reserve(room.claims.size());
    for (const std::size_t index : room.claims) riders.push_back(numbers[index]);
    send_order(group, room.worker, std::move(riders), next, step);
    ++next.first_index;
  }
  return static_cast<std::uint32_t>(plan.rooms.size());
}

void Matchmaker::Impl::send_order(Group& group, const WorkerId& worker,
                                  std::vector<ClaimNumber> claims, const hold::OrderRooms& orders,
                                  Step& step) {
  wire::SpawnRoom message;
  message.group = group.key;
  message.mode = group.mode;
  message.creation = {orders.token, orders.first_index, options_.incarnation};
  message.basis = orders.basis;
  message.capacity = group.capacity;
  for (const ClaimNumber number : claims) {
    claims_.order(number);
    message.claims.push_back(claims_.at(number).claim);
  }
  OrderQuestion question;
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

void Matchmaker::Impl::order_ended(Group& group, const WorkerId& worker, const OrderQuestion& order,
                                   OrderFate fate, FencingToken highest, Step& step) {
  directory_.order_ends(worker, order.client);
  const std::uint64_t capacity = directory_.capacity_generation();
  tell(group, hold::OrderEnded{order.hold, fate, worker, highest, capacity}, step);
}

void Matchmaker::Impl::spawn_reply(const WorkerId& worker, wire::SpawnReply&& reply, Step& step) {
  const auto question = take_question<OrderQuestion>(reply.request, worker);
  if (!question) return;
  Group& group = *question->group;
  directory_.set_headroom(worker, reply.headroom);
  switch (reply.outcome) {
    case wire::SpawnOutcome::accepted: spawned(*question, reply, step); return;
    case wire::SpawnOutcome::stale_token:
      ++counters_.spawns_refused;
      order_ended(group, worker, question->about, OrderFate::stale, reply.highest, step);
      break;
    case wire::SpawnOutcome::unknown_mode:
      directory_.forget_mode(worker, group.mode);
      [[fallthrough]];
    case wire::SpawnOutcome::no_capacity:
      order_ended(group, worker, question->about, OrderFate::refused, {}, step);
      break;
  }
  for (const ClaimNumber number : question->about.claims) {
    if (claims_.at(number).tickets.empty()) {
      claims_.erase(number);
    } else {
      claims_.enqueue(number);
    }
  }
}

void Matchmaker::Impl::spawned(const QuestionAbout<OrderQuestion>& question,
                               wire::SpawnReply& reply, Step& step) {
  Group& group = *question.group;
  const WorkerId& worker = question.worker;
  const OrderQuestion& order = question.about;
  const bool sane = reply.room.group == group.key && reply.room.creation == order.creation &&
                    ascending_below(reply.granted, order.claims.size());
  order_ended(group, worker, order, sane ? OrderFate::carried_out : OrderFate::unknown, {}, step);
  if (!sane) {
    for (const ClaimNumber number : order.claims) requeue_lost(number, step);
    close_link(worker, step);
    return;
  }
  if (!learn_room(worker, reply.room, step)) {
    for (const ClaimNumber number : order.claims) requeue_lost(number, step);
    return;
  }
  const RoomId id{worker, directory_.find(worker)->incarnation, reply.room.number};
  directory_.attribute(id, order.client);
  const Reservation reservation{reply.reservation, order.asked_at, reply.granted_at,
                                reply.reserved_for};
  auto granted = reply.granted.begin();
  for (std::uint32_t i = 0; i < order.claims.size(); ++i) {
    const ClaimNumber number = order.claims[i];
    if (granted != reply.granted.end() && *granted == i) {
      ++granted;
      granted_seats(number, id, reservation, true, step);
    } else if (claims_.at(number).tickets.empty()) {
      claims_.erase(number);
    } else {
      claims_.enqueue(number);
    }
  }
  room_news(id, wire::CloseReason::none, step);
}

}  // namespace fixkeep::master
