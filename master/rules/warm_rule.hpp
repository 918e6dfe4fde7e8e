// The rule for the number of a mode's rooms that are ready in advance.
// Thread rule: a value. Bounds: `most`. Errors: none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace fixkeep::master {

struct WarmRule {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  double share = 0;  // ready rooms as a share of the rooms in use

  [[nodiscard]] std::uint32_t wanted(std::size_t rooms_in_use) const {
    // The double 0.1 is slightly more than a tenth. This error must not add a room.
    constexpr double rounding = 1e-6;
    const double asked = std::ceil(share * static_cast<double>(rooms_in_use) - rounding);
    const double within = std::clamp(asked, static_cast<double>(least), static_cast<double>(most));
    return static_cast<std::uint32_t>(within);
  }

  friend bool operator==(const WarmRule&, const WarmRule&) = default;
};

}  // namespace fixkeep::master
