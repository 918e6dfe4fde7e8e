#include "common/config/secret_text.hpp"

#include <gtest/gtest.h>

namespace fixkeep::config {
namespace {

using namespace std::string_literals;

TEST(SecretText, is_what_people_see_in_the_file) {
  const std::string secret = "0123456789abcdef";
  const std::string mark = "\xef\xbb\xbf";
  for (const auto& text :
       {secret, secret + "\n", "\n " + secret + "\t\r\n", mark + secret, mark + "\r\n" + secret}) {
    EXPECT_EQ(secret_in(text), secret);
  }
  for (const auto& nothing : {""s, " \n"s, mark, mark + "\r\n"}) EXPECT_EQ(secret_in(nothing), "");
  EXPECT_EQ(secret_in("a" + mark + "b"), "a" + mark + "b");
  EXPECT_EQ(secret_in(mark.substr(0, 2) + "a"), mark.substr(0, 2) + "a");
}

TEST(SecretText, in_utf16_is_told_from_bytes_that_begin_like_it) {
  EXPECT_TRUE(
      is_utf16("\xff\xfe"
               "a\0b\0"s));
  EXPECT_TRUE(is_utf16("\xfe\xff\0a\0b"s));
  EXPECT_FALSE(
      is_utf16("\xff\xfe"
               "ab\0c"s));
  EXPECT_FALSE(
      is_utf16("\xfe\xff"
               "ab"s));
  EXPECT_FALSE(is_utf16("a\0b\0"s));
  EXPECT_FALSE(is_utf16(""));
}

}  // namespace
}  // namespace fixkeep::config
