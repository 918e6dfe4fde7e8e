#include "worker/runner/process/cgroup_places.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker {
namespace {

constexpr auto other_mounts =
    "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
    "23 22 0:21 / /proc rw,nosuid shared:13 - proc proc rw\n"
    "not a line of this file\n"
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n";

CgroupPlaces places(const std::string& mounts, const std::string& own) {
  return to_cgroup_places(other_mounts + mounts, own);
}

TEST(CgroupPlaces, of_version_2_are_one) {
  const auto mount =
      "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
  EXPECT_EQ(places(mount, "0::/system.slice/fixkeep-worker.service\n"),
            CgroupPlaces{.unified = "/sys/fs/cgroup/system.slice/fixkeep-worker.service"});
  EXPECT_EQ(places(mount, "0::/\n"), CgroupPlaces{.unified = "/sys/fs/cgroup"});
  EXPECT_EQ(places(mount, "0::/a:b c\n"), CgroupPlaces{.unified = "/sys/fs/cgroup/a:b c"});
}

TEST(CgroupPlaces, of_version_1_are_told_by_their_controllers) {
  EXPECT_EQ(
      places(
          "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
          "33 31 0:30 / /sys/fs/cgroup/memory rw shared:7 master:8 - cgroup none rw,memory\n"
          "34 31 0:31 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
          "35 31 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
          "36 31 0:33 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n",
          "12:cpuset:/other\n5:cpuacct,cpu:/user\n4:memory:/user/0\n3:pids:/\n1:name=systemd:/x\n"),
      (CgroupPlaces{.memory = "/sys/fs/cgroup/memory/user/0", .processes = "/sys/fs/cgroup/pids"}));
}

TEST(CgroupPlaces, of_a_hybrid_machine_are_of_both_versions) {
  EXPECT_EQ(
      places("35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
             "4:memory:/m\n1:pids:/\n0::/u\n"),
      (CgroupPlaces{.unified = "/sys/fs/cgroup/unified/u", .memory = "/sys/fs/cgroup/memory/m"}))
      << "pids is mounted nowhere";
}

// Without a cgroup namespace the mount shows the container's part, and paths are those of the host.
TEST(CgroupPlaces, in_a_container_are_below_what_its_mount_shows) {
  const auto mount = [](const std::string& root) {
    return "32 31 0:29 " + root + " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
  };
  const std::string own = "4:memory:/docker/0a1b\n";
  const std::string folder = "/sys/fs/cgroup/memory";
  EXPECT_EQ(places(mount("/docker/0a1b"), own).memory, folder);
  EXPECT_EQ(places(mount("/docker"), own).memory, folder + "/0a1b");
  EXPECT_EQ(places(mount("/docker/0a1b"), "4:memory:/docker/0a1b/in/it\n").memory,
            folder + "/in/it");
  EXPECT_EQ(places(mount("/docker/0a1"), own), CgroupPlaces{}) << "another container";
  EXPECT_EQ(places(mount("/docker/ffff"), own), CgroupPlaces{}) << "not shown";
}

TEST(CgroupPlaces, outside_of_a_namespace_cannot_be_reached) {
  const auto mount = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(places(mount, "0::/../other\n"), CgroupPlaces{});
  EXPECT_EQ(places(mount, "0::/..\n"), CgroupPlaces{});
  EXPECT_EQ(places(mount, "0::/..a\n").unified, "/sys/fs/cgroup/..a") << "a name like any other";
}

TEST(CgroupPlaces, that_can_be_written_are_preferred) {
  EXPECT_EQ(places("30 23 0:26 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup2 rw\n"
                   "50 23 0:26 / /run/my\\040cgroups rw - cgroup2 cgroup2 rw\n",
                   "0::/\n"),
            CgroupPlaces{.unified = "/run/my cgroups"});
  EXPECT_EQ(places("30 23 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", "0::/\n"),
            CgroupPlaces{.unified = "/sys/fs/cgroup"})
      << "what is wrong with it is told when it is tried";
}

TEST(CgroupPlaces, of_a_machine_without_any_are_none) {
  EXPECT_EQ(to_cgroup_places("", ""), CgroupPlaces{});
  EXPECT_EQ(places("", "0::/\n4:memory:/\n"), CgroupPlaces{});
  EXPECT_EQ(places("32 31 0:29 / /m rw - cgroup cgroup rw,memory\n", "garbage\n:::\n\n"),
            CgroupPlaces{});
}

}  // namespace
}  // namespace fixkeep::worker
