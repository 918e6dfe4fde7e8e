// Reads whole numbers that may be written with a decimal point. Lua, JavaScript and Godot have one
// type of number. Some of their JSON writers write 3 as 3.0.
//
// Thread rule: a free function. Bounds: only magnitudes below 2^53, because a larger double may be
// rounded.
// Errors: no value for a larger number or for a number with a fraction.
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
