// The players of a claim bring this to a room, by the rules of their mode. Workers keep it with
// their seats, as a text: "1 1500 20" is team 1, and then the numbers in the order of the rules.
//
// All players of a claim bring the same, since their request says it for all of them. Thread rule:
// free functions. Bounds: numbers_most. Errors: nothing, if a text is none of ours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "master/rules/plan/rules.hpp"

namespace fixkeep::master::plan {

struct Brings {
  std::uint32_t team = 0;
  std::array<std::int64_t, numbers_most> numbers{};  // those that the rules have

  friend bool operator==(const Brings&, const Brings&) = default;
};

[[nodiscard]] std::string to_text(const Brings& brings, const Rules& rules);
[[nodiscard]] std::optional<Brings> parse_brings(std::string_view text, const Rules& rules);

}  // namespace fixkeep::master::plan
