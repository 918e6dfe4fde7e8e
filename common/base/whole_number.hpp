// Whole numbers that came as numbers with a fraction: Lua, JavaScript and Godot know one kind of
// number, and some of their writers of JSON say 3.0 for 3.
//
// Thread rule: a free function. Bounds: magnitudes below 2^53; from there on a double does not say
// which whole number was meant. Errors: no value for any other number.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace fixkeep {

[[nodiscard]] inline std::optional<std::int64_t> whole_number(double number) {
  constexpr double sure_below = 9007199254740992.0;
  if (std::trunc(number) != number || std::abs(number) >= sure_below) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace fixkeep
