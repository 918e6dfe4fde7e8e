#include "common/process/program.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::process {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;

struct ProgramTest : testing::Test {
  ProgramTest() {
    fs::create_directories(base / "empty" / "game");  // a folder of that name is no program
    fs::create_directories(base / "bin");
    std::ofstream{base / "bin" / "game"} << "#!/bin/sh\n";
  }
  [[nodiscard]] FoundProgram find(const std::string& name) const {
    return find_program(name, {(base / "empty").string(), (base / "bin").string()});
  }
  test::TemporaryFolder base;
};

TEST_F(ProgramTest, is_found_in_the_first_folder_that_can_execute_it) {
  EXPECT_EQ(find("game").path, "");
  EXPECT_THAT(find("game").problem, EndsWith("/empty/game: is a folder"));
  fs::permissions(base / "bin" / "game", fs::perms::owner_all);
  EXPECT_EQ(find("game").path, (base / "bin" / "game").string());
  EXPECT_EQ(find("game").problem, "");
}

TEST_F(ProgramTest, is_not_there_for_a_reason) {
  EXPECT_EQ(find("no-such-game").problem, "not in PATH");
  EXPECT_EQ(find("").problem, "it has no name");
  EXPECT_EQ(find((base / "no" / "game").string()).problem, "No such file or directory");
  EXPECT_EQ(find((base / "bin" / "game").string()).problem, "Permission denied");
  EXPECT_EQ(find(base.string()).problem, "is a folder");
  EXPECT_EQ(find("/dev/null").problem, "is no regular file");
}

}  // namespace
}  // namespace fixkeep::process
