#include "common/process/service_manager.hpp"

#include <gmock/gmock.h>

#include "tests/support/notify_socket.hpp"

namespace fixkeep::process {
namespace {

using testing::MatchesRegex;

constexpr std::chrono::seconds interval{20};

TEST(ServiceManager, is_told_in_words_of_sd_notify) {
  test::NotifySocket manager;
  tell_ready("serves at 10.0.0.7:8080");
  EXPECT_EQ(manager.told(), "READY=1\nSTATUS=serves at 10.0.0.7:8080");
  tell_reloading();
  EXPECT_THAT(manager.told(), MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+\nSTATUS=.*"));
  tell_stopping("waits");
  EXPECT_EQ(manager.told(), "STOPPING=1\nSTATUS=waits");
  tell_end_takes(std::chrono::seconds{3});
  EXPECT_EQ(manager.told(), "EXTEND_TIMEOUT_USEC=3000000");
  tell_alive();
  EXPECT_EQ(manager.told(), "WATCHDOG=1");
}

TEST(ServiceManager, that_is_not_there_is_told_nothing) {
  std::string place;
  {
    const test::NotifySocket manager{interval};
    place = std::getenv("NOTIFY_SOCKET");
    ASSERT_EQ(watchdog_interval(), interval);
  }
  tell_ready("serves");
  tell_alive();
  EXPECT_FALSE(watchdog_interval());
  EXPECT_NE(::access(place.c_str(), F_OK), 0);
}

TEST(ServiceManager, watches_only_the_process_that_it_has_started) {
  const test::NotifySocket manager{interval};
  EXPECT_EQ(watchdog_interval(), interval);
  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(watchdog_interval());
}

}  // namespace
}  // namespace fixkeep::process
