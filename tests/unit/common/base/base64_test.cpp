#include "common/base/base64.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "common/base/random.hpp"

namespace fixkeep {
namespace {

std::string encoded(std::string_view bytes) {
  std::string text;
  append_base64url(bytes, text);
  return text;
}

// RFC 4648, section 10, without the padding.
TEST(Base64url, agrees_with_rfc_4648) {
  const std::map<std::string, std::string> vectors{
      {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(encoded(bytes), text);
    EXPECT_EQ(from_base64url(text), bytes);
  }
}

TEST(Base64url, uses_the_alphabet_of_urls) {
  EXPECT_EQ(encoded("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(from_base64url("-__-"), "\xfb\xff\xfe");
}

TEST(Base64url, appends) {
  std::string text = "before.";
  append_base64url("f", text);
  EXPECT_EQ(text, "before.Zg");
}

TEST(Base64url, gives_back_any_bytes) {
  Random random{1};
  for (int i = 0; i < 2'000; ++i) {
    std::string bytes(random.below(70), '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random.below(256));
    ASSERT_EQ(from_base64url(encoded(bytes)), bytes) << i;
  }
}

TEST(Base64url, refuses_padding) {
  for (const auto* text : {"Zg==", "Zm8=", "Zg=", "=", "====", "Zm9v===="}) {
    EXPECT_FALSE(from_base64url(text)) << text;
  }
}

// Every one of the 256 bytes at every place of a quadruple: exactly 64 of them are digits.
TEST(Base64url, refuses_other_alphabets) {
  for (std::size_t place = 0; place < 4; ++place) {
    int accepted = 0;
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = "AAAA";
      text[place] = static_cast<char>(byte);
      accepted += from_base64url(text) ? 1 : 0;
    }
    EXPECT_EQ(accepted, 64) << place;
  }
  for (const auto* text : {"+//+", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9v\r\nZm9v"}) {
    EXPECT_FALSE(from_base64url(text)) << text;
  }
}

TEST(Base64url, refuses_an_impossible_length) {
  for (const auto* text : {"A", "AAAAA", "Zm9vY"}) EXPECT_FALSE(from_base64url(text)) << text;
}

// Of all texts of two and of three digits, exactly those are accepted that encode() makes.
TEST(Base64url, refuses_what_is_not_canonical) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  int pairs = 0;
  int triples = 0;
  const auto check = [](const std::string& text, int& accepted) {
    const auto bytes = from_base64url(text);
    if (!bytes) return;
    ++accepted;
    EXPECT_EQ(encoded(*bytes), text);
  };
  for (const char first : digits) {
    for (const char second : digits) {
      check({first, second}, pairs);
      check({'A', first, second}, triples);
    }
  }
  EXPECT_EQ(pairs, 256);        // one byte
  EXPECT_EQ(triples, 4 * 256);  // two bytes, of which the first begins with six zero bits
}

TEST(Base64, known_answers) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64("\xfb\xff"), "+/8=");
}

TEST(Base64, comes_back_and_rubbish_does_not) {
  Random random{1};
  for (std::size_t size = 0; size < 100; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
  for (const std::string bad : {"Z", "Zg", "Zg=", "Z===", "Zg!=", "Zg==Zg==", "====", "Zm9\n"}) {
    EXPECT_FALSE(from_base64(bad)) << bad;
  }
}

}  // namespace
}  // namespace fixkeep
