#include "tests/tidy/rules.hpp"

#include <gtest/gtest.h>

#include "tests/tidy/findings.hpp"

namespace fixkeep::tidy {
namespace {

Rules rules_broken(const std::vector<SourceFile>& tree) {
  return rules_of(check_tree(tree));
}

Rules rules_broken(const std::string& path, const std::string& text) {
  return rules_broken({{path, text}});
}

TEST(TidyRules, accepts_a_well_formed_tree) {
  EXPECT_EQ(rules_broken({{"common/base/a.hpp", header_start},
                          {"common/wire/b.cpp", "#include \"common/base/a.hpp\"\n"},
                          {"common/wire/CMakeLists.txt", "b.cpp\n"}}),
            Rules{});
}

TEST(TidyRules, wants_every_source_built) {
  EXPECT_EQ(rules_broken({{"tests/unit/a_test.cpp", "\n"}, {"tests/unit/CMakeLists.txt", "\n"}}),
            Rules{"built"});
}

TEST(TidyRules, measures_files_lines_and_functions) {
  std::string body;
  for (int i = 0; i < 69; ++i) body += "  f();\n";
  const auto function = [&](const std::string& more) {
    return header_start + "namespace n {\nstruct S {\n  void g() {\n" + body + more +
           "  }\n};\n}\n";
  };
  EXPECT_EQ(rules_broken("tests/a.hpp", function("")), (Rules{"function_lines"}));
  EXPECT_EQ(rules_broken("tests/a.hpp", header_start + std::string(199, '\n')),
            Rules{"file_lines"});
  EXPECT_EQ(rules_broken("tests/a.hpp", header_start + std::string(101, ' ') + "\n"),
            Rules{"line"});
}

TEST(TidyRules, wants_a_header_to_open_with_a_comment_and_to_guard_itself) {
  EXPECT_EQ(rules_broken("tests/a.hpp", "\n"), (Rules{"opening", "pragma"}));
}

TEST(TidyRules, refuses_tabs_carriage_returns_and_unfinished_work) {
  EXPECT_EQ(rules_broken("tests/a.hpp", header_start + "\t\n"), Rules{"tab"});
  EXPECT_EQ(rules_broken("scripts/a.sh", "echo\r\n"), Rules{"text"});
  EXPECT_EQ(rules_broken("docs/pictures/a.png", "\x89PNG\r\n"), Rules{}) << "a picture is no text";
  EXPECT_NE(rules_broken("docs/a.png", "\x89PNG\r\n"), Rules{}) << "pictures have one place";
  EXPECT_EQ(rules_broken("tests/fuzz/corpus/frames/a", "\r\n\xff"), Rules{}) << "any bytes";
  EXPECT_NE(rules_broken("tests/fuzz/a", "\r\n\xff"), Rules{}) << "fuzzers have one place";
  EXPECT_EQ(rules_broken("scripts/a.sh", std::string{"# TO"} + "DO\n"), Rules{"unfinished"});
}

TEST(TidyRules, refuses_what_a_tool_has_left_behind) {
  EXPECT_EQ(rules_broken("common/wire/a.cpp.orig", "\n"), Rules{"left_over"});
  EXPECT_EQ(rules_broken("docs/a.md.rej", "\n"), Rules{"left_over"});
  EXPECT_EQ(rules_broken("scripts/a.sh~", "\n"), Rules{"left_over"});
}

TEST(TidyRules, wants_every_file_that_is_named_to_be_there) {
  const std::vector<SourceFile> tree{
      {"common/base/a.hpp",
       header_start + "// See common" + "/base/b.hpp. Or common" + "/base/a.hpp.\n"},
      {"docs/hacking.md", "`common/base/c.cpp`, x/common/base/d.cpp, common/base/*.cpp\n"}};
  const auto findings = check_tree(tree);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].message, "there is no common/base/b.hpp");
  EXPECT_EQ(findings[1].message, "there is no common/base/c.cpp");
}

TEST(TidyRules, wants_tests_to_be_named_in_one_way) {
  EXPECT_EQ(
      rules_broken("tests/a.hpp", header_start + "TEST(Good, is_fine) {}\nTEST(Bad, IsNot) {}\n" +
                                      "TEST_F(bad,\n       too) {}\n"),
      (Rules{"test_name", "test_name"}));
}

TEST(TidyRules, blanks_literals_and_comments) {
  EXPECT_EQ(code_of("a(\"{\"); // {\nb('{', 1'000);"), "a(   );     \nb(   , 1'000);");
  EXPECT_EQ(code_of("R\"x({)\")x\";"), "          ;");
}

TEST(TidyExceptions, allow_what_they_name_and_no_more_of_it_than_there_is) {
  const std::vector<Finding> findings{{"a.hpp", 1, "file_lines", "", 250}};
  EXPECT_TRUE(apply_exceptions(findings, "file_lines a.hpp 250 because\n").empty());
  EXPECT_EQ(apply_exceptions(findings, "file_lines a.hpp 249 because\n").size(), 2U);
  EXPECT_EQ(apply_exceptions(findings, "file_lines a.hpp 251 because\n").size(), 2U);
}

TEST(TidyExceptions, fail_when_they_are_not_needed_or_give_no_reason) {
  EXPECT_EQ(apply_exceptions({}, "file_lines a.hpp 250 because\n").size(), 1U);
  EXPECT_EQ(apply_exceptions({}, "# a comment\nfile_lines a.hpp 250\n").size(), 1U);
}

}  // namespace
}  // namespace fixkeep::tidy
