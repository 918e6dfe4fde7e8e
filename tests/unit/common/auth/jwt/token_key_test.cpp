#include "common/auth/jwt/token_key.hpp"

#include <gtest/gtest.h>

#include "common/certs/authority.hpp"
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
  const auto* file = std::get_if<KeyFile>(&read);
  return file == nullptr ? 0 : file->keys.size();
}

std::vector<std::string> left_out_of(std::string_view text) {
  const auto read = read_token_keys(text);
  const auto* file = std::get_if<KeyFile>(&read);
  return file == nullptr ? std::vector<std::string>{problem_of(text)} : file->left_out;
}

const std::string alone = "has no key that can be used: it is read without key 1, which ";

std::string set_of(const std::string& keys) {
  return R"({"keys":[)" + keys + "]}";
}

TEST(TokenKeyFile, each_type_has_its_algorithm) {
  for (const auto algorithm : {Algorithm::rs256, Algorithm::es256, Algorithm::eddsa}) {
    const TokenIssuer issuer{algorithm, "k1"};
    for (const auto& text : {issuer.jwk_set(), issuer.public_pem()}) {
      const auto read = read_token_keys(text);
      ASSERT_EQ(read.index(), 0U) << text;
      EXPECT_EQ(std::get<0>(read).keys.front().algorithm(), algorithm);
      EXPECT_TRUE(std::get<0>(read).keys.front().verify("text", issuer.sign("text")));
      EXPECT_FALSE(std::get<0>(read).keys.front().verify("other", issuer.sign("text")));
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
  EXPECT_EQ(problem_of(small.jwk_set()),
            alone + "is an RSA key of 1024 bits: it must have 2048 to 8192");
  EXPECT_EQ(problem_of(small.public_pem()),
            alone + "is an RSA key of 1024 bits: it must have 2048 to 8192");
}

TEST(TokenKeyFile, an_rsa_key_whose_exponent_is_one_is_refused) {
  auto set = TokenIssuer{Algorithm::rs256}.jwk_set();
  set.replace(set.find("AQAB"), 4, "AQ");
  EXPECT_EQ(problem_of(set), alone + "is an RSA key without a sound exponent");
}

TEST(TokenKeyFile, short_secrets_are_refused) {
  EXPECT_EQ(
      problem_of(TokenIssuer::of_secret("short").jwk_set()),
      alone +
          "is a secret of 5 bytes: it must have 32 or more, for example from openssl rand -hex 32");
}

TEST(TokenKeyFile, private_keys_are_refused) {
  const TokenIssuer issuer{Algorithm::es256};
  EXPECT_EQ(problem_of(issuer.private_pem()),
            "has a private key: give its public half, which openssl pkey -pubout writes");
  auto set = issuer.jwk_set();
  set.insert(set.find(R"("x")"), R"("d":"AAAA",)");
  EXPECT_EQ(problem_of(set), alone + "has its private half: keep that where tokens are made");
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
  EXPECT_EQ(problem_of(set_of(key)), alone + "is of type RSA and says that it is for HS256");
}

TEST(TokenKeyFile, what_is_none_is_named) {
  EXPECT_EQ(problem_of(" \n"), "is empty");
  EXPECT_EQ(problem_of(R"({"keys":[],"keys":[]})"), "is no JSON object, or has a name twice");
  EXPECT_EQ(problem_of("{}"), R"(is no JWK Set: it has no list "keys")");
  EXPECT_EQ(problem_of(set_of("1")), alone + "has no type (kty)");
  EXPECT_EQ(problem_of(set_of(R"({"kty":"EC","crv":"P-256","x":"AA","y":"AA"})")),
            alone + "is of type EC and has numbers that cannot be read");
  EXPECT_EQ(problem_of("rubbish"), "has no public key (-----BEGIN PUBLIC KEY-----) or certificate");
}

TEST(TokenKeyFile, a_point_that_is_not_on_the_curve_is_none) {
  auto set = TokenIssuer{Algorithm::es256}.jwk_set();
  const auto at = set.find(R"("y":")") + 5;
  set.replace(at, 4, set.compare(at, 4, "AAAA") == 0 ? "BBBB" : "AAAA");
  EXPECT_EQ(problem_of(set), alone + "is of type EC and has numbers that cannot be read");
}

// RFC 7517, section 5: an entry that cannot be used is left out, and the others count.
TEST(TokenKeyFile, one_entry_that_cannot_be_used_is_left_out_and_named) {
  const auto good = TokenIssuer{Algorithm::eddsa, "good"}.jwk();
  auto padded = TokenIssuer{Algorithm::es256, "padded"}.jwk();
  padded.insert(padded.find(R"("x":")") + 5, "=");
  const auto small = TokenIssuer{Algorithm::rs256, "old\\n", 1024}.jwk();
  const std::string twice = R"({"kty":"oct","kid":"a","kid":"b"})";
  const auto set = set_of(small + ',' + good + ',' + padded + ",1," + twice);
  EXPECT_EQ(count_of(set), 1U);
  EXPECT_EQ(
      left_out_of(set),
      (std::vector<std::string>{
          R"(key 1 (kid "old\u000a"), which is an RSA key of 1024 bits: it must have 2048 to 8192)",
          R"(key 3 (kid "padded"), which is of type EC and has numbers that cannot be read)",
          "key 4, which has no type (kty)", "key 5, which has a name twice"}));
}

TEST(TokenKeyFile, one_block_of_pem_that_cannot_be_used_is_left_out_and_named) {
  const auto pem = TokenIssuer{Algorithm::rs256, "", 1024}.public_pem() +
                   "-----BEGIN RSA PUBLIC KEY-----\nAAAA\n-----END RSA PUBLIC KEY-----\n" +
                   TokenIssuer{Algorithm::eddsa}.public_pem();
  EXPECT_EQ(count_of(pem), 1U);
  EXPECT_EQ(left_out_of(pem),
            (std::vector<std::string>{
                "key 1, which is an RSA key of 1024 bits: it must have 2048 to 8192",
                "key 2, which cannot be read as PUBLIC KEY or CERTIFICATE: it is a RSA PUBLIC "
                "KEY"}));
}

TEST(TokenKeyFile, two_keys_of_one_kid_both_count) {
  const auto one = TokenIssuer{Algorithm::eddsa, "same"}.jwk();
  const auto other = TokenIssuer{Algorithm::es256, "same"}.jwk();
  EXPECT_EQ(count_of(set_of(one + ',' + other + ',' + one)), 2U);  // and the same key once
  EXPECT_EQ(left_out_of(set_of(one + ',' + other)), std::vector<std::string>{});
}

TEST(TokenKeyFile, a_byte_order_mark_and_members_that_are_null_are_not_there) {
  auto key = TokenIssuer{Algorithm::eddsa, "k"}.jwk();
  key.insert(1, R"("use":null,"key_ops":null,"d":null,)");
  EXPECT_EQ(count_of("\xEF\xBB\xBF" + set_of(key)), 1U);
}

TEST(TokenKeyFile, a_certificate_has_the_key_of_its_owner) {
  const auto pem = certs::Authority::make("test", {}).to_pair().certificate;
  EXPECT_EQ(left_out_of(pem), std::vector<std::string>{});
  EXPECT_EQ(count_of(pem), 1U);
}

// An issuer with ever more keys locks nobody out, and costs no more than this many.
TEST(TokenKeyFile, the_first_64_keys_count_and_256_entries_are_looked_at) {
  std::string keys;
  std::string bad;
  for (int i = 0; i < 65; ++i) {
    keys += (i == 0 ? "" : ",") +
            TokenIssuer::of_secret(std::string(32, 's'), "k" + std::to_string(i)).jwk();
  }
  EXPECT_EQ(count_of(set_of(keys)), 64U);
  EXPECT_EQ(left_out_of(set_of(keys)),
            std::vector<std::string>{
                R"(key 65 (kid "k64") and all after it: the file has too many keys)"});
  for (int i = 0; i < 256; ++i) bad += "1,";
  EXPECT_EQ(count_of(set_of(keys + ',' + bad + keys)), 64U);
  EXPECT_EQ(count_of(set_of(bad + keys)), 0U);
  EXPECT_EQ(problem_of(std::string(key_file_bytes + 1, 'x')), "is larger than 1 MiB");
}

}  // namespace
}  // namespace fixkeep::auth
