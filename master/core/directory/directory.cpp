#include "master/core/directory/directory.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/warm_pool.hpp"
#include "master/core/seam/each_player.hpp"

namespace fixkeep::master {

const Worker* Directory::find(const WorkerId& worker) const {
  const auto at = workers_.find(worker);
  return at == workers_.end() ? nullptr : &at->second;
}

const Room* Directory::find(const RoomId& room) const {
  const Worker* worker = find(room.worker);
  if (worker == nullptr || worker->incarnation != room.incarnation) return nullptr;
  const auto at = worker->rooms.find(room.number);
  return at == worker->rooms.end() ? nullptr : &at->second;
}

const std::set<RoomId>& Directory::rooms_of(const GroupKey& group) const {
  static const std::set<RoomId> none;
  const auto at = groups_.find(group);
  return at == groups_.end() ? none : at->second.all;
}

std::size_t Directory::most_seats(const wire::Claim& claim) const {
  std::size_t most = 0;
  each_player(claim, [&](const PlayerId& player) {
    const HashedPlayer hashed{hash_(player), player};
    const auto [first, last] = seats_.equal_range(hashed.hash);
    const auto own = std::count_if(
        first, last, [&](const auto& seat) { return seat.second->players.contains(hashed); });
    most = std::max(most, static_cast<std::size_t>(own));
  });
  return most;
}

bool Directory::has_shown(const WorkerId& worker, const GroupKey& group,
                          const CreationId& creation) const {
  const Worker* known = find(worker);
  if (known != nullptr && known->closed.contains(group, creation)) return true;
  const std::set<RoomId>& rooms = rooms_of(group);
  return std::any_of(rooms.begin(), rooms.end(), [&](const RoomId& id) {
    const Room* room = find(id);
    return room != nullptr && room->id.worker == worker && !room->provisional &&
           room->creation == creation;
  });
}

const Room* Directory::next_room(const GroupKey& group, std::uint32_t seats,
                                 bool no_backfill) const {
  const auto at = groups_.find(group);
  if (at == groups_.end()) return nullptr;
  const RoomId* id = at->second.askable.first_with(seats, no_backfill);
  return id == nullptr ? nullptr : find(*id);
}

bool Directory::can_start(const ModeName& mode, std::uint32_t capacity) const {
  if (!rooms_of(wire::warm_pool_of(mode, capacity)).empty()) return true;
  return std::any_of(workers_.begin(), workers_.end(), [&](const auto& entry) {
    return entry.second.known && entry.second.room_left() > 0 && entry.second.starts(mode);
  });
}

std::size_t Directory::startable_rooms() const {
  std::size_t rooms = warm_;
  for (const auto& [id, worker] : workers_) {
    if (worker.known && !worker.behind && worker.gets_orders()) rooms += worker.room_left();
  }
  return rooms;
}

std::size_t Directory::starting_rooms(const GroupKey& group) const {
  const auto at = groups_.find(group);
  return at == groups_.end() ? 0 : at->second.starting;
}

std::uint32_t Directory::starting_rooms(const ClientAddress& client) const {
  const auto at = clients_.find(client);
  return at == clients_.end() ? 0 : at->second;
}

std::vector<wire::RoomHint> Directory::hints(const GroupKey& group) const {
  // Newest rooms first, because most likely the next holder does not know these rooms yet.
  std::vector<wire::RoomHint> found;
  std::vector<const Room*> open;
  for (const RoomId& id : rooms_of(group)) {
    const Room* room = find(id);
    if (room == nullptr) continue;
    const bool has_seats = room->takes_players() && room->free() > 0;
    // A match has one room. The next holder must know this room even if it is full.
    if (has_seats || wire::is_match(group)) open.push_back(room);
  }
  std::stable_sort(open.begin(), open.end(), [](const Room* left, const Room* right) {
    return left->creation.token > right->creation.token;
  });
  if (open.size() > wire::limits::hints) open.resize(wire::limits::hints);
  found.reserve(open.size());
  for (const Room* room : open) {
    found.push_back({room->id, room->mode, room->capacity, room->free()});
  }
  return found;
}

void Directory::attribute(const RoomId& id, const ClientAddress& client) {
  Room* room = room_of(id);
  if (room == nullptr) return;
  Rooms& group = group_of(room->group);
  unindex(group, *room);
  room->client = client;
  index(group, *room);
}

bool Directory::put(const WorkerId& worker, const wire::RoomInfo& info) {
  Worker* known = worker_of(worker);
  if (known == nullptr) return true;
  if (wire::has_opened(info.phase) && !info.place) return false;
  const RoomId id{worker, known->incarnation, info.number};
  GroupKey group = info.group;
  CreationId creation = info.creation;
  bool asked = false;
  bool known_before = false;
  ClientAddress client;
  if (const Room* before = room_of(id)) {
    if (!may_turn(before->group, info.group)) return false;
    // This news still shows a warm room: it is older than the lock value that gave the room to a
    // group.
    const bool outdated = before->group != info.group && wire::is_warm_pool(info.group);
    if (outdated) {
      group = before->group;
      creation = before->creation;
    }
    if (outdated && info.phase == wire::RoomPhase::closed) {
      known->closed.add(info.group, info.creation);
      return true;
    }
    known_before = true;
    asked = before->asked;
    client = before->client;
    if (before->group != group && !before->provisional) {
      known->closed.add(before->group, before->creation);
    }
    drop(id);
  }
  if (info.phase == wire::RoomPhase::closed) {
    known->closed.add(info.group, info.creation);
    return true;
  }
  if (known->rooms.size() >= wire::limits::rooms ||
      known->players + info.players.size() > wire::limits::players) {
    return false;
  }
  Room& room = known->rooms[info.number];
  room.id = id;
  room.group = std::move(group);
  room.mode = info.mode;
  room.phase = info.phase;
  room.place = info.place;
  room.capacity = info.capacity;
  room.creation = creation;
  room.occupied = info.occupied;
  room.unknown = info.unknown;
  room.stage = info.stage;
  room.wants = info.wants;
  room.opened_at = info.opened_at;
  room.asked = asked;
  room.client = std::move(client);
  for (std::size_t i = 0; i < info.brought.size(); ++i) {
    if (!info.brought[i].empty()) room.brought[info.players[i]] = info.brought[i];
  }
  if (info.match) room.match = std::make_shared<const wire::MatchFacts>(*info.match);
  seat_all(room, info.players);
  enter(room);
  if (!known_before && wire::is_warm_pool(room.group)) ++capacity_generation_;
  note(room);
  return true;
}

void Directory::change(const RoomId& id, const wire::RoomChange& change) {
  Room* room = room_of(id);
  if (room == nullptr) return;
  if (change.phase == wire::RoomPhase::closed) {
    remove(id);
    return;
  }
  Rooms& group = group_of(room->group);
  unindex(group, *room);
  room->phase = change.phase;
  room->occupied = change.occupied;
  room->unknown = change.unknown;
  room->stage = change.stage;
  room->wants = change.wants;
  room->denied_seats = 0;
  room->given_back = 0;
  room->opened_at = change.opened_at;
  for (const PlayerId& player : change.left) unseat(*room, player);
  for (const PlayerId& player : change.seated) seat(*room, player);
  index(group, *room);
  note(*room);
}

void Directory::seats_reserved(const RoomId& id, const wire::SeatReply& reply) {
  Room* room = room_of(id);
  if (room == nullptr) return;
  Rooms& group = group_of(room->group);
  unindex(group, *room);
  if (room->phase != reply.phase || room->stage != reply.stage || !reply.seated.empty())
    note(*room);
  room->phase = reply.phase;
  room->stage = reply.stage;
  room->opened_at = reply.opened_at;
  for (const PlayerId& player : reply.seated) {
    room->brought.erase(player);  // perhaps left by an earlier seat
    seat(*room, player);
  }
  index(group, *room);
}

void Directory::take_hinted(const RoomId& id, std::uint32_t seats) {
  Room* room = room_of(id);
  if (room == nullptr || !room->provisional) return;
  Rooms& group = group_of(room->group);
  unindex(group, *room);
  room->hinted_free -= std::min(room->hinted_free, seats);
  index(group, *room);
}

void Directory::give_back(const RoomId& id, std::uint32_t seats) {
  Room* room = room_of(id);
  if (room == nullptr) return;
  Rooms& group = group_of(room->group);
  unindex(group, *room);
  room->given_back = std::min(room->given_back + seats, room->capacity);
  room->denied_seats = 0;
  index(group, *room);
}

void Directory::denied(const RoomId& id, std::uint32_t seats) {
  Room* room = room_of(id);
  if (room == nullptr) return;
  Rooms& group = group_of(room->group);
  unindex(group, *room);
  room->given_back = 0;
  room->denied_seats = room->denied_seats == 0 ? seats : std::min(room->denied_seats, seats);
  index(group, *room);
}

void Directory::forget_denials(const GroupKey& key) {
  const auto at = groups_.find(key);
  if (at == groups_.end()) return;
  for (const RoomId& id : at->second.all) {
    Room* room = room_of(id);
    if (room == nullptr || room->denied_seats == 0) continue;
    unindex(at->second, *room);
    room->denied_seats = 0;
    index(at->second, *room);
  }
}

void Directory::set_asked(const RoomId& id, bool asked) {
  Room* room = room_of(id);
  if (room == nullptr) return;
  Rooms& group = group_of(room->group);
  unindex(group, *room);
  room->asked = asked;
  index(group, *room);
}

void Directory::remove(const RoomId& id) {
  const Room* room = room_of(id);
  if (room == nullptr) return;
  if (!room->provisional) worker_of(id.worker)->closed.add(room->group, room->creation);
  drop(id);
}

void Directory::drop(const RoomId& id) {
  Room* room = room_of(id);
  if (room == nullptr) return;
  note(*room);
  leave(*room);
  unseat_all(*room);
  worker_of(id.worker)->rooms.erase(id.number);
}

bool Directory::hint(const GroupKey& key, const wire::RoomHint& hint) {
  Worker* worker = worker_of(hint.room.worker);
  if (worker == nullptr || !worker->known) return false;
  if (worker->incarnation != hint.room.incarnation) return false;
  Room* before = room_of(hint.room);
  if (before != nullptr && wire::is_warm_pool(before->group) && !wire::is_warm_pool(key)) {
    give(*before, key);
    before->creation = {};  // no news yet has shown the order that gave the room to the group
    return true;
  }
  if (hint.room.number <= worker->newest_room) return false;
  if (hint.free == 0 || hint.free > hint.capacity) return false;
  if (worker->rooms.size() >= wire::limits::rooms) return false;
  const auto [at, added] = worker->rooms.try_emplace(hint.room.number);
  if (!added) return false;
  Room& room = at->second;
  room.id = hint.room;
  room.group = key;
  room.mode = hint.mode;
  room.capacity = hint.capacity;
  room.provisional = true;
  room.hinted_free = hint.free;
  enter(room);
  note(room);
  return true;
}

std::vector<RoomId> Directory::overtaken_hints(const WorkerId& id) const {
  std::vector<RoomId> overtaken;
  if (provisional_ == 0) return overtaken;
  const Worker* worker = find(id);
  if (worker == nullptr) return overtaken;
  for (const auto& [number, room] : worker->rooms) {
    if (number > worker->newest_room) break;
    if (room.provisional) overtaken.push_back(room.id);
  }
  return overtaken;
}

DirectoryNews Directory::take_news() {
  if (!keeps_news_) {
    keeps_news_ = true;
    for (auto& [id, worker] : workers_) {
      note(id);
      for (auto& [number, room] : worker.rooms) note(room);
    }
  }
  for (const RoomId& id : news_.rooms) {
    if (Room* room = room_of(id)) room->in_news = false;
  }
  return std::exchange(news_, {});
}

void Directory::note(Room& room) {
  if (!keeps_news_ || room.in_news) return;
  room.in_news = true;
  news_.rooms.push_back(room.id);
}

void Directory::note(const WorkerId& worker) {
  if (keeps_news_) news_.workers.push_back(worker);
}

Worker* Directory::worker_of(const WorkerId& worker) {
  const auto at = workers_.find(worker);
  return at == workers_.end() ? nullptr : &at->second;
}

Room* Directory::room_of(const RoomId& room) {
  return const_cast<Room*>(find(room));
}

Directory::Rooms& Directory::group_of(const GroupKey& group) {
  return groups_.try_emplace(group, placement_).first->second;
}

}  // namespace fixkeep::master
