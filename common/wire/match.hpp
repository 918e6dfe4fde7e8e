// A match that was made elsewhere: a service names its id, and the cluster makes one room for it.
//
// The match is a group of its own, so lock, fence and creation ids see to it that there is one
// room. The group's key contains only the id. Thus two different requests with one id compete for
// one lock. The room's worker keeps the facts of the match as long as it keeps the room; every
// master gets these facts with the room's RoomInfo. Thread rule: values. Bounds: limits.hpp.
// Errors: none here; the codec checks all bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/percent.hpp"

namespace fixkeep::wire {

// No other key begins with a slash: a key from attributes begins with the name of its mode, which
// is not empty.
inline constexpr std::string_view match_prefix = "/match/";

[[nodiscard]] inline GroupKey match_group_of(std::string_view id) {
  std::string key{match_prefix};
  append_percent_encoded(id, "-._~", key);
  return GroupKey{std::move(key)};
}

[[nodiscard]] inline bool is_match(const GroupKey& group) {
  return group.text().starts_with(match_prefix);
}

// Returns an empty text if the group is no match.
[[nodiscard]] inline std::string match_id_of(const GroupKey& group) {
  if (!is_match(group)) return {};
  return percent_decoded(std::string_view{group.text()}.substr(match_prefix.size())).value_or("");
}

struct MatchPlayer {
  PlayerId player;
  std::string team;        // empty: none
  std::string attributes;  // a JSON object for the game; empty: none

  friend bool operator==(const MatchPlayer&, const MatchPlayer&) = default;
};

struct MatchFacts {
  GroupKey told;  // mode and attributes, as an ordinary group's key
  // Hashes of two parts of the service's request: the players with their teams, and the metadata.
  std::uint64_t teams_hash = 0;
  std::uint64_t metadata_hash = 0;
  bool joins = false;  // a claim of players that join the match late
  std::vector<MatchPlayer> players;
  std::string metadata;  // a JSON object for the game; empty: none, or left out

  [[nodiscard]] bool same_body(const MatchFacts& other) const {
    return told == other.told && teams_hash == other.teams_hash &&
           metadata_hash == other.metadata_hash;
  }
  [[nodiscard]] const MatchPlayer* find(const PlayerId& player) const {
    const auto at = std::ranges::find(players, player, &MatchPlayer::player);
    return at == players.end() ? nullptr : &*at;
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = 64 + told.text().size() + metadata.size();
    for (const MatchPlayer& each : players) {
      bytes += 16 + each.player.text().size() + each.team.size() + each.attributes.size();
    }
    return bytes;
  }
  friend bool operator==(const MatchFacts&, const MatchFacts&) = default;
};

}  // namespace fixkeep::wire
