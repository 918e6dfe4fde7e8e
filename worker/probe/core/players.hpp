// The number of players in a game as the game tells it. Thread rule: a value.
#pragma once

#include <cstdint>
#include <optional>

namespace fixkeep::probe {

struct PlayerCount {
  std::uint32_t players = 0;             // without bots
  std::optional<std::uint32_t> bots;     // present if the game tells
  std::optional<std::uint32_t> maximum;  // present if the game tells

  friend bool operator==(const PlayerCount&, const PlayerCount&) = default;
};

}  // namespace fixkeep::probe
