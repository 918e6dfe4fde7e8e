// Enumerators and rooms as words, in both directions. Thread rule: free functions.
// Errors: ScenarioError.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "common/wire/messages.hpp"
#include "tests/scenarios/cluster/words.hpp"

namespace fixkeep::scenarios {

inline constexpr std::array<std::string_view, 4> phases{"starting", "open", "draining", "closed"};
[[nodiscard]] inline std::optional<wire::RoomPhase> phase_named(std::string_view word) {
  const auto* const found = std::find(phases.begin(), phases.end(), word);
  if (found == phases.end()) return {};
  return static_cast<wire::RoomPhase>(found - phases.begin());
}

[[nodiscard]] inline Newcomers newcomers_named(std::string_view word) {
  if (word == "until_started") return Newcomers::until_started;
  if (word == "never") return Newcomers::never;
  if (word != "always") throw ScenarioError("no such rule for newcomers: " + std::string{word});
  return Newcomers::always;
}

template <class Enum>
[[nodiscard]] std::optional<Enum> enumerator_named(std::string_view word, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (to_string(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
  }
  return {};
}

[[nodiscard]] inline RoomNumber room_number(std::string_view text) {
  require(text.starts_with('#'), "expected a room, #1, not `" + std::string{text} + "`");
  return RoomNumber{static_cast<std::uint32_t>(number_of(text.substr(1)))};
}

}  // namespace fixkeep::scenarios
