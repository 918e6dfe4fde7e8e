// A replay applies the rules to arrivals in simulated time, with a master's planner.
//
// The planner decides every `tick`. A room accepts newcomers for `session` after its start. A
// ticket leaves after a wait of Rules::wait.
// Thread rule: a free function. Bounds: those of the planner; a pool with tickets_most waiting
// tickets refuses more tickets. Errors: none.
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
  std::uint32_t players = 0;  // players of the room, including later players
  std::int64_t spread = 0;    // spread by the first distance rule, at the start
  std::int64_t gap = 0;       // largest gap between the teams' sums, at the start
  bool has_gap = false;
};

struct Replayed {
  std::vector<TicketEnd> tickets;  // in the order of arrival
  // The time that a master would estimate for each ticket on arrival: nine of ten tickets are
  // seated within this time.
  std::vector<std::optional<Duration>> told_p90;
  std::vector<RoomEnd> rooms;
  std::uint64_t decisions = 0;
  std::uint64_t passed = 0;  // how often tickets were passed over
};

[[nodiscard]] Replayed replay(const master::plan::Rules& rules,
                              const std::vector<Arrival>& arrivals, const ReplayOptions& options);

}  // namespace fixkeep::client_sim::replay
