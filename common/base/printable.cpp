#include "common/base/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fixkeep {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

constexpr std::array<Range, 9> harmful{{
    {0x00, 0x1f},      // C0
    {0x7f, 0x9f},      // DEL and C1
    {0x061c, 0x061c},  // Arabic letter mark
    {0x200e, 0x200f},  // left-to-right and right-to-left mark
    {0x2028, 0x2029},  // line and paragraph separator
    {0x202a, 0x202e},  // embeddings and overrides
    {0x2066, 0x2069},  // isolates
    {0xfeff, 0xfeff},  // byte order mark
    {0xfff9, 0xfffb},  // interlinear annotation
}};

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view replacement = "\xef\xbf\xbd";

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no valid UTF-8 begins here
};

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

Character first_character(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const std::uint32_t next = byte_at(text, i);
    if ((next & 0xc0U) != 0x80) return {};
    code = code << 6U | (next & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {code, bytes};
}

bool is_harmful(std::uint32_t code) {
  for (const auto& range : harmful) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    if (next.bytes == 0) {
      result += replacement;
      text.remove_prefix(1);
      continue;
    }
    if (is_harmful(next.code)) {
      result += "\\u";
      for (const auto shift : {12U, 8U, 4U, 0U}) result += hex_digits[next.code >> shift & 0xfU];
    } else {
      result += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return result;
}

bool is_printable(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
  return std::all_of(text.begin(), text.end(), plain) || printable(text) == text;
}

}  // namespace fixkeep
