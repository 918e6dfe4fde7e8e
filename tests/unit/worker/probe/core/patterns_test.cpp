#include <gtest/gtest.h>

#include <map>
#include <string>

#include "worker/probe/core/byte_pattern.hpp"
#include "worker/probe/core/text_pattern.hpp"

namespace fixkeep::probe {
namespace {

using namespace std::string_literals;
using Rule = PlayerPattern::Rule;
using Number = PlayerPattern::Number;

TEST(BytePattern, is_suggested_for_what_is_none) {
  for (const auto& [text, meant] :
       std::map<std::string, std::string>{{"get info", "'get' 20 'info'"},
                                          {"getinfo", "'getinfo'"},
                                          {"ff 'get info' 0a", "ff 'get' 20 'info' 0a"},
                                          {"' '", "'' 20 ''"},
                                          {"ffffffff", "ff ff ff ff"},
                                          {"0xff 0xFE", "ff FE"},
                                          {"\\xff\\xfe", "ff fe"},
                                          {"ff,fe", "ff fe"},
                                          {"ff??", "ff ??"},
                                          {"fff", "'fff'"},
                                          {"'a", ""},
                                          {"ff info 'a'", ""},
                                          {std::string(most_pattern_bytes + 1, 'x'), ""}}) {
    EXPECT_EQ(parse_byte_pattern(text), std::nullopt) << text;
    EXPECT_EQ(nearest_byte_pattern(text), meant) << text;
  }
}

TEST(BytePattern, fits_the_beginning_and_any_byte_where_it_says_so) {
  const auto pattern = parse_byte_pattern("ff 'inf' ?? 05");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->begins("\xffinf3\x05 and more"));
  EXPECT_TRUE(pattern->begins("\xffinfx\x05"));
  EXPECT_FALSE(pattern->begins("\xffinf3"));
  EXPECT_FALSE(pattern->begins("\xffinf3\x06"));
  EXPECT_TRUE(BytePattern{}.begins(""));
}

TEST(BytePattern, is_exactly_its_bytes_unless_one_may_be_any) {
  EXPECT_EQ(parse_byte_pattern("00 'a b'"), std::nullopt) << "a space ends a word";
  EXPECT_EQ(parse_byte_pattern("00 'a' FF")->exactly(), "\0a\xff"s);
  EXPECT_EQ(parse_byte_pattern("00 ??")->exactly(), std::nullopt);
  EXPECT_EQ(parse_byte_pattern("  ")->exactly(), "");
}

TEST(BytePattern, refuses_what_is_no_pattern) {
  for (const char* text : {"f", "fff", "0x", "g0", "?", "'a", "ff,ff", "-1", "+1"}) {
    EXPECT_EQ(parse_byte_pattern(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_byte_pattern("'" + std::string(most_pattern_bytes + 1, 'x') + "'"), std::nullopt);
}

TEST(BytePattern, shows_the_first_bytes_to_a_person) {
  EXPECT_EQ(first_bytes("\xff\x01"), "ff 01");
  EXPECT_EQ(first_bytes("123456789"), "31 32 33 34 35 36 37 38 …");
}

TextPattern expression(const std::string& text) {
  auto parsed = TextPattern::matching(text);
  EXPECT_EQ(parsed.problem, "");
  return *parsed.pattern;
}

TEST(TextPattern, finds_a_text_or_an_expression) {
  EXPECT_TRUE(TextPattern::containing("(ready)").found_in("server (ready) now"));
  EXPECT_FALSE(TextPattern::containing("(ready)").found_in("server ready now"));
  EXPECT_TRUE(expression("^port [0-9]+$").found_in("port 8303"));
  EXPECT_FALSE(expression("^port [0-9]+$").found_in("the port 8303"));
  EXPECT_TRUE(
      expression("a.b").found_in("a\xff"
                                 "b"))
      << "bytes, not UTF-8";
}

TEST(TextPattern, says_what_is_wrong_with_an_expression) {
  EXPECT_FALSE(TextPattern::matching("(").problem.empty());
  EXPECT_FALSE(TextPattern::matching("(a)\\1").problem.empty()) << "no back references";
  EXPECT_FALSE(TextPattern::matching(std::string(most_expression_bytes + 1, 'a')).problem.empty());
}

// With std::regex this takes longer than the universe has.
TEST(TextPattern, takes_no_longer_for_a_malicious_line) {
  EXPECT_FALSE(expression("(a+)+(a+)+(a+)+$").found_in(std::string(60000, 'a') + "b"));
}

TEST(PlayerPattern, takes_the_first_number_the_sum_or_the_count) {
  const std::string text = "red: 3\nblue: 4\n";
  const auto number = expression("(?m)^\\w+: (\\d+)$");
  EXPECT_EQ(players_in(text, {number, Rule::first}), 3U);
  EXPECT_EQ(players_in(text, {number, Rule::sum}), 7U);
  EXPECT_EQ(players_in(text, {number, Rule::count}), 2U);
  EXPECT_EQ(players_in("ann\nbob\n", {expression("(?m)^."), Rule::count}), 2U)
      << "^ is the beginning of a line of the text, not of what is left of it";
}

TEST(PlayerPattern, nothing_is_no_number_but_a_sum_and_a_count_of_zero) {
  EXPECT_EQ(players_in("", {expression("(\\d+)"), Rule::first}), std::nullopt);
  EXPECT_EQ(players_in("", {expression("(\\d+)"), Rule::sum}), 0U);
  EXPECT_EQ(players_in("", {expression("(\\d+)"), Rule::count}), 0U);
  EXPECT_EQ(players_in("n: x", {expression("n: (.)"), Rule::first}), std::nullopt);
  EXPECT_EQ(players_in("n: 99999999999999", {expression("(\\d+)"), Rule::first}), std::nullopt);
  EXPECT_EQ(players_in("900000 900000", {expression("(\\d+)"), Rule::sum}), std::nullopt);
}

TEST(PlayerPattern, an_expression_that_matches_nothing_is_not_counted_for_ever) {
  EXPECT_EQ(players_in("abc", {expression("x*"), Rule::count}), 4U);
}

TEST(PlayerPattern, reads_a_byte_of_a_binary_answer) {
  EXPECT_EQ(
      players_in("inf3\0\x07\x08"s, {expression("(?s)inf3\\x00(.)"), Rule::first, Number::byte}),
      7U);
}

}  // namespace
}  // namespace fixkeep::probe
