// Bytes that an answer has to begin with, some of them of any value, and how a person writes them.
//
// Thread rule: values. Bounds: most_pattern_bytes. Errors: a text that is no such pattern is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::probe {

inline constexpr std::size_t most_pattern_bytes = 1400;  // what one packet carries everywhere

struct BytePattern {
  std::vector<std::optional<std::uint8_t>> bytes;  // without a value: any byte

  // An empty pattern fits everything.
  [[nodiscard]] bool begins(std::string_view datagram) const;
  // The bytes themselves; none if one of them may be any.
  [[nodiscard]] std::optional<std::string> exactly() const;

  friend bool operator==(const BytePattern&, const BytePattern&) = default;
};

// Words with spaces between them: two hexadecimal digits, `??` for any byte, or a text without
// spaces in single quotes: "ff ff ff ff 'inf3' ??".
[[nodiscard]] std::optional<BytePattern> parse_byte_pattern(std::string_view text);

// Returns the pattern that a text which is none may have been meant as; empty: nobody knows. Digits
// without spaces are bytes ("ffff", "0xff,0xff"), spaces in quotes are bytes of their own ("'a' 20
// 'b'"), and what has neither is a text.
[[nodiscard]] std::string nearest_byte_pattern(std::string_view text);

// "ff ff ff ff 49": the first bytes of a datagram, for a person; "…" stands for the rest.
[[nodiscard]] std::string first_bytes(std::string_view datagram);

}  // namespace fixkeep::probe
