// The claims of a message that a worker has reserved seats for.
//
// Thread rule: a free function.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fixkeep::master {

// One flag a claim. `granted`: the worker's indices of them. Null if they are not ascending and
// below `claims`: the worker broke the protocol.
[[nodiscard]] inline std::optional<std::vector<bool>> reserved_flags(
    const std::vector<std::uint32_t>& granted, std::size_t claims) {
  const auto out_of_order =
      std::adjacent_find(granted.begin(), granted.end(),
                         [](std::uint32_t left, std::uint32_t right) { return left >= right; });
  if (out_of_order != granted.end()) return std::nullopt;
  if (!granted.empty() && granted.back() >= claims) return std::nullopt;
  std::vector<bool> flags(claims, false);
  for (const std::uint32_t index : granted) flags[index] = true;
  return flags;
}

}  // namespace fixkeep::master
