// A replay leads arrivals through the rules in simulated time with the planner of a master.
//
// A decision is made every `tick`. A room takes newcomers for `session` after its start. A ticket
// leaves after Rules::wait.
// Thread rule: a free function. Bounds: a plan's; a pool turns tickets away beyond tickets_most
// waiting ones. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/replay/arrivals.hpp"

namespace fixkeep::client_sim::replay {

struct ReplayOptions {
  Duration tick = std::chrono::seconds{1};
  Duration session = std::chrono::minutes{10};
};

struct TicketEnd {
  enum class What : std::uint8_t { seated, left, refused };
  What what = What::left;
  Duration waited{};
  std::uint32_t room = 0;  // index into Replayed::rooms, if seated
  std::uint16_t latency_ms = 0;
};

struct RoomEnd {
  Duration started{};
  std::uint32_t players_at_start = 0;
  std::uint32_t players = 0;  // players of the room, later ones included
  std::int64_t spread = 0;    // spread of the first distance, at the start
  std::int64_t gap = 0;       // largest gap between the sums of its teams, at the start
  bool has_gap = false;
};

struct Replayed {
  std::vector<TicketEnd> tickets;  // ends of the tickets, in the order of arrival
  // A master would have told each of them so when it came: nine of ten get a seat within that.
  std::vector<std::optional<Duration>> told_p90;
  std::vector<RoomEnd> rooms;
  std::uint64_t decisions = 0;
  std::uint64_t passed = 0;  // times that a ticket was passed over
};

[[nodiscard]] Replayed replay(const master::plan::Rules& rules,
                              const std::vector<Arrival>& arrivals, const ReplayOptions& options);

}  // namespace fixkeep::client_sim::replay
