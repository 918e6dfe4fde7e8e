// Signed texts: the common format of seat tokens and invitations.
//
//   text = base64url(claims) "." base64url(HMAC-SHA256(key, base64url(claims)))
//   claims = lines; the first line names the kind and the version of the text
//
// Claims are not secret. The last line may contain any character. The other lines contain no line
// break.
//
// Thread rule: free functions; an HmacKey has one owner. Errors: Errc::token_malformed for a text
// of another form, token_forged for a text that the key has not signed.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "common/auth/hmac.hpp"
#include "common/base/result.hpp"

namespace fixkeep::auth {

[[nodiscard]] std::string sign_lines(HmacKey& key, std::initializer_list<std::string_view> lines);

// Verifies the signature with `key` and returns the claims.
[[nodiscard]] Result<std::string> verified_claims(HmacKey& key, std::string_view text);

// Reads the claims without verification. The caller needs the claims to find the key that verifies
// the text. REQUIRES: the caller does not trust the claims before verification.
[[nodiscard]] std::optional<std::string> claims_of(std::string_view text);

// Splits claims into `count` lines, which are views into the claims. No value if there are fewer
// lines.
template <std::size_t count>
[[nodiscard]] std::optional<std::array<std::string_view, count>> lines_of(std::string_view claims) {
  std::array<std::string_view, count> lines;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const auto end = claims.find('\n');
    if (end == std::string_view::npos) return {};
    lines[i] = claims.substr(0, end);
    claims.remove_prefix(end + 1);
  }
  lines.back() = claims;
  return lines;
}

}  // namespace fixkeep::auth
