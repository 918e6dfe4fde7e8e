#include "common/config/secret_text.hpp"

#include <cstdlib>
#include <fstream>

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

std::string operators_token(const std::string& file, std::string& problem) {
  if (file.empty()) {
    const char* const said = std::getenv("FIXKEEP_ADMIN_TOKEN");
    return said == nullptr ? std::string{} : secret_in(said);
  }
  std::ifstream text{file};
  std::string line;
  std::getline(text, line);
  if (is_utf16(line)) {
    problem = file + " is in UTF-16: save it as UTF-8";
    return {};
  }
  auto token = secret_in(line);
  if (token.empty()) problem = file + " cannot be read, or has no token in its first line";
  return token;
}

}  // namespace fixkeep::config
