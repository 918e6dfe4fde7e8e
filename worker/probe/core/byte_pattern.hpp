// The bytes that must begin an answer (some of them arbitrary) and how a person writes them.
//
// Thread rule: values. Bounds: most_pattern_bytes. Errors: a malformed text gives nullopt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::probe {

inline constexpr std::size_t most_pattern_bytes = 1400;  // size that one packet carries everywhere

struct BytePattern {
  std::vector<std::optional<std::uint8_t>> bytes;  // nullopt: any byte

  // An empty pattern fits everything.
  [[nodiscard]] bool begins(std::string_view datagram) const;
  // The bytes themselves; nullopt if one of them may be any.
  [[nodiscard]] std::optional<std::string> exactly() const;

  friend bool operator==(const BytePattern&, const BytePattern&) = default;
};

// Words with spaces between them: two hexadecimal digits, `??` for any byte or a text without
// spaces in single quotes: "ff ff ff ff 'inf3' ??".
[[nodiscard]] std::optional<BytePattern> parse_byte_pattern(std::string_view text);

// Guesses the pattern that a malformed text was meant as. Empty: no guess. Digits without spaces
// are bytes ("ffff", "0xff,0xff"). Spaces in quotes are separate bytes ("'a' 20 'b'"). Anything
// else is a text.
[[nodiscard]] std::string nearest_byte_pattern(std::string_view text);

// "ff ff ff ff 49": the first bytes of a datagram for a person; "…" stands for the rest.
[[nodiscard]] std::string first_bytes(std::string_view datagram);

}  // namespace fixkeep::probe
