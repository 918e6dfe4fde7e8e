// Explains why one ticket waits: how many other tickets each rule refuses, the nearest refused
// ticket, and missing players and roles. The waiting client gets this explanation (docs/api.md).
//
// A rule *refuses* another ticket if no room that may start now can contain both tickets. A room
// may start if the limits of the two tickets allow this, or the limits of an older ticket whose
// room includes this ticket. A rule also refuses a room that cannot accept the ticket. Several
// rules may refuse the same ticket.
//
//   nearest  the refused ticket that the limits of both tickets allow first. If the limits never
//            allow any ticket, the ticket that the fewest rules refuse, with the smallest excess.
//   missing  players and roles that all unrefused tickets together lack. If nothing is
//            missing, the players make no teams or avoid each other.
//
// Tickets do not meet in a region without capacity: the rule `latency` refuses tickets that could
// only meet in that region.
//
// Like the plan, this is a pure function of whole numbers. Thread rule: free function and values.
// Bounds: two visits to each ticket, one visit to each room. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/base/time.hpp"
#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/ticket.hpp"
#include "master/rules/plan/waiting.hpp"

namespace fixkeep::master::plan {

// The first numbers_most values belong to Rules::distances.
enum class Refuser : std::uint8_t {
  distance,
  latency = numbers_most,
  size,   // too many players for a room or team
  teams,  // the sums of a room's teams would be too far apart
  roles,
  avoid,
};
inline constexpr std::size_t refusers_most = numbers_most + 5;

// Returns the name of the rule, for example "distance".
[[nodiscard]] std::string_view to_string(Refuser refuser);

struct Explanation {
  struct Refused {
    std::uint32_t tickets = 0;
    std::uint32_t rooms = 0;

    friend bool operator==(const Refused&, const Refused&) = default;
  };
  struct Nearest {
    Refuser by{};
    bool room = false;            // whether a room is nearest, not a ticket
    std::int64_t beyond = 0;      // distance or ms above the limit, or 0
    std::optional<TimePoint> at;  // null: no step allows it

    friend bool operator==(const Nearest&, const Nearest&) = default;
  };

  std::uint32_t tickets = 0;  // other waiting tickets
  std::uint32_t rooms = 0;    // rooms with free seats
  std::uint32_t meets = 0;    // tickets that no rule refuses
  std::array<Refused, refusers_most> refused{};
  std::optional<Nearest> nearest;
  std::uint32_t players_missing = 0;
  std::optional<TimePoint> enough_at;  // time when the present players suffice for the least size
  std::array<std::uint32_t, roles_most> roles_missing{};
  // Bit r: the ticket may play in region r now, but no room can start there.
  std::uint32_t regions_full = 0;

  friend bool operator==(const Explanation&, const Explanation&) = default;
};

// `regions` as in Budget. REQUIRES: `waiting` was loaded with these rules and this time.
[[nodiscard]] Explanation explain(const Rules& rules, const Waiting& waiting,
                                  std::span<const Room> rooms, Rank ticket, TimePoint now,
                                  std::uint32_t regions);

}  // namespace fixkeep::master::plan
