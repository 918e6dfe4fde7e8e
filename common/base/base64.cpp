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
  const std::size_t before = out.size();
  out.resize(before + (bytes.size() * 8 + 5) / 6);
  char* place = out.data() + before;
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(bytes[i])};
  };
  const auto put = [&](std::uint32_t bits) { *place++ = alphabet.digits[bits & 63U]; };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t bits = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    put(bits >> 18U);
    put(bits >> 12U);
    put(bits >> 6U);
    put(bits);
  }
  if (i == bytes.size()) return;
  const bool two_left = i + 2 == bytes.size();
  const std::uint32_t bits = byte(i) << 10U | (two_left ? byte(i + 1) << 2U : 0U);
  put(bits >> 12U);
  put(bits >> 6U);
  if (two_left) put(bits);
}

// REQUIRES: `text` has no padding.
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
  // Unused bits must be zero. Otherwise two texts would decode to the same bytes.
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
