// A player of a claim brings this to a room by the rules of the mode. Workers keep it with the seat
// as a text: "1 1500 20" is team 1 and then the numbers in the order of the rules. If the rules
// have roles the player's roles follow as Member::roles. While the claim waits the milliseconds to
// each region follow, "-" where unmeasured. Then " !" and the hash of each avoided player follow.
//
// All players of a claim bring the same but for their roles: one request says it for all. Thread
// rule: free functions. Bounds: numbers_most, regions_most, avoided_most,
// wire::limits::brings_bytes. Errors: null if a text is not ours.
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

using Latencies = std::array<std::uint16_t, regions_most>;  // index: region; or `unmeasured`

struct Brings {
  std::uint32_t team = 0;
  std::array<std::int64_t, numbers_most> numbers{};  // values of the rules' numbers
  std::uint8_t roles = 0;                            // see Member::roles; 0 without roles
  std::optional<Latencies> latency_ms;  // latencies of a waiting claim, if the rules ask for them
  std::vector<PlayerHash> avoids{};     // players whom its claim avoids

  friend bool operator==(const Brings&, const Brings&) = default;
};

// Avoided players are compared by this hash. It has no secret key: all masters and the journals of
// workers have to agree. Two ids of one hash can be found among thousands of millions. Then one is
// avoided with the other.
[[nodiscard]] PlayerHash avoidable(const PlayerId& player);

[[nodiscard]] std::string to_text(const Brings& brings, const Rules& rules);
[[nodiscard]] std::optional<Brings> parse_brings(std::string_view text, const Rules& rules);

}  // namespace fixkeep::master::plan
