#include "common/config/secret_text.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

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

TEST(SecretText, of_operators_is_the_first_line_of_a_file_that_says_what_is_wrong_with_it) {
  const test::TemporaryFolder folder;
  const auto token_of = [&](const std::string& text, std::string& problem) {
    const auto file = (folder / "token").string();
    std::ofstream{file} << text;
    return operators_token(file, problem);
  };
  std::string problem;
  EXPECT_EQ(token_of("\xef\xbb\xbfopen sesame\r\nmore", problem), "open sesame");
  EXPECT_EQ(problem, "");
  EXPECT_EQ(token_of("\xff\xfeo\0p\0"s, problem), "");
  EXPECT_NE(problem.find("UTF-16"), std::string::npos);
  EXPECT_EQ(operators_token((folder / "none").string(), problem), "");
  EXPECT_NE(problem.find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::config
