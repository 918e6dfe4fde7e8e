// Limits as files, whose names and units differ between the versions of control groups.
#include "worker/keeper/room_limits.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker {
namespace {

constexpr RoomLimits example_limits{.memory_mib = 64, .processes = 12};

// A folder with files that can be written, where the kernel would have them.
struct RoomLimitsTest : testing::Test {
  void have(const std::string& name, const std::string& text) const {
    std::ofstream{folder / name} << text;
  }
  [[nodiscard]] std::string now(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream{folder / name}.rdbuf();
    return text.str();
  }
  [[nodiscard]] keeper::Cgroup cgroup() const { return keeper::Cgroup{{folder.string()}}; }

  test::TemporaryFolder folder;
};

TEST_F(RoomLimitsTest, of_version_2_are_set_and_leave_no_way_into_swap) {
  for (const char* name : {"memory.max", "memory.swap.max", "pids.max"}) have(name, "");
  EXPECT_EQ(set_limits(cgroup(), example_limits), "");
  EXPECT_EQ(now("memory.max"), "67108864");
  EXPECT_EQ(now("memory.swap.max"), "0");
  EXPECT_EQ(now("pids.max"), "12");
}

TEST_F(RoomLimitsTest, of_version_1_are_set_and_leave_no_way_into_swap) {
  for (const char* name : {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "pids.max"}) {
    have(name, "");
  }
  EXPECT_EQ(set_limits(cgroup(), example_limits), "");
  EXPECT_EQ(now("memory.limit_in_bytes"), "67108864");
  EXPECT_EQ(now("memory.memsw.limit_in_bytes"), "67108864");
  EXPECT_EQ(now("pids.max"), "12");
}

TEST_F(RoomLimitsTest, that_are_not_wanted_change_nothing) {
  for (const char* name : {"memory.max", "pids.max"}) have(name, "x");
  EXPECT_EQ(set_limits(cgroup(), {}), "");
  EXPECT_EQ(now("memory.max") + now("pids.max"), "xx");
}

TEST_F(RoomLimitsTest, that_cannot_be_set_are_named) {
  have("pids.max", "");
  EXPECT_EQ(set_limits(cgroup(), example_limits), "memory: No such file or directory");
  EXPECT_EQ(now("pids.max"), "12") << "the other one holds";
  EXPECT_NE(set_limits(keeper::Cgroup{}, example_limits), "") << "no room has none";
}

TEST_F(RoomLimitsTest, that_were_lost_come_back_and_others_stay_as_they_were) {
  have("memory.max", "max\n");
  have("memory.swap.max", "max\n");
  have("pids.max", "500\n");
  EXPECT_EQ(set_limits(cgroup(), example_limits, true), "");
  EXPECT_EQ(now("memory.max").substr(0, 8), "67108864");
  EXPECT_EQ(now("memory.swap.max").substr(0, 1), "0");
  EXPECT_EQ(now("pids.max"), "500\n") << "a room that runs ends as it was started";
}

}  // namespace
}  // namespace fixkeep::worker
