// This file updates the indexes by which the directory finds and counts its rooms.
#include <algorithm>

#include "common/base/assert.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/warm_pool.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {
namespace {

// A room that only a hint names does not count as starting.
bool starts(const Room& room) {
  return room.phase == wire::RoomPhase::starting && !room.provisional;
}

}  // namespace

bool Directory::askable(const Room& room) {
  return room.takes_players() && !room.asked && room.free() > 0;
}

void Directory::unindex(Rooms& group, const Room& room) {
  if (askable(room)) group.askable.erase(room.id, room.free(), room.gathers());
  if (!starts(room)) return;
  --group.starting;
  uncount(room.client);
}

void Directory::index(Rooms& group, const Room& room) {
  if (askable(room)) group.askable.insert(room.id, room.free(), room.gathers());
  if (!starts(room)) return;
  ++group.starting;
  count(room.client);
}

void Directory::count(const ClientAddress& client) {
  if (!client.empty()) ++clients_[client];
}

void Directory::uncount(const ClientAddress& client) {
  const auto at = clients_.find(client);
  if (at != clients_.end() && --at->second == 0) clients_.erase(at);
}

bool Directory::has_seat(const Room& room, const PlayerId& player) const {
  return room.players.contains({hash_(player), player});
}

void Directory::seat(Room& room, const PlayerId& player) {
  Worker& worker = *worker_of(room.id.worker);
  const PlayerHash hash = hash_(player);
  if (worker.players >= wire::limits::players) return;
  const bool is_known = room.players.contains(hash);
  if (!room.players.insert({hash, player})) return;
  ++worker.players;
  if (!is_known) seats_.emplace(hash, &room);
}

void Directory::unseat(Room& room, const PlayerId& player) {
  if (!room.brought.empty()) room.brought.erase(player);
  const PlayerHash hash = hash_(player);
  if (!room.players.erase({hash, player})) return;
  --worker_of(room.id.worker)->players;
  if (!room.players.contains(hash)) forget_seats(room, hash);
}

void Directory::forget_seats(const Room& room, PlayerHash hash) {
  const auto [first, last] = seats_.equal_range(hash);
  const auto at = std::find_if(first, last, [&](const auto& seat) { return seat.second == &room; });
  FIXKEEP_ASSERT(at != last, to_string(room.id));
  seats_.erase(at);
}

void Directory::seat_all(Room& room, const std::vector<PlayerId>& players) {
  std::vector<HashedPlayer> hashed;
  hashed.reserve(players.size());
  for (const PlayerId& player : players) hashed.push_back({hash_(player), player});
  room.players = PlayerSet{std::move(hashed)};
  room.players.each_hash([&](PlayerHash hash) { seats_.emplace(hash, &room); });
  worker_of(room.id.worker)->players += room.players.size();
}

void Directory::unseat_all(Room& room) {
  room.players.each_hash([&](PlayerHash hash) { forget_seats(room, hash); });
  worker_of(room.id.worker)->players -= room.players.size();
  room.players = {};
}

void Directory::enter(Room& room) {
  Rooms& group = group_of(room.group);
  group.all.insert(room.id);
  if (room.provisional) ++provisional_;
  ++(wire::is_warm_pool(room.group) ? warm_ : in_use_[room.mode]);
  ++rooms_generation_;
  index(group, room);
}

void Directory::leave(const Room& room) {
  const auto at = groups_.find(room.group);
  FIXKEEP_ASSERT(at != groups_.end(), room.group.text());
  ++rooms_generation_;
  --(wire::is_warm_pool(room.group) ? warm_ : in_use_[room.mode]);
  Rooms& group = at->second;
  unindex(group, room);
  if (room.provisional) --provisional_;
  group.all.erase(room.id);
  if (group.all.empty()) groups_.erase(at);
}

}  // namespace fixkeep::master
