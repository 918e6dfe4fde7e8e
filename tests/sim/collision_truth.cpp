#include "tests/sim/collision_truth.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace fixkeep::sim {
namespace {

constexpr std::size_t locks_shown = 1'000;

template <class Core>
void collect(const std::string& node, Core& core, SimTime now, std::vector<events::Event>& told) {
  const events::EventTime at{std::chrono::duration_cast<std::chrono::microseconds>(now)};
  for (events::What& what : core.take_events()) told.push_back({node, at, std::move(what)});
}

}  // namespace

void CollisionTruth::master_takes(MasterNode& master, const master::Event& event, SimTime) {
  const auto* const said = std::get_if<master::WorkerSaid>(&event);
  const auto* const reply = said ? std::get_if<wire::SeatReply>(&said->message) : nullptr;
  if (reply != nullptr) questions_[master.id].erase({said->worker, reply->request});
}

void CollisionTruth::master_stepped(MasterNode& master, const master::Actions& actions,
                                    SimTime now) {
  for (const lock::KeyStatus& status : master.core->locks().status(locks_shown)) {
    if (status.want != lock::Want::holding) continue;
    Grant& grant = grants_[{master.id, status.key}];
    if (grant.since != SimTime{} && grant.identity == status.since) continue;
    grant = {status.since, now, status.token};
  }
  const std::uint64_t grants = master.core->locks().statistics().acquisitions;
  const bool granted = std::exchange(grants_counted_[master.incarnation], grants) < grants;
  for (const master::Action& action : actions) {
    const auto* const send = std::get_if<master::SendToWorker>(&action);
    if (send == nullptr) continue;
    if (const auto* ask = std::get_if<wire::SeatRequest>(&send->message)) {
      std::uint32_t seats = 0;
      for (const wire::Claim& claim : ask->claims) seats += claim.seats();
      questions_[master.id][{send->worker, ask->request}] = {{send->worker, ask->room}, seats};
    } else if (const auto* order = std::get_if<wire::SpawnRoom>(&send->message)) {
      note_order(master, *order, granted, now);
    }
  }
  collect(to_string(master.id), *master.core, now, told_);
}

void CollisionTruth::note_order(MasterNode& master, const wire::SpawnRoom& order, bool granted,
                                SimTime now) {
  if (wire::is_warm_pool(order.group)) return;
  const bool again = std::any_of(orders_.begin(), orders_.end(), [&](const Order& other) {
    return other.group == order.group && other.creation == order.creation;
  });
  if (again) return;
  Order noted;
  noted.group = order.group;
  noted.creation = order.creation;
  noted.sent = now;
  Grant& grant = grants_[{master.id, order.group}];
  // A hold may begin and end within one step; its token tells it from the hold before.
  if (granted && order.creation.token > grant.token) grant.since = now;
  grant.token = std::max(grant.token, order.creation.token);
  noted.granted = grant.since == SimTime{} ? now : grant.since;
  noted.capacity = order.capacity;
  noted.smallest = UINT32_MAX;
  for (const wire::Claim& claim : order.claims) {
    noted.carried += claim.seats();
    noted.smallest = std::min(noted.smallest, claim.seats());
  }
  for (const auto& [question, asked] : questions_[master.id]) {
    noted.asked[asked.first] += asked.second;
  }
  noted.kept_back = master.core->kept_back(order.group);
  orders_.push_back(std::move(noted));
}

void CollisionTruth::worker_stepped(WorkerNode& worker, SimTime now) {
  std::set<Key> there;
  for (const wire::RoomInfo& room : worker.rooms) {
    if (wire::is_warm_pool(room.group)) continue;  // it is nobody's until a group is given it
    const Key key{room.group, room.creation};
    there.insert(key);
    RoomHistory& history = rooms_[key];
    history.place = {worker.id, room.number};
    const bool takes =
        room.phase == wire::RoomPhase::starting || room.phase == wire::RoomPhase::open;
    const auto taken = static_cast<std::uint32_t>(room.players.size());
    history.free[now] = takes && taken < room.capacity ? room.capacity - taken : 0;
  }
  for (auto& [key, history] : rooms_) {
    if (history.place.first == worker.id && !there.contains(key)) history.free[now] = 0;
  }
  collect(worker.id.text(), *worker.core, now, told_);
}

std::uint32_t CollisionTruth::seats_for(const Order& order, const Order& earlier,
                                        Duration news) const {
  if (earlier.group != order.group) return 0;
  if (earlier.creation.token == order.creation.token &&
      earlier.creation.orderer == order.creation.orderer) {
    return 0;
  }
  const auto made = rooms_.find({earlier.group, earlier.creation});
  if (made == rooms_.end()) return 0;
  const RoomHistory& room = made->second;
  const SimTime from = std::max(order.granted - news, earlier.sent);
  const auto before = [&](SimTime time) {
    const auto next = room.free.upper_bound(time);
    return next == room.free.begin() ? earlier.capacity - earlier.carried : std::prev(next)->second;
  };
  std::uint32_t least = before(from);
  for (const auto& [time, free] : room.free) {
    if (time > from && time <= order.sent) least = std::min(least, free);
  }
  const auto asked = order.asked.find(room.place);
  const bool exists = !room.free.empty() && room.free.begin()->first <= order.sent;
  const auto spoken_for = exists && asked != order.asked.end() ? asked->second : 0;
  return least >= order.smallest + spoken_for ? least - spoken_for : 0;
}

std::set<std::string> CollisionTruth::collisions(Duration news) const {
  std::set<std::string> collided;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const Order& order = orders_[i];
    std::uint64_t seats = 0;
    for (std::size_t j = 0; j < i; ++j) seats += seats_for(order, orders_[j], news);
    // A claim that is kept back may leave a room with one seat too few for the smallest claim.
    const std::uint64_t lost = order.kept_back.claims * (order.smallest - 1);
    if (seats < order.smallest + order.kept_back.seats + lost) continue;
    collided.insert(order.group.text() + " " + to_string(order.creation));
  }
  return collided;
}

}  // namespace fixkeep::sim
