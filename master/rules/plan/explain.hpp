// Explains the wait of one ticket: the number of others that each rule keeps from it, the nearest
// one and the missing players and roles. The waiting client is told so (docs/api.md).
//
// A rule *refuses* another ticket if no room that may start now can have both. Neither of the two
// lets the other one in. Nor does an older ticket that takes this one into its room. A rule refuses
// a room that cannot take the ticket. More than one rule may refuse the same.
//
//   nearest  the refused ticket that the limits of the two alone let in first; if they never do,
//            the one that the fewest rules refuse, by the least.
//   missing  players and roles that are wanting even if all unrefused players came. If it is empty
//            the players make no teams or keep each other apart.
//
// No tickets meet where no room can be made: latency refuses tickets that could only meet there.
//
// A pure function of whole numbers like the plan. Thread rule: free function and values. Bounds:
// two looks at each ticket and one at each room. Errors: none.
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

// The first numbers_most belong to Rules::distances.
enum class Refuser : std::uint8_t {
  distance,
  latency = numbers_most,
  size,   // too many players for a room, or for a team
  teams,  // the sums of a room's teams would be too far apart
  roles,
  avoid,
};
inline constexpr std::size_t refusers_most = numbers_most + 5;

// "distance" and so on
[[nodiscard]] std::string_view to_string(Refuser refuser);

struct Explanation {
  struct Refused {
    std::uint32_t tickets = 0;
    std::uint32_t rooms = 0;

    friend bool operator==(const Refused&, const Refused&) = default;
  };
  struct Nearest {
    Refuser by{};
    bool room = false;            // it is one, and no ticket
    std::int64_t beyond = 0;      // distance or ms above the limit; else 0
    std::optional<TimePoint> at;  // null: no step lets it in

    friend bool operator==(const Nearest&, const Nearest&) = default;
  };

  std::uint32_t tickets = 0;  // other waiting tickets
  std::uint32_t rooms = 0;    // rooms with free seats
  std::uint32_t meets = 0;    // tickets that no rule refuses
  std::array<Refused, refusers_most> refused{};
  std::optional<Nearest> nearest;
  std::uint32_t players_missing = 0;
  std::optional<TimePoint> enough_at;  // then those who are there are enough for the least size
  std::array<std::uint32_t, roles_most> roles_missing{};
  // Bit r: the ticket may play in region r now and no room can be made there.
  std::uint32_t regions_full = 0;

  friend bool operator==(const Explanation&, const Explanation&) = default;
};

// `regions` as in Budget. REQUIRES: `waiting` was loaded with these rules and this time.
[[nodiscard]] Explanation explain(const Rules& rules, const Waiting& waiting,
                                  std::span<const Room> rooms, Rank ticket, TimePoint now,
                                  std::uint32_t regions);

}  // namespace fixkeep::master::plan
