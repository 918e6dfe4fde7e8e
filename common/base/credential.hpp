// Reads the credential from an "Authorization" line (RFC 9110 section 11.4): a scheme in upper or
// lower case, one or more blanks, and the credential.
// Thread rule: free function. Bounds: none. Errors: no value for another scheme.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace fixkeep {

// Returns the text after `scheme` as a view into `line`; the view can be empty. No value if the
// line has another scheme. REQUIRES: `scheme` is in lower case.
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
