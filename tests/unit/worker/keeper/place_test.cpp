#include "worker/keeper/place.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "worker/keeper/room_files.hpp"

namespace fixkeep::worker::keeper {
namespace {

namespace fs = std::filesystem;

struct Place : testing::Test {
  Place() {
    plan.program = "/bin/true";
    plan.game.command = {"true"};
    plan.place = (folder / "room").string();
    plan.own_folder = RoomFiles{plan.place}.game();
  }

  [[nodiscard]] static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream{path}.rdbuf();
    return text.str();
  }
  [[nodiscard]] static mode_t mode_of(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
  }

  [[nodiscard]] static uid_t owner_of(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_uid : ~uid_t{0};
  }

  test::TemporaryFolder folder;
  Plan plan;
};

TEST_F(Place, has_folders_and_files_that_nobody_else_can_read) {
  plan.game.files = {{"server.cfg", "port 1\n"}, {"a/b/deep.txt", "deep"}};
  ASSERT_EQ(make_place(plan), "");
  const RoomFiles files{plan.place};
  EXPECT_EQ(text_of(files.game() + "/server.cfg"), "port 1\n");
  EXPECT_EQ(text_of(files.game() + "/a/b/deep.txt"), "deep");
  EXPECT_EQ(mode_of(files.folder), 0711U);
  EXPECT_EQ(mode_of(files.game()), 0700U);
  EXPECT_EQ(mode_of(files.game() + "/a/b"), 0700U);
  EXPECT_EQ(mode_of(files.game() + "/server.cfg"), 0600U);
  EXPECT_TRUE(remove_place(plan.place));
  EXPECT_FALSE(fs::exists(plan.place));
}

// As one that was there first would have it, to be given what is behind the link.
TEST_F(Place, is_made_nowhere_else_by_a_link) {
  const auto victim = folder / "victim";
  fs::create_directory(victim);
  fs::permissions(victim, fs::perms{0755});
  fs::create_directory(plan.place);
  fs::create_directory_symlink(victim, plan.own_folder);
  plan.game.files = {{"server.cfg", "port 1\n"}};
  EXPECT_EQ(make_place(plan), "cannot make the folder " + plan.place + ": File exists");
  EXPECT_EQ(mode_of(victim.string()), 0755U);
  EXPECT_TRUE(fs::is_empty(victim));
}

// A game of the same user in another room would plant a link there meanwhile.
TEST_F(Place, is_given_away_when_it_is_whole) {
  ASSERT_EQ(::geteuid(), 0U) << "only root gives folders away: run this as root";
  constexpr uid_t user = 65534;
  plan.user = Plan::User{user, user, {}};
  plan.game.files = {{"conf/same", "1"}, {"conf/same", "2"}};
  EXPECT_EQ(make_place(plan), "cannot write " + plan.own_folder + "/conf/same: File exists");
  EXPECT_EQ(owner_of(plan.own_folder), 0U) << "closed to all others";
  EXPECT_EQ(mode_of(plan.own_folder), 0700U);
  EXPECT_TRUE(remove_place(plan.place));
  plan.game.files.pop_back();
  EXPECT_EQ(make_place(plan), "");
  for (const char* each : {"", "/conf", "/conf/same"}) {
    EXPECT_EQ(owner_of(plan.own_folder + each), user) << each;
  }
  EXPECT_EQ(owner_of(plan.place), 0U);
}

TEST_F(Place, says_what_cannot_be_made) {
  plan.game.files = {{"same", "1"}, {"same", "2"}};
  EXPECT_EQ(make_place(plan), "cannot write " + plan.own_folder + "/same: File exists");
  plan.place = (folder / "no/such").string();
  EXPECT_EQ(make_place(plan),
            "cannot make the folder " + plan.place + ": No such file or directory");
}

TEST_F(Place, is_where_the_next_worker_finds_the_keeper) {
  EXPECT_FALSE(connect_in(plan.place));
  ASSERT_EQ(make_place(plan), "");
  const auto control = listen_in(plan.place);
  ASSERT_TRUE(control) << control.error().message();
  const auto connection = connect_in(plan.place);
  ASSERT_TRUE(connection) << connection.error().message();
  EXPECT_EQ(mode_of(RoomFiles{plan.place}.control()), 0600U);
  ::close(*connection);
  ::close(*control);
}

TEST_F(Place, has_those_control_groups_that_can_be_made_and_tells_of_the_others) {
  ASSERT_EQ(make_place(plan), "");
  const auto good = (folder / "fixkeep-1").string();
  const auto bad = (folder / "no/such").string();
  plan.cgroup = {good, bad};
  plan.game.limits.processes = 5;
  std::vector<std::string> said;
  make_cgroup(plan, [&](const std::string& what, const std::string&, const std::string& why) {
    said.push_back(what + ": " + why);
  });
  EXPECT_THAT(plan.cgroup, testing::ElementsAre(good));
  EXPECT_TRUE(fs::exists(good));
  EXPECT_THAT(said, testing::ElementsAre(
                        "cannot make the control group of a room: No such file or directory",
                        "limits of a game do not hold: processes: No such file or directory"));
}

}  // namespace
}  // namespace fixkeep::worker::keeper
