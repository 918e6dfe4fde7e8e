// The match of a room: players that join late, and players that leave.
#include <algorithm>

#include "common/wire/limits.hpp"
#include "worker/core/room_host_internals.hpp"

namespace fixkeep::worker {

bool RoomHost::Impl::enter_match(Room& room, const wire::Claim& claim) {
  wire::MatchFacts& match = *room.match;
  if (!claim.match->joins) return match.same_body(*claim.match);
  std::vector<wire::MatchPlayer> joining;
  for (const wire::MatchPlayer& player : claim.match->players) {
    if (match.find(player.player) == nullptr) joining.push_back(player);
  }
  if (match.players.size() + joining.size() > room.seats.capacity()) return false;
  if (match.bytes() + claim.match->bytes() > wire::limits::match_bytes) return false;
  if (joining.empty()) return true;
  match.players.insert(match.players.end(), joining.begin(), joining.end());
  match_changed(room);
  return true;
}

void RoomHost::Impl::leave_match(Room& room, const std::vector<PlayerId>& players) {
  if (!room.match) return;
  const auto leaves = [&](const wire::MatchPlayer& each) {
    return std::ranges::find(players, each.player) != players.end();
  };
  if (std::erase_if(room.match->players, leaves) > 0) match_changed(room);
}

// Masters get the whole room, and the room's record is written again.
void RoomHost::Impl::match_changed(Room& room) {
  news.renewed(room);
  out->emplace_back(TellMatch{room.number, *told_match(room)});
}

}  // namespace fixkeep::worker
