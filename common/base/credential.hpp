// The credential of an "Authorization" line (RFC 9110 section 11.4) follows a scheme in any case
// and one blank or more.
// Thread rule: free function. Bounds: none. Errors: no value.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace fixkeep {

// Returns the text behind `scheme`. It may be empty. No value: the line has another scheme. The
// text is a view into `line`. REQUIRES: `scheme` is written in small letters.
[[nodiscard]] inline std::optional<std::string_view> credential_in(std::string_view line,
                                                                   std::string_view scheme) {
  const auto same = [](char one, char small) {
    return (one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one) == small;
  };
  const auto end = std::min(line.find(' '), line.size());
  if (!std::equal(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end), scheme.begin(),
                  scheme.end(), same)) {
    return {};
  }
  return line.substr(std::min(line.find_first_not_of(' ', end), line.size()));
}

}  // namespace fixkeep
