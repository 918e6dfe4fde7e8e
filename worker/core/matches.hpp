// For matches that a service has made (common/wire/match.hpp): changes the players of a match, and
// remembers ended matches. The room of an ended match has ended at this worker, and no master may
// make another room for the match.
//
// An ended match is remembered for the time `memory`. Beyond `most` matches, the oldest are
// forgotten early. Thread rule: one owner. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <set>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/limits.hpp"
#include "worker/core/memory.hpp"

namespace fixkeep::worker {

enum class Entry : std::uint8_t { refused, known, joined };

// Lets the players of a claim enter the match. Refused: the match would have too many players or
// bytes, or the claim has no `joins` and describes the match differently.
[[nodiscard]] inline Entry enter_match(wire::MatchFacts& match, const wire::MatchFacts& claim,
                                       std::uint32_t capacity) {
  if (!claim.joins) return match.same_body(claim) ? Entry::known : Entry::refused;
  std::vector<wire::MatchPlayer> joining;
  for (const wire::MatchPlayer& player : claim.players) {
    if (match.find(player.player) == nullptr) joining.push_back(player);
  }
  if (match.players.size() + joining.size() > capacity) return Entry::refused;
  if (match.bytes() + claim.bytes() > wire::limits::match_bytes) return Entry::refused;
  match.players.insert(match.players.end(), joining.begin(), joining.end());
  return joining.empty() ? Entry::known : Entry::joined;
}

// Removes the players from the match. Returns whether any of them was in it.
[[nodiscard]] inline bool leave_match(wire::MatchFacts& match,
                                      const std::vector<PlayerId>& players) {
  return std::erase_if(match.players, [&](const wire::MatchPlayer& each) {
           return std::ranges::find(players, each.player) != players.end();
         }) > 0;
}

class EndedMatches {
 public:
  static constexpr Duration memory = std::chrono::hours{1};
  static constexpr std::size_t most = Memory::most_creations;

  [[nodiscard]] bool contains(const GroupKey& group) const { return groups_.contains(group); }
  // Returns false if the match was already stored as ended.
  bool add(const MatchEnded& ended) {
    if (!groups_.insert(ended.group).second) return false;
    by_age_.push_back(ended);
    if (by_age_.size() > most) forget_oldest();
    return true;
  }
  [[nodiscard]] TimePoint next_tick() const {
    return by_age_.empty() ? TimePoint::max() : by_age_.front().at + memory;
  }
  void forget_old(TimePoint now) {
    while (next_tick() <= now) forget_oldest();
  }
  void snapshot(Records& out) const {
    for (const MatchEnded& ended : by_age_) out.emplace_back(ended);
  }

 private:
  void forget_oldest() {
    groups_.erase(by_age_.front().group);
    by_age_.pop_front();
  }

  std::set<GroupKey> groups_;
  std::deque<MatchEnded> by_age_;
};

}  // namespace fixkeep::worker
