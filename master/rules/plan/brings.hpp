// The players of a claim bring this to a room, by the rules of their mode. Workers keep it with
// their seats, as a text: "1 1500 20" is team 1, and then the numbers in the order of the rules.
// While a claim waits, the milliseconds to each region follow, "-" where none were measured.
//
// All players of a claim bring the same, since their request says it for all of them. Thread rule:
// free functions. Bounds: numbers_most, regions_most, wire::limits::brings_bytes. Errors: nothing,
// if a text is none of ours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master::plan {

using Latencies = std::array<std::uint16_t, regions_most>;  // by region, or `unmeasured`

struct Brings {
  std::uint32_t team = 0;
  std::array<std::int64_t, numbers_most> numbers{};  // those that the rules have
  std::optional<Latencies> latency_ms;  // of a claim that waits, if the rules ask for it

  friend bool operator==(const Brings&, const Brings&) = default;
};

[[nodiscard]] std::string to_text(const Brings& brings, const Rules& rules);
[[nodiscard]] std::optional<Brings> parse_brings(std::string_view text, const Rules& rules);

}  // namespace fixkeep::master::plan
