// An issuer of tokens for players, as a studio's service of accounts is one: with a key of its own,
// it signs whatever it is told to, also what no issuer should.
//
// Thread rule: a value, one owner. Errors: assertions, since the keys are made here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/auth/jwt/token_key.hpp"

namespace fixkeep::support {

class TokenIssuer {
 public:
  // Makes a key; `bits` counts for RSA. HS256 has `secret`.
  explicit TokenIssuer(auth::TokenAlgorithm algorithm, std::string kid = "", unsigned bits = 2048);
  static TokenIssuer of_secret(std::string secret, std::string kid = "");

  // The head names algorithm and kid, if there is one.
  [[nodiscard]] std::string token(std::string_view claims) const;
  // Any head, signed with the key.
  [[nodiscard]] std::string token(std::string_view head, std::string_view claims) const;
  // The raw signature of a text, as a token carries it.
  [[nodiscard]] std::string sign(std::string_view text) const;

  // Its public half as one key of a set; of HS256 the secret.
  [[nodiscard]] std::string jwk() const;
  [[nodiscard]] std::string jwk_set() const { return R"({"keys":[)" + jwk() + "]}"; }
  [[nodiscard]] std::string public_pem() const;
  [[nodiscard]] std::string private_pem() const;
  [[nodiscard]] auth::TokenKeys keys() const;

 private:
  explicit TokenIssuer() = default;
  [[nodiscard]] std::string parameter(const char* name) const;

  auth::TokenAlgorithm algorithm_ = auth::TokenAlgorithm::hs256;
  std::string kid_;
  auth::TokenKey::Public key_;  // with its private half
  std::string secret_;
};

// head "." claims "." signature, each as base64url.
[[nodiscard]] std::string as_token(std::string_view head, std::string_view claims,
                                   std::string_view signature);

}  // namespace fixkeep::support
