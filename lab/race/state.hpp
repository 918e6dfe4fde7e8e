// The state of a race as GET /state reports it to the page.
//
// Thread rule: values and a free function. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/race/round_view.hpp"
#include "lab/race/settings.hpp"

namespace fixkeep::client_sim {

enum class RaceStage : std::uint8_t {
  filling,  // groups of players start
  full,     // all players have seats and play
  leaving,  // players leave and rooms close
};

// The figures of one round or of all rounds.
struct RaceTally {
  std::uint64_t rooms = 0;
  std::uint64_t needed = 0;  // sum over groups of ⌈players asking / seats of a room⌉; 0 with pools
  std::uint64_t refused = 0;  // orders refused by workers
  std::uint64_t asked = 0;
  std::uint64_t seated = 0;  // players seated in their room
  std::uint64_t failed = 0;  // players that gave up
  CollisionCost cost;
  std::uint64_t two_holders = 0;  // grants of a group's lock while another master held it

  RaceTally& operator+=(const RaceTally& other);
};

struct ContestantState {
  std::string lock;
  bool judged = true;            // false: events of this round were lost with a killed master
  std::vector<RacedRoom> rooms;  // this round's rooms; the index is the room's id
  RaceTally round;
  RaceTally total;          // sum over all rounds, present round included
  double match_p50_ms = 0;  // median time of the latest seated players; 0: none yet
  double match_p90_ms = 0;
  double spread_p50 = 0;  // pools: median of (highest − lowest number) in the last 4 096 rooms
  double spread_p90 = 0;
};

struct RaceState {
  std::uint64_t round = 1;
  RaceStage stage = RaceStage::filling;
  RaceSettings settings;
  std::size_t masters = 0;  // masters of each cluster
  std::size_t workers = 0;
  std::uint32_t capacity = 0;
  std::uint32_t group_players = 0;
  bool rules = false;                // each group is a pool
  std::vector<std::uint64_t> asked;  // players in each group that have asked this round
  std::vector<ContestantState> contestants;
};

[[nodiscard]] std::string to_json(const RaceState& state);

}  // namespace fixkeep::client_sim
