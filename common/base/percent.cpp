#include "common/base/percent.hpp"

#include <algorithm>

namespace fixkeep {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void append_percent_encoded(std::string_view text, std::string_view kept, std::string& out) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  const auto stays = [&](char c) {
    return is_letter_or_digit(c) || kept.find(c) != std::string_view::npos;
  };
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const char* const run_end = std::find_if_not(at, end, stays);
    out.append(at, run_end);
    at = run_end;
    if (at == end) return;
    const auto byte = static_cast<unsigned char>(*at++);
    out += '%';
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = digit_of(text[i + 1]);
    const int low = digit_of(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(16 * high + low);
    i += 2;
  }
  return decoded;
}

}  // namespace fixkeep
