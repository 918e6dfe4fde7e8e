#include "tests/tidy/tree.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::tidy {
namespace {

class TreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path() / "clients/__pycache__");
    write("clients/client.py");
    write("clients/__pycache__/client.pyc");
  }
  void write(const std::string& path) { std::ofstream{folder_.path() / path} << path; }
  void git(const std::string& command) {
    const auto line = "git -C " + folder_.path().string() + ' ' + command;
    ASSERT_EQ(std::system(line.c_str()), 0) << line;
  }
  std::vector<std::string> paths() {
    std::vector<std::string> found;
    for (const auto& file : load_tree(folder_.path())) found.push_back(file.path);
    return found;
  }
  using Paths = std::vector<std::string>;

 private:
  test::TemporaryFolder folder_;
};

TEST_F(TreeTest, has_the_files_that_git_tracks) {
  git("init -q");
  git("add clients/client.py");
  EXPECT_EQ(paths(), (Paths{"clients/client.py"}));
}

TEST_F(TreeTest, has_all_files_where_git_cannot_say) {
  EXPECT_EQ(paths(), (Paths{"clients/__pycache__/client.pyc", "clients/client.py"}));
}

}  // namespace
}  // namespace fixkeep::tidy
