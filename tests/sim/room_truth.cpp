// What is true of a room, from turn to turn of its worker.
#include <algorithm>

#include "tests/sim/invariants.hpp"

namespace fixkeep::sim {

std::size_t Invariants::RoomTruth::note_players(const std::vector<PlayerId>& sorted, SimTime now) {
  const auto same = [](const auto& known, const PlayerId& player) { return known.first == player; };
  if (std::equal(players.begin(), players.end(), sorted.begin(), sorted.end(), same)) return 0;
  std::size_t fresh = 0;
  std::map<PlayerId, SimTime> changed;
  for (const PlayerId& player : sorted) {
    const auto before = players.find(player);
    fresh += static_cast<std::size_t>(before == players.end());
    changed.emplace(player, before == players.end() ? now : before->second);
  }
  players = std::move(changed);
  return fresh;
}

void Invariants::RoomTruth::note_free(std::uint32_t now_free, std::size_t newcomers, SimTime now) {
  if (free.empty()) {
    free.emplace_back(now, now_free);
    return;
  }
  if (turn != now) {
    turn = now;
    free_before = free.back().second;
    taken_in_turn = 0;
  }
  taken_in_turn += static_cast<std::uint32_t>(newcomers);
  const std::uint32_t told_first = free_before - std::min(taken_in_turn, free_before);
  if (newcomers > 0 && told_first < now_free) free.emplace_back(now, told_first);
  if (free.back().second != now_free) free.emplace_back(now, now_free);
}

}  // namespace fixkeep::sim
