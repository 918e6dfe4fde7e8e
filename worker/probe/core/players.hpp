// The number of players on a game is read here from what the game says. Thread rule: a value.
#pragma once

#include <cstdint>
#include <optional>

namespace fixkeep::probe {

struct PlayerCount {
  std::uint32_t players = 0;             // without bots, unless they count
  std::optional<std::uint32_t> bots;     // if the game tells
  std::optional<std::uint32_t> maximum;  // likewise

  friend bool operator==(const PlayerCount&, const PlayerCount&) = default;
};

}  // namespace fixkeep::probe
