// Helpers for text that people typed: the nearest known word, and numbers.
// Thread rule: free functions without state.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fixkeep::config {

// Counts the insertions, deletions, replacements and swaps of neighbours between the two texts
// (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// Converts a word to the form of keys: "close_empty_after_ms" from "closeEmptyAfterMs" or
// "close-empty-after-ms".
[[nodiscard]] std::string in_snake_case(std::string_view word);

// Returns the known word that is nearest to `word`, if this word is near enough. Compares `word` as
// written and in snake case.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> known);

// Returns `; did you mean "port"?` or an empty text.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string> known);

// Reads the whole text as a number.
template <class Number>
[[nodiscard]] std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

[[nodiscard]] inline std::optional<std::size_t> parse_index(std::string_view text) {
  return parse_whole<std::size_t>(text);
}

}  // namespace fixkeep::config
