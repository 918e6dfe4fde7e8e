#include "common/base/base64.hpp"

#include <array>
#include <cstdint>

namespace fixkeep {
namespace {

constexpr std::uint8_t no_digit = 255;

struct Alphabet {
  std::string_view digits;
  std::array<std::uint8_t, 256> values{};

  constexpr explicit Alphabet(std::string_view all) : digits(all) {
    values.fill(no_digit);
    for (std::size_t i = 0; i < all.size(); ++i) {
      values[static_cast<unsigned char>(all[i])] = static_cast<std::uint8_t>(i);
    }
  }
};

constexpr Alphabet standard{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};
constexpr Alphabet url_safe{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};

void append(std::string_view bytes, const Alphabet& alphabet, std::string& out) {
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      out += alphabet.digits[(bits >> count) & 63U];
    }
  }
  if (count > 0) out += alphabet.digits[(bits << (6 - count)) & 63U];
}

// `text` without padding.
std::optional<std::string> decode(std::string_view text, const Alphabet& alphabet) {
  if (text.size() % 4 == 1) return {};
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::uint8_t value = alphabet.values[static_cast<unsigned char>(c)];
    if (value == no_digit) return {};
    bits = (bits << 6U) | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> count) & 0xFFU);
    }
  }
  // Bits left over must be zero, or two texts would stand for the same bytes.
  if ((bits & ((1U << count) - 1U)) != 0) return {};
  return bytes;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  append(bytes, standard, out);
  while (out.size() % 4 != 0) out += '=';
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return {};
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decode(text, standard);
}

void append_base64url(std::string_view bytes, std::string& out) {
  append(bytes, url_safe, out);
}

std::optional<std::string> from_base64url(std::string_view text) {
  return decode(text, url_safe);
}

}  // namespace fixkeep
