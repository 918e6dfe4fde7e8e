// The values that a player brings to a room, as the rules of the mode require. Workers store these
// values as a text, together with the seat. "1 1500 20" is team 1, then the numbers in the order of
// the rules. If the rules have roles, the player's roles follow as Member::roles. While the claim
// waits, the milliseconds to each region follow. An unmeasured region has "-". Last are " !" and
// the hash of each avoided player.
//
// All players of a claim bring the same values, except for their roles, because one request
// describes all players. Thread rule: free functions. Bounds: numbers_most, regions_most,
// avoided_most, wire::limits::brings_bytes. Errors: null for an invalid text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master::plan {

using Latencies = std::array<std::uint16_t, regions_most>;  // index: region; may be `unmeasured`

struct Brings {
  std::uint32_t team = 0;
  std::array<std::int64_t, numbers_most> numbers{};  // values of the rules' numbers
  std::uint8_t roles = 0;                            // see Member::roles; 0 without roles
  std::optional<Latencies> latency_ms;  // latencies of a waiting claim, if the rules need these
  std::vector<PlayerHash> avoids{};     // players that the claim avoids

  friend bool operator==(const Brings&, const Brings&) = default;
};

// Returns the hash by which avoided players are compared. The hash has no secret key, because all
// masters and the journals of workers must agree. A person who tries thousands of millions of ids
// can find two ids with one hash. A player who avoids one of these two ids then avoids both.
[[nodiscard]] PlayerHash avoidable(const PlayerId& player);

[[nodiscard]] std::string to_text(const Brings& brings, const Rules& rules);
[[nodiscard]] std::optional<Brings> parse_brings(std::string_view text, const Rules& rules);
// Reads only the team. The text may be of other rules.
[[nodiscard]] std::optional<std::uint32_t> parse_team(std::string_view text);

}  // namespace fixkeep::master::plan
