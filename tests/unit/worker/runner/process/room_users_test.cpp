// Games that run as users of their own, on a machine that does not let the worker see whose sockets
// are theirs.
#include "worker/runner/process/room_users.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tests/support/capabilities.hpp"

namespace fixkeep::worker {
namespace {

using ::testing::HasSubstr;

// What is logged when two rooms of this user get theirs.
std::string said_of_rooms_as(const std::string& user) {
  std::string said;
  std::thread{[&] {
    support::give_up_capability(CAP_SYS_PTRACE);
    ::testing::internal::CaptureStderr();
    RoomUsers users{UserRange{}};
    for (int room = 0; room < 2; ++room) {
      Launch launch;
      launch.user = user;
      (void)users.user_for(launch);
    }
    said = ::testing::internal::GetCapturedStderr();
  }}.join();
  return said;
}

TEST(RoomUsers, warn_once_that_the_sockets_of_other_users_cannot_be_seen) {
  const auto said = said_of_rooms_as("65534");
  if (::geteuid() != 0) {
    EXPECT_EQ(said, "") << "no game runs as another user";
    return;
  }
  EXPECT_THAT(said, HasSubstr("CAP_SYS_PTRACE"));
  EXPECT_THAT(said, HasSubstr("--cap-add SYS_PTRACE"));
  EXPECT_EQ(said.find("games of other users"), said.rfind("games of other users")) << said;
}

TEST(RoomUsers, warn_of_nothing_if_games_run_as_the_worker_does) {
  EXPECT_EQ(said_of_rooms_as(""), "");
  EXPECT_EQ(said_of_rooms_as(std::to_string(::geteuid())), "");
}

}  // namespace
}  // namespace fixkeep::worker
