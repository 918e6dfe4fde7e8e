// The searches of a file as tests: those of the program, or of the file that is its argument.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

#include "tests/model/searches.hpp"

namespace fixkeep::model {
namespace {

class Searches : public testing::Test {
 public:
  explicit Searches(SearchTest test) : test_(std::move(test)) {}
  void TestBody() override { run(test_); }

 private:
  SearchTest test_;
};

void register_all(const std::string& path) {
  std::ifstream file{path};
  if (!file) throw std::runtime_error("cannot be read");
  for (auto& test : read_searches(file)) {
    const auto suite = test.suite;
    const auto name = test.name;
    testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [test = std::move(test)]() -> Searches* { return new Searches{test}; });
  }
}

std::string complaint(const std::string& text) {
  std::istringstream file{text};
  try {
    return read_searches(file).empty() ? "nothing" : "all is well";
  } catch (const std::runtime_error& error) { return error.what(); }
}

TEST(SearchFile, says_which_line_is_wrong) {
  EXPECT_EQ(complaint("lock lamport, connected\nA.b at least 2k\n  all of 1k: no first\n"),
            "all is well");
  EXPECT_EQ(complaint("lock abacus\n"), "line 1, `lock abacus`: no such lock");
  EXPECT_EQ(complaint("A.b\n  all of 1k: no fun\n"),
            "line 2, `  all of 1k: no fun`: no such option: fun");
  EXPECT_EQ(complaint("A.b\n  all of them: grace\n"),
            "line 2, `  all of them: grace`: a number is missing: them");
  EXPECT_EQ(complaint("A.b at least 2k\n"), "b searches nothing");
  EXPECT_EQ(complaint("  first 1k: grace\n"), "line 1, `  first 1k: grace`: a search of no test");
}

TEST(SearchFile, fails_where_a_search_finds_something_else) {
  const auto fails = [](const std::string& text) {
    std::istringstream file{text};
    testing::TestPartResultArray failures;
    const testing::ScopedFakeTestPartResultReporter reporter{&failures};
    run(read_searches(file).at(0), true);
    return failures.size();
  };
  EXPECT_EQ(fails("A.b at least 10\n  all of 1k: connected\n"), 0);
  EXPECT_EQ(fails("A.b at least 1k\n  all of 1k: connected\n"), 1);
  EXPECT_EQ(fails("A.b\n  all of 10: connected\n"), 1);
  EXPECT_EQ(fails("A.b\n  first 1k: connected\n"), 1);
  EXPECT_EQ(fails("A.b\n  all of 1k: no hello\n"), 1);
  EXPECT_EQ(fails("A.b\n  two holders within 1: no hello\n"), 1);
  EXPECT_EQ(fails("A.b\n  two rooms within 2: no hello\n"), 1);
  EXPECT_EQ(fails("A.b\n  two holders within 5: link losses 1, connected, exclusive\n"), 0);
}

}  // namespace
}  // namespace fixkeep::model

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string path = argc > 1 ? argv[1] : FIXKEEP_SEARCHES;
  try {
    fixkeep::model::register_all(path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), error.what());
    return 2;
  }
  return RUN_ALL_TESTS();
}
