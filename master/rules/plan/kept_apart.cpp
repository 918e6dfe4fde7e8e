#include "master/rules/plan/kept_apart.hpp"

#include <algorithm>
#include <bit>

namespace fixkeep::master::plan {

void RoomsByPlayer::clear(std::size_t players) {
  nodes_.clear();
  const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(players, 2));
  heads_.assign(buckets, 0);
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(buckets));
}

void RoomsByPlayer::add(PlayerHash player, std::uint32_t room) {
  std::uint32_t& head = heads_[bucket(player)];
  nodes_.push_back({player, room, head});
  head = static_cast<std::uint32_t>(nodes_.size());
}

void KeptApart::load(const std::vector<const Room*>& rooms) {
  std::size_t players = 0;
  std::size_t avoided = 0;
  for (const Room* room : rooms) {
    players += room->players.size();
    avoided += room->avoided.size();
  }
  seated_.clear(players);
  avoided_.clear(avoided);
  for (std::uint32_t i = 0; i < rooms.size(); ++i) {
    for (const PlayerHash player : rooms[i]->players) seated_.add(player, i);
    for (const PlayerHash player : rooms[i]->avoided) avoided_.add(player, i);
  }
  marks_.assign(rooms.size(), 0);
  mark_ = 0;
}

void KeptApart::add(const Entry& entry, std::uint32_t room) {
  for (const Member& member : entry.ticket->members) seated_.add(member.player, room);
  if (!entry.heeds) return;
  for (const PlayerHash player : entry.ticket->avoids) avoided_.add(player, room);
}

std::uint64_t KeptApart::ask(const Entry& entry) {
  ++mark_;
  std::uint64_t looks = 0;
  const auto mark = [&](std::uint32_t room) { marks_[room] = mark_; };
  for (const Member& member : entry.ticket->members) looks += avoided_.each(member.player, mark);
  if (!entry.heeds) return looks;
  for (const PlayerHash player : entry.ticket->avoids) looks += seated_.each(player, mark);
  return looks;
}

}  // namespace fixkeep::master::plan
