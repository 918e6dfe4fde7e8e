// Whole numbers in the form of fractions. Lua, JavaScript and Godot know one kind of number. Some
// of their JSON writers say 3.0 for 3.
//
// Thread rule: a free function. Bounds: magnitudes below 2^53; a larger double does not tell which
// whole number was meant. Errors: no value for any other number.
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
