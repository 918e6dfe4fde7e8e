#include "client-sim/judge/collisions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace fixkeep::client_sim {

namespace {

using events::Event;
using events::EventTime;

using RoomPlace = std::pair<WorkerId, RoomNumber>;
using Question = std::tuple<std::string, WorkerId, std::uint64_t>;  // master, worker, request

bool takes_players(wire::RoomPhase phase) {
  return phase == wire::RoomPhase::starting || phase == wire::RoomPhase::open;
}

struct Change {
  EventTime at;
  std::uint32_t free = 0;
};

// A room and the history of its free seats since its order.
struct OrderedRoom {
  CreationId creation;
  EventTime ordered_at;
  std::vector<Change> free;  // sorted by time
  RoomPlace place;           // default until the room exists
  std::uint32_t taken = 0;
  bool alive = false;  // made and not closed
  bool collided = false;

  // Returns the smallest number of free seats at any moment since `from`.
  [[nodiscard]] std::uint32_t free_since(EventTime from) const {
    std::uint32_t least = free.back().free;
    for (auto change = free.rbegin(); change != free.rend(); ++change) {
      least = std::min(least, change->free);
      if (change->at <= from) break;
    }
    return least;
  }
};

// Totals of a group's living rooms.
struct Living {
  std::uint64_t rooms = 0;
  std::uint64_t collided = 0;
  std::uint64_t taken = 0;
};

struct Group {
  std::map<CreationId, OrderedRoom> rooms;
  std::set<CreationId> with_seats;           // rooms with free seats now
  std::map<std::string, EventTime> granted;  // last grant to each master
  Living living;
  std::uint64_t capacity = 1;  // seats of a room in the last report

  // Counts the living rooms that came from collisions and are not needed.
  [[nodiscard]] std::uint64_t wasted() const {
    const auto needed = (living.taken + capacity - 1) / capacity;
    return std::min(living.collided, living.rooms > needed ? living.rooms - needed : 0);
  }
};

std::uint32_t sum(const std::vector<std::uint32_t>& seats) {
  std::uint32_t all = 0;
  for (const auto one : seats) all += one;
  return all;
}

// Returns how many free seats the kept-back claims may make useless for another claim, at most.
// Each kept-back claim takes its own seats. In the same room, it may leave a rest of free seats
// that is just too small for the other claim.
std::uint64_t usable_by(const events::KeptBack& kept, std::uint32_t other_needs) {
  return kept.seats + std::uint64_t{kept.claims} * (other_needs - 1);
}

class Search {
 public:
  Search(const std::vector<Event>& seen, std::chrono::microseconds news)
      : seen_(seen), news_(news) {
    for (const Event& event : seen) {
      if (const auto* changed = std::get_if<events::RoomChanged>(&event.what)) {
        made_.insert({changed->group, changed->creation});
      }
      if (std::holds_alternative<events::MatchAnswered>(event.what)) last_answer_ = event.at;
    }
  }

  CollisionBill run() {
    for (const Event& event : seen_) {
      pay_until(event.at);
      std::visit([&](const auto& what) { on(event, what); }, event.what);
    }
    return std::move(bill_);
  }

 private:
  void on(const Event&, const auto&) {}

  void on(const Event& event, const events::LockGranted& what) {
    groups_[what.group].granted[event.node] = event.at;
  }

  void on(const Event& event, const events::SeatsAsked& what) {
    const RoomPlace place{what.worker, what.room};
    asked_[event.node][place] += what.seats;
    questions_[{event.node, what.worker, what.request}] = {place, what.seats};
  }

  void on(const Event& event, const events::SeatsAnswered& what) {
    const auto question = questions_.extract({event.node, what.worker, what.request});
    if (question.empty()) return;
    const auto& [place, seats] = question.mapped();
    asked_[event.node][place] -= seats;
  }

  void on(const Event& event, const events::RoomOrdered& what) {
    Group& group = groups_[what.group];
    if (group.rooms.contains(what.creation)) return;  // a repeated order
    ++bill_.orders;
    const bool carried_out = made_.contains({what.group, what.creation});
    const bool collided = collides(event, what, group);
    if (!carried_out) return;
    OrderedRoom room;
    room.creation = what.creation;
    room.ordered_at = event.at;
    room.collided = collided;
    const auto carried = sum(what.claims);
    const auto free = what.capacity > carried ? what.capacity - carried : 0;
    change_free(group, room, {event.at, free});
    group.rooms.emplace(what.creation, std::move(room));
  }

  void on(const Event& event, const events::RoomChanged& what) {
    Group& group = groups_[what.group];
    auto [at, fresh] = group.rooms.try_emplace(what.creation);
    OrderedRoom& room = at->second;
    if (fresh) {  // no event of its order was recorded
      room.creation = what.creation;
      room.ordered_at = event.at;
    }
    const bool lives = what.phase != wire::RoomPhase::closed;
    if (what.taken < room.taken && event.at > last_answer_) over_ = true;
    room.place = {what.room.worker, what.room.number};
    change_free(
        group, room,
        {event.at,
         takes_players(what.phase) && what.capacity > what.taken ? what.capacity - what.taken : 0});
    stop_charging(group);
    count(group, room, -1);
    room.alive = lives;
    room.taken = lives ? what.taken : 0;
    count(group, room, 1);
    group.capacity = std::max<std::uint64_t>(what.capacity, 1);
    start_charging(group);
  }

  static void change_free(Group& group, OrderedRoom& room, Change change) {
    room.free.push_back(change);
    if (change.free > 0) {
      group.with_seats.insert(room.creation);
    } else {
      group.with_seats.erase(room.creation);
    }
  }

  static void count(Group& group, const OrderedRoom& room, int sign) {
    if (!room.alive) return;
    const auto add = [sign](std::uint64_t& sum, std::uint64_t value) {
      sum = sign > 0 ? sum + value : sum - value;
    };
    add(group.living.rooms, 1);
    add(group.living.collided, room.collided ? 1 : 0);
    add(group.living.taken, room.taken);
  }

  void stop_charging(const Group& group) {
    wasted_rooms_ -= group.wasted();
    wasted_seats_ -= group.wasted() * group.capacity;
  }
  void start_charging(const Group& group) {
    wasted_rooms_ += group.wasted();
    wasted_seats_ += group.wasted() * group.capacity;
  }

  bool collides(const Event& event, const events::RoomOrdered& order, const Group& group) {
    if (order.claims.empty()) return false;
    const auto smallest = *std::min_element(order.claims.begin(), order.claims.end());
    const auto granted = group.granted.find(event.node);
    const EventTime since = granted == group.granted.end() ? event.at : granted->second;
    std::uint64_t free = 0;  // free seats in rooms with enough seats for the smallest claim
    Collision collision;
    for (const auto& creation : group.with_seats) {
      const OrderedRoom& room = group.rooms.at(creation);
      if (creation.token == order.creation.token && creation.orderer == order.creation.orderer) {
        continue;
      }
      const auto had = room.free_since(std::max(since - news_, room.ordered_at));
      const auto spoken_for = asked_[event.node][room.place];
      if (had < smallest + spoken_for) continue;
      free += had - spoken_for;
      if (had <= collision.seats) continue;
      collision.other = creation;
      collision.seats = had;
    }
    if (free < smallest + usable_by(order.kept_back, smallest)) return false;
    collision.group = order.group;
    collision.order = order.creation;
    collision.master = event.node;
    collision.at = event.at;
    collision.carried_out = made_.contains({order.group, order.creation});
    bill_.collisions.push_back(std::move(collision));
    return true;
  }

  // Adds the cost of the time since the previous event to the bill.
  void pay_until(EventTime now) {
    const std::chrono::duration<double> passed = now - std::exchange(paid_until_, now);
    if (over_) return;
    bill_.wasted_room_seconds += static_cast<double>(wasted_rooms_) * passed.count();
    bill_.wasted_seat_seconds += static_cast<double>(wasted_seats_) * passed.count();
  }

  const std::vector<Event>& seen_;
  std::chrono::microseconds news_;
  std::set<std::pair<GroupKey, CreationId>> made_;  // a creation id is unique only within its group
  std::map<GroupKey, Group> groups_;
  std::map<std::string, std::map<RoomPlace, std::uint32_t>> asked_;
  std::map<Question, std::pair<RoomPlace, std::uint32_t>> questions_;
  EventTime last_answer_{};
  EventTime paid_until_{};
  std::uint64_t wasted_rooms_ = 0;  // over all groups, at this moment
  std::uint64_t wasted_seats_ = 0;
  bool over_ = false;  // players are leaving: nothing is charged any more
  CollisionBill bill_;
};

}  // namespace

void put_in_order(std::vector<Event>& seen) {
  std::stable_sort(seen.begin(), seen.end(),
                   [](const Event& a, const Event& b) { return a.at < b.at; });
}

CollisionBill find_collisions(std::vector<Event> seen, std::chrono::microseconds news) {
  put_in_order(seen);
  return Search{seen, news}.run();
}

}  // namespace fixkeep::client_sim
