#include "common/auth/jwt/token_key.hpp"

#include <gtest/gtest.h>

#include "tests/support/token_issuer.hpp"

namespace fixkeep::auth {
namespace {

using support::TokenIssuer;
using Algorithm = TokenAlgorithm;

std::string problem_of(std::string_view text) {
  const auto read = read_token_keys(text);
  const auto* sentence = std::get_if<std::string>(&read);
  return sentence == nullptr ? "none" : *sentence;
}

std::size_t count_of(std::string_view text) {
  const auto read = read_token_keys(text);
  const auto* keys = std::get_if<TokenKeys>(&read);
  return keys == nullptr ? 0 : keys->size();
}

std::string set_of(const std::string& keys) {
  return R"({"keys":[)" + keys + "]}";
}

TEST(TokenKeyFile, each_type_has_its_algorithm) {
  for (const auto algorithm : {Algorithm::rs256, Algorithm::es256, Algorithm::eddsa}) {
    const TokenIssuer issuer{algorithm, "k1"};
    for (const auto& text : {issuer.jwk_set(), issuer.public_pem()}) {
      const auto read = read_token_keys(text);
      ASSERT_EQ(read.index(), 0U) << text;
      EXPECT_EQ(std::get<0>(read).front().algorithm(), algorithm);
      EXPECT_TRUE(std::get<0>(read).front().verify("text", issuer.sign("text")));
      EXPECT_FALSE(std::get<0>(read).front().verify("other", issuer.sign("text")));
    }
  }
}

TEST(TokenKeyFile, a_file_of_pem_may_have_several_keys) {
  EXPECT_EQ(count_of(TokenIssuer{Algorithm::rs256}.public_pem() +
                     TokenIssuer{Algorithm::eddsa}.public_pem()),
            2U);
}

TEST(TokenKeyFile, small_rsa_keys_are_refused) {
  const TokenIssuer small{Algorithm::rs256, "", 1024};
  EXPECT_EQ(problem_of(small.jwk_set()), "has an RSA key of 1024 bits: it must have 2048 to 8192");
  EXPECT_EQ(problem_of(small.public_pem()),
            "has an RSA key of 1024 bits: it must have 2048 to 8192");
}

TEST(TokenKeyFile, an_rsa_key_whose_exponent_is_one_is_refused) {
  auto set = TokenIssuer{Algorithm::rs256}.jwk_set();
  set.replace(set.find("AQAB"), 4, "AQ");
  EXPECT_EQ(problem_of(set), "has an RSA key without a sound exponent");
}

TEST(TokenKeyFile, short_secrets_are_refused) {
  EXPECT_EQ(problem_of(TokenIssuer::of_secret("short").jwk_set()),
            "has a secret of 5 bytes: it must have 32 or more, such as openssl rand -hex 32 makes");
}

TEST(TokenKeyFile, private_keys_are_refused) {
  const TokenIssuer issuer{Algorithm::es256};
  EXPECT_EQ(problem_of(issuer.private_pem()),
            "has a private key: give its public half, which openssl pkey -pubout writes");
  auto set = issuer.jwk_set();
  set.insert(set.find(R"("x")"), R"("d":"AAAA",)");
  EXPECT_EQ(problem_of(set), "has a private key: keep that where tokens are made");
}

TEST(TokenKeyFile, keys_for_something_else_are_left_out) {
  const auto ours = TokenIssuer{Algorithm::eddsa, "ours"}.jwk();
  EXPECT_EQ(count_of(set_of(ours + R"(,{"kty":"RSA","use":"enc"},{"kty":"EC","alg":"ES384"})" +
                            R"(,{"kty":"new"},{"kty":"OKP","crv":"X25519"})" +
                            R"(,{"kty":"oct","key_ops":["sign"]})")),
            1U);
  EXPECT_EQ(problem_of(set_of(R"({"kty":"RSA","use":"enc"})")),
            "has no key for signatures of RS256, ES256, EdDSA or HS256");
}

TEST(TokenKeyFile, a_key_that_names_the_algorithm_of_another_type_is_refused) {
  auto key = TokenIssuer{Algorithm::rs256}.jwk();
  key.insert(1, R"("alg":"HS256",)");
  EXPECT_EQ(problem_of(set_of(key)), "has a key of type RSA that says it is for HS256");
}

TEST(TokenKeyFile, what_is_none_is_named) {
  EXPECT_EQ(problem_of(" \n"), "is empty");
  EXPECT_EQ(problem_of(R"({"keys":[],"keys":[]})"), "is no JSON object, or has a name twice");
  EXPECT_EQ(problem_of("{}"), R"(is no JWK Set: it has no list "keys")");
  EXPECT_EQ(problem_of(set_of("1")), "has a key without a type (kty)");
  EXPECT_EQ(problem_of(set_of(R"({"kty":"EC","crv":"P-256","x":"AA","y":"AA"})")),
            "has a key of type EC that is none: look at its numbers");
  EXPECT_EQ(problem_of("rubbish"),
            "has no public key (-----BEGIN PUBLIC KEY-----) that can be read");
  const auto one = TokenIssuer::of_secret(std::string(32, 's'), "same").jwk();
  EXPECT_EQ(problem_of(set_of(one + ',' + one)), "has two keys of the kid same");
}

TEST(TokenKeyFile, a_point_that_is_not_on_the_curve_is_none) {
  auto set = TokenIssuer{Algorithm::es256}.jwk_set();
  const auto at = set.find(R"("y":")") + 5;
  set.replace(at, 4, set.compare(at, 4, "AAAA") == 0 ? "BBBB" : "AAAA");
  EXPECT_EQ(problem_of(set), "has a key of type EC that is none: look at its numbers");
}

TEST(TokenKeyFile, more_than_64_keys_are_refused) {
  std::string keys;
  for (int i = 0; i < 65; ++i) {
    keys += (i == 0 ? "" : ",") +
            TokenIssuer::of_secret(std::string(32, 's'), "k" + std::to_string(i)).jwk();
  }
  EXPECT_EQ(problem_of(set_of(keys)), "has more than 64 keys");
}

}  // namespace
}  // namespace fixkeep::auth
