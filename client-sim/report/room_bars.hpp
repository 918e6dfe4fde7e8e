// A bar for each room of a run: when it was ordered, when its game was started, when it opened and
// when it closed; with its group, the master that ordered it, its worker, and whether its order
// collided.
//
// Thread rule: pure functions. Bounds: `most` rooms are shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client-sim/judge/timeline.hpp"
#include "client-sim/report/svg_text.hpp"

namespace fixkeep::client_sim {

inline constexpr std::size_t most_room_bars = 40;

struct ChosenRooms {
  std::vector<const RoomLife*> rooms;  // by group, then by time
  std::size_t left_out = 0;
  std::size_t collided_left_out = 0;  // of these
};

// If there are too many: first those whose orders collided, each with the room that had the seats,
// then the others by the time of their order. REQUIRES: `timeline` outlives what comes back.
[[nodiscard]] ChosenRooms choose_rooms(const Timeline& timeline, std::size_t most);

[[nodiscard]] Drawing room_bars(const std::string& lock, const Timeline& timeline,
                                const ChosenRooms& chosen);

}  // namespace fixkeep::client_sim
