// Reads a worker's answer: which claims of the question got reserved seats.
//
// Thread rule: a free function.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fixkeep::master {

// Returns one flag for each claim. `granted`: indices of the claims with seats. Returns null if the
// indices do not ascend or an index is too high: the worker broke the protocol.
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
