// The number of players in a game, as the game reports it. Thread rule: a value.
#pragma once

#include <cstdint>
#include <optional>

namespace fixkeep::probe {

struct PlayerCount {
  std::uint32_t players = 0;             // without bots
  std::optional<std::uint32_t> bots;     // set if the game reports it
  std::optional<std::uint32_t> maximum;  // set if the game reports it

  friend bool operator==(const PlayerCount&, const PlayerCount&) = default;
};

}  // namespace fixkeep::probe
