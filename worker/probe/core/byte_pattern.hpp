// A BytePattern contains the bytes with which an answer must begin. Some of these bytes can be
// arbitrary. A pattern also has a notation as text.
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

inline constexpr std::size_t most_pattern_bytes = 1400;  // fits into one packet on every network

struct BytePattern {
  std::vector<std::optional<std::uint8_t>> bytes;  // nullopt: any byte

  // Returns whether the datagram begins with the pattern. An empty pattern fits everything.
  [[nodiscard]] bool begins(std::string_view datagram) const;
  // Returns the bytes themselves; nullopt if the pattern has arbitrary bytes.
  [[nodiscard]] std::optional<std::string> exactly() const;

  friend bool operator==(const BytePattern&, const BytePattern&) = default;
};

// Reads words with spaces between them. A word is two hexadecimal digits, `??` for any byte, or a
// text without spaces in single quotes: "ff ff ff ff 'inf3' ??".
[[nodiscard]] std::optional<BytePattern> parse_byte_pattern(std::string_view text);

// Guesses the pattern meant by a malformed text. Empty: no guess. Digits without spaces are bytes
// ("ffff", "0xff,0xff"). Spaces in quotes become separate bytes ("'a' 20 'b'"). Any other text is a
// quoted text.
[[nodiscard]] std::string nearest_byte_pattern(std::string_view text);

// Shows the first bytes of a datagram: "ff ff ff ff 49". "…" replaces the rest.
[[nodiscard]] std::string first_bytes(std::string_view datagram);

}  // namespace fixkeep::probe
