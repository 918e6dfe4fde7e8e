// A signed text: the one envelope of seat tokens and invitations.
//
//   text = base64url(claims) "." base64url(HMAC-SHA256(key, base64url(claims)))
//   claims = lines, the first of which says what the text is, and in which version
//
// Claims are not secret. The last line may hold anything, the others no line break.
//
// Thread rule: free functions; an HmacKey has one owner. Errors: Errc::token_malformed for a text
// of another form, token_forged for one that the key has not signed.
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

// The claims of a text that `key` has signed.
[[nodiscard]] Result<std::string> verified_claims(HmacKey& key, std::string_view text);

// The claims of any text, so that the key to verify it can be found.
// REQUIRES: the caller does not trust them before verification.
[[nodiscard]] std::optional<std::string> claims_of(std::string_view text);

// The lines of claims, as views into them. No value: there are fewer.
template <std::size_t Count>
[[nodiscard]] std::optional<std::array<std::string_view, Count>> lines_of(std::string_view claims) {
  std::array<std::string_view, Count> lines;
  for (std::size_t i = 0; i + 1 < Count; ++i) {
    const auto end = claims.find('\n');
    if (end == std::string_view::npos) return {};
    lines[i] = claims.substr(0, end);
    claims.remove_prefix(end + 1);
  }
  lines.back() = claims;
  return lines;
}

}  // namespace fixkeep::auth
