// The vectors of RFC 4231, and that comparing and drawing bytes does what it says.
#include "common/auth/hmac.hpp"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>
#include <string>
#include <vector>

namespace fixkeep::auth {
namespace {

std::string hexadecimal(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

std::string hmac(std::string_view key, std::string_view text) {
  const auto digest = hmac_sha256(key, text);
  return hexadecimal(view_of(digest));
}

// RFC 4231, 4.2 to 4.8; it shows the digest of the fifth cut to 128 bits.
TEST(Hmac, agrees_with_rfc_4231) {
  std::string counting;
  for (char byte = 1; byte <= 25; ++byte) counting += byte;
  const std::string beyond_a_block(131, '\xaa');
  const std::vector<std::array<std::string, 3>> vectors{
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {counting, std::string(50, '\xcd'),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(20, '\x0c'), "Test With Truncation", "a3b6167473100ee06e0c796c2955552b"},
      {beyond_a_block, "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {beyond_a_block,
       "This is a test using a larger than block-size key and a larger than block-size data. The "
       "key needs to be hashed before being used by the HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"}};
  for (const auto& [key, text, digest] : vectors) {
    EXPECT_EQ(hmac(key, text).substr(0, digest.size()), digest) << text;
  }
}

TEST(Hmac, of_a_key_that_is_used_again_is_the_same) {
  const std::string secret(32, 'k');
  HmacKey key{secret};
  for (const std::string text : {"one", "", "one", "two"}) {
    EXPECT_EQ(key.sha256(text), hmac_sha256(secret, text)) << text;
  }
  EXPECT_EQ(HmacKey{""}.sha256("text"), hmac_sha256("", "text"));
}

// RFC 2104: a key of up to one block is used as it is, a longer one is hashed first.
TEST(Hmac, hashes_a_key_only_beyond_one_block) {
  const auto hash_of = [](const std::string& bytes) {
    Digest digest{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
    return std::string{view_of(digest)};
  };
  const std::string block(64, 'k');
  EXPECT_NE(hmac(block, "text"), hmac(hash_of(block), "text"));
  EXPECT_EQ(hmac(block + 'k', "text"), hmac(hash_of(block + 'k'), "text"));
  // Shorter keys are filled with zeros, so these two are one key.
  EXPECT_EQ(hmac("key", "text"), hmac(std::string("key\0", 4), "text"));
}

// To OpenSSL a null key is the key of the call before.
TEST(Hmac, takes_no_key_for_an_empty_one) {
  const auto empty = hmac(std::string{}, "text");
  EXPECT_NE(hmac("key", "text"), empty);
  EXPECT_EQ(hmac(std::string_view{}, "text"), empty);
  EXPECT_EQ(hmac(std::string(64, '\0'), "text"), empty);
}

TEST(Hmac, compares_whole_texts) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "bbc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
}

TEST(Hmac, draws_different_bytes_every_time) {
  EXPECT_NE(random_bytes(), random_bytes());
  EXPECT_NE(random_bytes(), Digest{});
}

}  // namespace
}  // namespace fixkeep::auth
