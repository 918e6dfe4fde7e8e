#include "master/core/directory/duplicate_watch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/wire/warm_pool.hpp"

namespace fixkeep::master {
namespace {

// The free seats of needed rooms, each with the token of the grant that made the room.
class FreeSeats {
 public:
  void add(const FencingToken& token, std::uint32_t free) { free_.push_back({free, token}); }

  // Takes the seats in one room that another grant made. Returns false if no such room has enough
  // seats.
  [[nodiscard]] bool take(const FencingToken& token, std::uint32_t seats) {
    const auto fits = std::find_if(free_.begin(), free_.end(), [&](const Spare& spare) {
      return spare.seats >= seats && spare.token != token;
    });
    if (fits == free_.end()) return false;
    fits->seats -= seats;
    return true;
  }

 private:
  struct Spare {
    std::uint32_t seats = 0;
    FencingToken token;
  };
  std::vector<Spare> free_;
};

}  // namespace

void DuplicateWatch::ordered(const wire::SpawnRoom& order, const Directory& directory,
                             TimePoint now) {
  counts_.try_emplace(order.mode, 0);
  if (wire::is_warm_pool(order.group)) return;
  const auto same = [&](const Watch& watch) {
    return watch.group == order.group && watch.token == order.creation.token;
  };
  const auto known = std::find_if(watches_.begin(), watches_.end(), same);
  if (known != watches_.end()) {
    known->orders.insert(order.creation);
    return;
  }
  if (watches_.size() >= watches_most) return;
  Watch& watch = watches_.emplace_back(Watch{.group = order.group,
                                             .token = order.creation.token,
                                             .ends = now + watched_for,
                                             .known = {},
                                             .orders = {order.creation},
                                             .most_taken = {}});
  for (const auto& [id, worker] : directory.workers()) {
    watch.known[id] = {worker.incarnation, worker.newest_room};
  }
}

void DuplicateWatch::look(const Directory& directory, TimePoint now) {
  if (watches_.empty() || now < next_look_) return;
  next_look_ = now + look_every;
  for (Watch& watch : watches_) look(watch, directory);
  while (!watches_.empty() && watches_.front().ends <= now) {
    judge(watches_.front(), directory);
    watches_.pop_front();
  }
}

void DuplicateWatch::look(Watch& watch, const Directory& directory) {
  const auto& rooms = directory.rooms_of(watch.group);
  for (const auto& [id, worker] : directory.workers()) {
    RoomId newest{id, worker.incarnation, RoomNumber{0}};
    const auto known = watch.known.find(id);
    if (known != watch.known.end() && known->second.incarnation == worker.incarnation) {
      newest.number = known->second.newest;
    }
    for (auto at = rooms.upper_bound(newest); at != rooms.end() && at->worker == id; ++at) {
      const Room* room = directory.find(*at);
      if (room == nullptr || room->provisional) continue;
      auto& most = watch.most_taken[*at];
      most = std::max(most, static_cast<std::uint32_t>(room->players.size()));
    }
  }
}

void DuplicateWatch::judge(const Watch& watch, const Directory& directory) {
  std::vector<std::pair<const Room*, std::uint32_t>> rooms;  // room, highest number of taken seats
  for (const auto& [id, most] : watch.most_taken) {
    const Room* room = directory.find(id);
    if (room != nullptr && room->takes_players()) rooms.emplace_back(room, most);
  }
  std::sort(rooms.begin(), rooms.end(), [](const auto& one, const auto& other) {
    return one.first->creation < other.first->creation;
  });
  FreeSeats spare;
  for (const auto& [room, taken] : rooms) {
    const FencingToken& token = room->creation.token;
    if (taken > 0 && spare.take(token, taken)) {
      if (watch.orders.contains(room->creation)) ++counts_[room->mode];
    } else {
      const bool refuses = room->stage == RoomStage::no_newcomers;
      spare.add(token, refuses ? 0 : room->capacity - std::min(taken, room->capacity));
    }
  }
}

std::uint64_t DuplicateWatch::total() const {
  std::uint64_t sum = 0;
  for (const auto& [mode, count] : counts_) sum += count;
  return sum;
}

}  // namespace fixkeep::master
