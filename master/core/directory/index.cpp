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

Directory::Seats::const_iterator Directory::seat_of(const Room& room, const PlayerId& player,
                                                    PlayerHash hash) const {
  const auto [first, last] = seats_.equal_range(hash);
  const auto at = std::find_if(first, last, [&](const auto& seat) {
    return seat.second.player == player && seat.second.room == room.id;
  });
  return at == last ? seats_.end() : at;
}

bool Directory::has_seat(const Room& room, const PlayerId& player) const {
  return seat_of(room, player, hash_(player)) != seats_.end();
}

void Directory::seat(Room& room, const PlayerId& player) {
  Worker& worker = *worker_of(room.id.worker);
  const PlayerHash hash = hash_(player);
  if (worker.players >= wire::limits::players || seat_of(room, player, hash) != seats_.end()) {
    return;
  }
  ++worker.players;
  room.players.insert(hash);
  seats_.emplace(hash, KnownSeat{player, room.id});
}

void Directory::unseat(Room& room, const PlayerId& player) {
  const PlayerHash hash = hash_(player);
  const auto at = seat_of(room, player, hash);
  if (at == seats_.end()) return;
  --worker_of(room.id.worker)->players;
  room.players.erase(hash);
  seats_.erase(at);
}

void Directory::seat_all(Room& room, std::vector<PlayerId> players) {
  std::sort(players.begin(), players.end());
  players.erase(std::unique(players.begin(), players.end()), players.end());
  std::vector<PlayerHash> hashes;
  hashes.reserve(players.size());
  for (PlayerId& player : players) {
    hashes.push_back(hash_(player));
    seats_.emplace(hashes.back(), KnownSeat{std::move(player), room.id});
  }
  room.players = PlayerSet{std::move(hashes)};
  worker_of(room.id.worker)->players += room.players.size();
}

void Directory::unseat_all(Room& room) {
  for (const PlayerHash hash : room.players) {
    const auto [first, last] = seats_.equal_range(hash);
    const auto at =
        std::find_if(first, last, [&](const auto& seat) { return seat.second.room == room.id; });
    FIXKEEP_ASSERT(at != last, to_string(room.id));
    seats_.erase(at);
  }
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
