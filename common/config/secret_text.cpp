#include "common/config/secret_text.hpp"

namespace fixkeep::config {

std::string secret_in(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  constexpr std::string_view space = " \t\r\n";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return "";
  return std::string{text.substr(first, text.find_last_not_of(space) - first + 1)};
}

bool is_utf16(std::string_view text) {
  constexpr std::size_t looked_at = 16;
  const bool little = text.starts_with("\xff\xfe");
  if (!little && !text.starts_with("\xfe\xff")) return false;
  for (std::size_t i = little ? 3 : 2; i < looked_at && i < text.size(); i += 2) {
    if (text[i] != '\0') return false;
  }
  return true;
}

}  // namespace fixkeep::config
