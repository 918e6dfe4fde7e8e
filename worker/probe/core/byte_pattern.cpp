#include "worker/probe/core/byte_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace fixkeep::probe {
namespace {

constexpr std::size_t shown_bytes = 8;

std::optional<std::uint8_t> hexadecimal_byte(std::string_view word) {
  std::uint8_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value, 16);
  if (word.size() != 2 || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// Appends the bytes of one word of the notation. Returns false if the word is malformed.
bool append(std::string_view word, BytePattern& out) {
  if (word.size() >= 2 && word.front() == '\'' && word.back() == '\'') {
    for (const char c : word.substr(1, word.size() - 2)) {
      out.bytes.emplace_back(static_cast<std::uint8_t>(c));
    }
    return true;
  }
  if (word == "??") {
    out.bytes.emplace_back(std::nullopt);
    return true;
  }
  const auto byte = hexadecimal_byte(word);
  if (byte) out.bytes.emplace_back(*byte);
  return byte.has_value();
}

// Returns the hexadecimal digits if the text is bytes in another notation; otherwise an empty text.
std::string bare_digits(std::string_view text) {
  std::string digits;
  while (!text.empty()) {
    if (text.starts_with("0x") || text.starts_with("\\x")) {
      text.remove_prefix(2);
      continue;
    }
    const auto c = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    if (c == ' ' || c == ',' || c == ':') continue;
    if (std::isxdigit(c) == 0 && c != '?') return {};
    digits += static_cast<char>(c);
  }
  return digits.size() % 2 == 0 ? digits : "";
}

}  // namespace

bool BytePattern::begins(std::string_view datagram) const {
  return datagram.size() >= bytes.size() &&
         std::equal(bytes.begin(), bytes.end(), datagram.begin(), [](const auto& wanted, char got) {
           return !wanted || *wanted == static_cast<std::uint8_t>(got);
         });
}

std::optional<std::string> BytePattern::exactly() const {
  std::string text;
  text.reserve(bytes.size());
  for (const auto& byte : bytes) {
    if (!byte) return std::nullopt;
    text += static_cast<char>(*byte);
  }
  return text;
}

std::optional<BytePattern> parse_byte_pattern(std::string_view text) {
  BytePattern pattern;
  while (!text.empty()) {
    const auto space = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, space);
    if (!word.empty() && !append(word, pattern)) return std::nullopt;
    if (pattern.bytes.size() > most_pattern_bytes) return std::nullopt;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return pattern;
}

std::string nearest_byte_pattern(std::string_view text) {
  constexpr std::string_view space_in_text = "' 20 '";
  std::string pattern;
  const bool quoted = text.find('\'') != std::string_view::npos;
  const auto digits = quoted ? "" : bare_digits(text);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    pattern += (i == 0 ? "" : " ") + digits.substr(i, 2);
  }
  if (digits.empty()) {
    bool inside = !quoted;
    for (const char c : text) {
      if (c == '\'') inside = !inside;
      if (inside && c == ' ') {
        pattern += space_in_text;
      } else {
        pattern += c;
      }
    }
    if (!quoted) pattern = "'" + pattern + "'";
  }
  return parse_byte_pattern(pattern) ? pattern : "";
}

std::string first_bytes(std::string_view datagram) {
  std::string text;
  for (const char c : datagram.substr(0, shown_bytes)) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<std::uint8_t>(c));
  }
  return datagram.size() > shown_bytes ? text + " …" : text;
}

}  // namespace fixkeep::probe
