#include "common/base/percent.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep {
namespace {

std::string encoded(std::string_view text, std::string_view kept) {
  std::string out;
  append_percent_encoded(text, kept, out);
  return out;
}

TEST(PercentEncoded, keeps_letters_digits_and_what_it_is_told_to_keep) {
  EXPECT_EQ(encoded("AZaz09", ""), "AZaz09");
  EXPECT_EQ(encoded("a-b.c", "-"), "a-b%2Ec");
  EXPECT_EQ(encoded("%", "-"), "%25");
  EXPECT_EQ(encoded(std::string_view{"\0\xff\xc3\xa9", 4}, ""), "%00%FF%C3%A9");
  EXPECT_EQ(encoded("@[`{/:", ""), "%40%5B%60%7B%2F%3A");  // the neighbours of letters and digits
}

TEST(PercentDecoded, gives_back_every_byte_that_was_encoded) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(percent_decoded(encoded(all, "-._~")), all);
}

TEST(PercentDecoded, takes_two_digits_of_either_case) {
  EXPECT_EQ(percent_decoded("a%2Fb%c3%A9+%25"), "a/b\xc3\xa9+%");
  EXPECT_EQ(percent_decoded(""), "");
  EXPECT_EQ(percent_decoded("%00"), std::string(1, '\0'));
  for (const char* text : {"%", "a%2", "%2x", "%%41", "%-1"}) {
    EXPECT_FALSE(percent_decoded(text)) << text;
  }
}

}  // namespace
}  // namespace fixkeep
