#include "worker/runner/process/kept_folders.hpp"

#include <gmock/gmock.h>
#include <cstdlib>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

struct KeptFoldersTest : testing::Test {
  // A room that has ended and left its world; the higher the number the younger it is.
  void leave(const std::string& name, int age_number) const {
    fs::create_directories(rooms / name / "game/saves");
    std::ofstream{rooms / name / "game/saves/world"} << "a world";
    const fs::file_time_type long_ago{std::chrono::hours{1}};
    fs::last_write_time(rooms / name, long_ago + std::chrono::seconds{age_number});
  }
  [[nodiscard]] std::set<std::string> names(KeptFolders& kept) const {
    kept.wait_for_removals();
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator{rooms.path()}) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }

  test::TemporaryFolder rooms;
};

TEST_F(KeptFoldersTest, the_oldest_go_first_those_of_earlier_runs_included) {
  leave("w1-a-2", 2);
  leave("w1-a-10", 1);
  leave("w1-a-3", 3);
  KeptFolders kept{rooms.string(), 3};
  kept.find();
  EXPECT_THAT(names(kept), ElementsAre("w1-a-10", "w1-a-2", "w1-a-3"));
  leave("w1-b-1", 4);
  kept.keep("w1-b-1");
  EXPECT_THAT(names(kept), ElementsAre("w1-a-2", "w1-a-3", "w1-b-1"));
  leave("w1-b-2", 5);
  kept.keep("w1-b-2");
  EXPECT_THAT(names(kept), ElementsAre("w1-a-3", "w1-b-1", "w1-b-2"));
}

TEST_F(KeptFoldersTest, rooms_that_left_nothing_and_rooms_that_live_do_not_count) {
  leave("w1-a-1", 1);
  KeptFolders kept{rooms.string(), 1};
  kept.find();
  leave("w1-b-7", 2);  // lives
  for (int i = 0; i < 5; ++i) kept.keep("w1-b-" + std::to_string(i));
  EXPECT_THAT(names(kept), ElementsAre("w1-a-1", "w1-b-7"));
}

TEST_F(KeptFoldersTest, a_bound_that_was_lowered_holds_from_the_start_on) {
  for (int i = 1; i <= 5; ++i) leave("w1-a-" + std::to_string(i), i);
  KeptFolders kept{rooms.string(), 2};
  kept.find();
  EXPECT_THAT(names(kept), ElementsAre("w1-a-4", "w1-a-5"));
}

TEST_F(KeptFoldersTest, a_room_that_an_earlier_run_left_alive_is_left_alone) {
  leave("w1-a-1", 1);
  std::ofstream{rooms / "w1-a-1/control"} << "its keeper's socket";
  KeptFolders kept{rooms.string(), 0};
  kept.find();
  EXPECT_THAT(names(kept), ElementsAre("w1-a-1"));
}

TEST_F(KeptFoldersTest, what_a_link_leads_to_stays) {
  leave("elsewhere", 9);
  fs::create_directories(rooms / "w1-a-1/game");
  fs::create_directory_symlink(rooms / "elsewhere/game", rooms / "w1-a-1/game/link");
  KeptFolders kept{rooms.string(), 0};
  kept.keep("w1-a-1");
  EXPECT_THAT(names(kept), ElementsAre("elsewhere"));
  EXPECT_TRUE(fs::exists(rooms / "elsewhere/game/saves/world"));
}

TEST_F(KeptFoldersTest, a_folder_that_is_not_there_is_no_trouble) {
  KeptFolders kept{(rooms / "none").string(), 1};
  kept.find();
  kept.keep("w1-a-1");
  EXPECT_TRUE(names(kept).empty());
}

}  // namespace
}  // namespace fixkeep::worker
