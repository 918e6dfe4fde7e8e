#include <cctype>

#include "tests/tidy/rules.hpp"

namespace fixkeep::tidy {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where the literal or comment that starts at `at` ends; `at` itself if none starts there.
std::size_t end_of(std::string_view text, std::size_t at) {
  const auto rest = text.substr(at);
  const auto to = [&](std::size_t found, std::size_t length) {
    return found == std::string_view::npos ? text.size() : found + length;
  };
  if (rest.starts_with("//")) return to(text.find('\n', at), 0);
  if (rest.starts_with("/*")) return to(text.find("*/", at + 2), 2);
  if (rest.starts_with("R\"") && (at == 0 || !is_word(text[at - 1]))) {
    const auto open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    const auto end = ")" + std::string{text.substr(at + 2, open - at - 2)} + "\"";
    return to(text.find(end, open), end.size());
  }
  const char quote = rest.front();
  if (quote != '"' && quote != '\'') return at;
  if (quote == '\'' && at > 0 && is_word(text[at - 1])) return at;  // 10'000
  for (auto i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return at + 1;
}

}  // namespace

std::string code_of(std::string_view text) {
  std::string code{text};
  for (std::size_t at = 0; at < code.size();) {
    const auto end = end_of(text, at);
    for (auto i = at; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    at = end == at ? at + 1 : end;
  }
  return code;
}

}  // namespace fixkeep::tidy
