#include <gtest/gtest.h>

#include "tests/tidy/rules.hpp"

namespace fixkeep::tidy {
namespace {

const std::string glossary_text =
    "| word | meaning |\n|---|---|\n| seat | a place |\n"
    "\nWords to avoid, since:\n\n| word | what was meant | better |\n|---|---|---|\n"
    "| bungle | much | come to rest |\n| yearn | more | ask |\n\n# Next\n\n| other | x | y |\n";

std::vector<Finding> findings_in(const std::string& code, const std::string& path = "a/b.cpp") {
  return check_words({{"docs/design.md", glossary_text}, {path, code}});
}

TEST(TidyWords, refuses_each_form_of_a_word_to_avoid_in_an_identifier) {
  for (const char* name :
       {"bungle", "bungles_", "bungled", "BungledView", "worker_bungle_ms", "unbungled",
        "most_unbungled", "Yearn", "yearned_rooms", "aYearning", "TLSYearn", "YEARN_MOST"}) {
    const auto findings = findings_in("\nint " + std::string{name} + ";\n");
    ASSERT_EQ(findings.size(), 1U) << name;
    EXPECT_EQ(findings[0].line, 2) << name;
    EXPECT_EQ(findings[0].size, 1) << name;
  }
  EXPECT_EQ(findings_in("int seat, others, rubungle;\n").size(), 0U);
}

TEST(TidyWords, counts_the_uses_of_a_word_in_a_file) {
  const auto findings = findings_in("int bungle, unbungled, yearn;\n", "a/b.hpp");
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].rule, "word:bungle");
  EXPECT_EQ(findings[0].size, 2);
  EXPECT_EQ(findings[1].rule, "word:yearn");
  EXPECT_TRUE(apply_exceptions(findings,
                               "word:bungle a/b.hpp 2 it is ours\n"
                               "word:yearn a/b.hpp 1 it is theirs\n")
                  .empty());
}

TEST(TidyWords, leave_prose_text_and_other_files_alone) {
  EXPECT_TRUE(findings_in("// bungle\nauto text = \"bungle\";\n").empty());
  EXPECT_TRUE(findings_in("bungle\n", "docs/a.md").empty());
}

TEST(TidyWords, wants_comments_of_the_product_to_begin_with_a_subject) {
  const std::string code =
      "// What a room is.\n\nint a;  // of a room\n  // Of two lines\n  // As this one.\nint b;\n"
      "// The room is open.\n// How it closes is another matter.\n// Offers are none.\nint c;\n";
  const auto findings = findings_in(code, "master/a.cpp");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "comment");
  EXPECT_EQ(findings[0].line, 1);
  EXPECT_EQ(findings[0].size, 2);
  EXPECT_TRUE(findings_in(code, "tests/unit/a.cpp").empty());
}

TEST(TidyWords, wants_a_glossary_that_lists_words) {
  EXPECT_EQ(check_words({{"docs/design.md", "# Glossary\n\n| word | meaning |\n"}}).size(), 1U);
  EXPECT_EQ(check_words({}).size(), 1U);
}

}  // namespace
}  // namespace fixkeep::tidy
