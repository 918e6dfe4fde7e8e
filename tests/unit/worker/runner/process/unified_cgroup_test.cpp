// A worker in a control group of version 2 that hands a controller on. It needs a controller that
// the root of this machine hands on, and says so if there is none.
#include "worker/runner/process/unified_cgroup.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <sstream>

#include "worker/keeper/cgroup.hpp"
#include "worker/runner/process/cgroup_places.hpp"

namespace fixkeep::worker {
namespace {

using keeper::Cgroup;
using keeper::read_control;
using testing::HasSubstr;
using testing::Not;

struct UnifiedCgroupTest : testing::Test {
  UnifiedCgroupTest() {
    const auto root = find_cgroup_places().unified;
    std::istringstream{read_control(root + "/cgroup.subtree_control")} >> controller;
    if (root.empty() || controller.empty()) {
      std::puts("the root of version 2 hands on no controller on this machine");
      return;
    }
    const auto place = root + "/fixkeep-test-" + std::to_string(::getpid()) + "-" +
                       testing::UnitTest::GetInstance()->current_test_info()->name();
    if (::mkdir(place.c_str(), 0755) == 0) folder = place;
  }
  ~UnifiedCgroupTest() override {
    if (folder.empty()) return;
    const Cgroup made{{folder + "/" + UnifiedCgroup::leaf, folder}};
    EXPECT_TRUE(made.end_within(std::chrono::seconds{10}));
    while (::waitpid(-1, nullptr, 0) > 0) continue;
  }
  // A process in the group that does this, and then waits to be killed; how it ended if it failed.
  template <class Do>
  pid_t in_group(Do act) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    if (Cgroup{{folder}}.enter() != 0) ::_exit(1);
    ::_exit(act());
  }
  [[nodiscard]] bool somebody_is_in_it() const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (Cgroup{{folder}}.members().empty()) {
      if (std::chrono::steady_clock::now() > until) return false;
      ::usleep(1000);
    }
    return true;
  }
  static int exit_code(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] std::string enabled() const {
    return read_control(folder + "/cgroup.subtree_control");
  }

  std::string controller;
  std::string folder;
};

TEST_F(UnifiedCgroupTest, hands_a_controller_on_when_the_worker_and_its_keepers_are_in_the_leaf) {
  if (folder.empty()) return;
  const pid_t kept = in_group([] { return ::pause(); });
  ASSERT_TRUE(somebody_is_in_it());
  const int code = exit_code(in_group([&] {
    const UnifiedCgroup group{folder, [&] { return std::vector<pid_t>{kept}; }};
    if (!group.enable(controller).empty()) return 2;
    const UnifiedCgroup next{folder + "/" + UnifiedCgroup::leaf,
                             [] { return std::vector<pid_t>{}; }};
    if (next.folder() != folder || !next.enable(controller).empty()) return 3;
    return find_cgroup_places().unified == folder + "/" + UnifiedCgroup::leaf ? 0 : 4;
  }));
  EXPECT_EQ(code, 0);
  EXPECT_THAT(enabled(), HasSubstr(controller));
  EXPECT_THAT(Cgroup{{folder + "/" + UnifiedCgroup::leaf}}.members(), testing::ElementsAre(kept));
}

TEST_F(UnifiedCgroupTest, with_processes_of_others_hands_nothing_on_and_the_worker_stays) {
  if (folder.empty()) return;
  const pid_t other = in_group([] { return ::pause(); });
  ASSERT_TRUE(somebody_is_in_it());
  const int code = exit_code(in_group([&] {
    const UnifiedCgroup group{folder, [] { return std::vector<pid_t>{}; }};
    if (group.enable(controller).find("busy") == std::string::npos) return 2;
    return find_cgroup_places().unified == folder ? 0 : 3;
  }));
  EXPECT_EQ(code, 0);
  EXPECT_THAT(enabled(), Not(HasSubstr(controller)));
  EXPECT_THAT(Cgroup{{folder}}.members(), testing::ElementsAre(other)) << "not ours to move";
  EXPECT_NE(::access((folder + "/" + UnifiedCgroup::leaf).c_str(), F_OK), 0);
}

TEST_F(UnifiedCgroupTest, says_what_a_unit_needs_that_has_no_controllers) {
  if (folder.empty()) return;
  const UnifiedCgroup group{folder, [] { return std::vector<pid_t>{}; }};
  EXPECT_THAT(group.enable("no-such"), HasSubstr("has no controller \"no-such\" (a unit of systemd "
                                                 "needs Delegate=yes)"));
}

}  // namespace
}  // namespace fixkeep::worker
