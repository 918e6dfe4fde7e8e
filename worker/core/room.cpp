#include "worker/core/room.hpp"

#include <algorithm>
#include <string>

#include "common/base/assert.hpp"

namespace fixkeep::worker {

const Seat* Seats::find(const PlayerId& player) const {
  const auto found = seats_.find(player);
  return found == seats_.end() ? nullptr : &found->second;
}

std::vector<PlayerId> Seats::newcomers(const wire::Claim& claim) const {
  std::vector<PlayerId> result;
  const auto consider = [&](const PlayerId& player) {
    if (seats_.contains(player)) return;
    if (std::find(result.begin(), result.end(), player) != result.end()) return;
    result.push_back(player);
  };
  consider(claim.player);
  for (const PlayerId& player : claim.party) consider(player);
  return result;
}

void Seats::reserve(const PlayerId& player, std::uint64_t stamp) {
  Seat& seat = seats_[player];
  FIXKEEP_ASSERT(seats_.size() <= capacity_, "capacity " + std::to_string(capacity_));
  if (!seat.occupied) seat.stamp = stamp;
}

void Seats::occupy(const PlayerId& player) {
  const auto found = seats_.find(player);
  FIXKEEP_ASSERT(found != seats_.end(), player.text());
  if (found->second.occupied) return;
  found->second.occupied = true;
  ++occupied_;
}

void Seats::free(const PlayerId& player) {
  const auto found = seats_.find(player);
  FIXKEEP_ASSERT(found != seats_.end(), player.text());
  if (found->second.occupied) --occupied_;
  seats_.erase(found);
}

wire::RoomInfo info_of(const Room& room) {
  wire::RoomInfo info;
  info.number = room.number;
  info.group = room.group;
  info.mode = room.mode;
  info.phase = room.phase;
  info.port = room.port;
  info.capacity = room.seats.capacity();
  info.creation = room.creation;
  info.occupied = room.seats.occupied();
  info.players.reserve(room.seats.taken());
  for (const auto& [player, seat] : room.seats.all()) info.players.push_back(hash_of(player));
  return info;
}

}  // namespace fixkeep::worker
