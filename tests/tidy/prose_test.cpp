#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tidy/findings.hpp"

namespace fixkeep::tidy {
namespace {

bool breaks(const std::string& rule, const std::string& path, const std::string& text) {
  const auto rules = rules_of(check_prose({{path, text}}));
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

const std::string plain = "The worker starts a room. You run the demo now. ";

TEST(TidyProse, finds_nothing_in_plain_sentences) {
  EXPECT_TRUE(check_prose({{"docs/a.md", plain}, {"common/a.hpp", "// " + plain}}).empty());
}

TEST(TidyProse, counts_words_and_commas_of_a_sentence) {
  const auto wordy = "The " + times(14, "very ") + "long sentence ends here. ";
  EXPECT_TRUE(breaks("words", "docs/a.md", wordy));
  EXPECT_TRUE(breaks("long_sentences", "docs/a.md",
                     times(8, plain) + times(3, "The " + times(26, "very ") + "long one ends. ")));
  EXPECT_TRUE(breaks("commas", "docs/a.md", "It is here, there, and everywhere now. "));
  EXPECT_FALSE(breaks("words", "tests/a.md", wordy));
}

TEST(TidyProse, counts_openings_without_a_subject_and_words_that_name_nothing) {
  EXPECT_TRUE(breaks("openings", "docs/a.md", times(9, plain) + "Of this it has two. "));
  EXPECT_TRUE(breaks("openings", "common/a.hpp", "// Who leaves the room is gone.\n"));
  EXPECT_TRUE(breaks("vague", "docs/a.md", times(5, plain) + "It is there for nobody else. "));
}

TEST(TidyProse, reads_no_code_and_no_table) {
  EXPECT_FALSE(breaks("openings", "docs/a.md",
                      plain + "\n```sh\nOf these commands none is read.\n```\n"
                              "| Of a | table none is read |\n# Of a heading none\n"));
  EXPECT_FALSE(breaks("commas", "docs/a.md", "The call is `f(a, b, c, d)` and no more. "));
}

TEST(TidyProse, finds_lines_that_are_too_long_outside_of_tables) {
  EXPECT_TRUE(breaks("long_lines", "docs/a.md", times(30, "word ")));
  EXPECT_FALSE(breaks("long_lines", "docs/a.md", "| " + times(30, "word ") + "|"));
}

TEST(TidyProse, counts_comments_behind_code_that_cannot_stand_alone) {
  EXPECT_TRUE(
      breaks("fragments", "common/a.cpp", times(41, "int a = 0;  // of the first claim\n")));
  EXPECT_FALSE(
      breaks("fragments", "common/a.cpp", times(40, "int a = 0;  // of the first claim\n")));
  EXPECT_FALSE(breaks("fragments", "common/a.cpp", times(41, "int a = 0;  // age of the claim\n")));
}

}  // namespace
}  // namespace fixkeep::tidy
