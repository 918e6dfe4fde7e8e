#include "common/auth/signed_lines.hpp"

#include "common/base/base64.hpp"

namespace fixkeep::auth {

std::string sign_lines(HmacKey& key, std::initializer_list<std::string_view> lines) {
  std::string claims;
  for (const auto line : lines) {
    if (!claims.empty()) claims += '\n';
    claims += line;
  }
  std::string text;
  text.reserve(256);
  append_base64url(claims, text);
  const auto signature = key.sha256(text);
  text += '.';
  append_base64url(view_of(signature), text);
  return text;
}

Result<std::string> verified_claims(HmacKey& key, std::string_view text) {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return Errc::token_malformed;
  const auto signature = from_base64url(text.substr(dot + 1));
  if (!signature) return Errc::token_malformed;
  const auto signed_part = text.substr(0, dot);
  if (!equal_in_constant_time(*signature, view_of(key.sha256(signed_part)))) {
    return Errc::token_forged;
  }
  auto claims = from_base64url(signed_part);
  if (!claims) return Errc::token_malformed;
  return *std::move(claims);
}

std::optional<std::string> claims_of(std::string_view text) {
  return from_base64url(text.substr(0, text.find('.')));
}

}  // namespace fixkeep::auth
