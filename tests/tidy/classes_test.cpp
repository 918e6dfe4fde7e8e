#include <gtest/gtest.h>

#include "tests/tidy/findings.hpp"

namespace fixkeep::tidy {
namespace {

Rules classes_broken(const std::vector<SourceFile>& tree) {
  return rules_of(check_classes(tree));
}

std::string methods(int count, int first = 0) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    text += "int Hub::Impl::m" + std::to_string(i) + "(int x) {\n  return x;\n}\n";
  }
  return text;
}

std::string booleans(int count) {
  std::string text = "struct Life {\n";
  for (int i = 0; i < count; ++i) text += "  bool b" + std::to_string(i) + " = false;\n";
  return text + "  bool is_over() const;\n};\n";
}

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "// a line\n";
  return text;
}

TEST(TidyClasses, have_sixty_methods_at_most_wherever_they_are_defined) {
  EXPECT_EQ(classes_broken({{"common/a.cpp", methods(30)}, {"common/b.cpp", methods(30, 30)}}),
            Rules{});
  EXPECT_EQ(classes_broken({{"common/a.cpp", methods(30)}, {"common/b.cpp", methods(31, 30)}}),
            Rules{"class_methods"});
  EXPECT_EQ(classes_broken({{"tests/a.cpp", methods(99)}}), Rules{});
}

TEST(TidyClasses, are_defined_in_four_files_at_most) {
  std::vector<SourceFile> tree;
  for (const char* file : {"a", "b", "c", "d"}) {
    tree.push_back({std::string{"common/"} + file + ".cpp", methods(1)});
  }
  EXPECT_EQ(classes_broken(tree), Rules{});
  tree.push_back({"common/e.cpp", methods(1)});
  EXPECT_EQ(classes_broken(tree), Rules{"class_files"});
  tree.back().path = "worker/e.cpp";
  EXPECT_EQ(classes_broken(tree), Rules{}) << "another class of this name";
}

TEST(TidyClasses, have_eight_booleans_at_most) {
  EXPECT_EQ(classes_broken({{"common/a.hpp", booleans(8)}}), Rules{});
  EXPECT_EQ(classes_broken({{"common/a.hpp", booleans(9)}}), Rules{"class_booleans"});
}

TEST(TidyUnits, of_few_lines_have_several_users_or_one_that_is_elsewhere) {
  const SourceFile user{"common/b.cpp", "#include \"common/a.hpp\"\n"};
  EXPECT_EQ(classes_broken({{"common/a.hpp", lines(59)}, user}), Rules{"small_unit"});
  EXPECT_EQ(classes_broken({{"common/a.hpp", lines(60)}, user}), Rules{});
  EXPECT_EQ(classes_broken({{"common/a.hpp", lines(30)}, {"common/a.cpp", lines(30)}, user}),
            Rules{});
  EXPECT_EQ(classes_broken({{"common/a.hpp", lines(9)}, user, {"tests/c.cpp", user.text}}),
            Rules{});
  EXPECT_EQ(classes_broken({{"common/a.hpp", lines(9)}, {"worker/b.cpp", user.text}}), Rules{});
}

}  // namespace
}  // namespace fixkeep::tidy
