// The indexes by which the directory finds and counts its rooms are kept here.
#include <algorithm>

#include "common/base/assert.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/warm_pool.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {
namespace {

// A room that only a hint tells of is not known to start.
bool starts(const Room& room) {
  return room.phase == wire::RoomPhase::starting && !room.provisional;
}

}  // namespace

bool Directory::askable(const Room& room) {
  return room.takes_players() && !room.asked && room.free() > 0;
}

void Directory::unindex(Rooms& group, const Room& room) {
  if (askable(room)) group.askable.erase(room.id, room.free());
  if (!starts(room)) return;
  --group.starting;
  uncount(room.client);
}

void Directory::index(Rooms& group, const Room& room) {
  if (askable(room)) group.askable.insert(room.id, room.free());
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

void Directory::seat(Room& room, PlayerHash player) {
  Worker& worker = *worker_of(room.id.worker);
  if (worker.players >= wire::limits::players || !room.players.insert(player)) return;
  ++worker.players;
  seats_.emplace(player, room.id);
}

void Directory::unseat(Room& room, PlayerHash player) {
  if (!room.players.erase(player)) return;
  --worker_of(room.id.worker)->players;
  forget_seat(room, player);
}

void Directory::forget_seat(const Room& room, PlayerHash player) {
  const auto [first, last] = seats_.equal_range(player);
  const auto at =
      std::find_if(first, last, [&](const auto& seat) { return seat.second == room.id; });
  if (at != last) seats_.erase(at);
}

void Directory::enter(Room& room) {
  Rooms& group = group_of(room.group);
  group.all.insert(room.id);
  for (const PlayerHash player : room.players) seats_.emplace(player, room.id);
  worker_of(room.id.worker)->players += room.players.size();
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
  for (const PlayerHash player : room.players) forget_seat(room, player);
  worker_of(room.id.worker)->players -= room.players.size();
  if (room.provisional) --provisional_;
  group.all.erase(room.id);
  if (group.all.empty()) groups_.erase(at);
}

}  // namespace fixkeep::master
