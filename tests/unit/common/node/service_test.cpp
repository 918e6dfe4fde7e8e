#include "common/node/service.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "tests/support/notify_socket.hpp"

namespace fixkeep::node {
namespace {

using std::chrono::milliseconds;
using testing::StartsWith;

constexpr milliseconds watchdog{40};
constexpr milliseconds soon{20'000};  // no test takes so long; it fails then

struct ServiceTest : testing::Test {
  // The next that is told, but for beats.
  std::string news() {
    std::string text = manager.told(soon);
    while (text == "WATCHDOG=1") text = manager.told(soon);
    return text;
  }
  std::vector<std::string> all_told() {
    std::vector<std::string> texts;
    for (auto text = manager.told(); !text.empty(); text = manager.told()) texts.push_back(text);
    return texts;
  }

  test::NotifySocket manager{watchdog};
  boost::asio::io_context context{1};
};

TEST_F(ServiceTest, says_that_it_serves_and_goes_on_saying_that_it_lives) {
  const auto begin = std::chrono::steady_clock::now();
  Service service{context, "serves"};
  EXPECT_EQ(manager.told(), "READY=1\nSTATUS=serves");
  EXPECT_EQ(manager.told(), "WATCHDOG=1");
  for (int beats = 0; beats < 3; ++beats) {
    context.run_one();
    EXPECT_EQ(manager.told(), "WATCHDOG=1");
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 3 * watchdog / 2);
}

TEST_F(ServiceTest, says_nothing_while_the_loop_does_not_turn) {
  Service service{context, "serves"};
  (void)all_told();
  EXPECT_EQ(manager.told(3 * watchdog), "") << "something else than the loop says that it lives";
}

TEST_F(ServiceTest, tells_how_reading_the_configuration_again_has_ended) {
  Service service{context, "serves"};
  EXPECT_EQ(news(), "READY=1\nSTATUS=serves");
  service.reload([this] {
    EXPECT_THAT(news(), StartsWith("RELOADING=1\n"));
    return true;
  });
  EXPECT_EQ(news(), "READY=1\nSTATUS=serves");
  service.reload([this] {
    EXPECT_THAT(news(), StartsWith("RELOADING=1\n"));
    return false;
  });
  EXPECT_EQ(news(), "READY=1\nSTATUS=serves; refused a new configuration, see the log");
}

TEST_F(ServiceTest, asks_for_more_time_for_as_long_as_it_ends) {
  Service service{context, "serves"};
  EXPECT_EQ(news(), "READY=1\nSTATUS=serves");
  service.stopping("waits for the end of its games");
  EXPECT_EQ(news(), "STOPPING=1\nSTATUS=waits for the end of its games");
  EXPECT_EQ(news(), "EXTEND_TIMEOUT_USEC=60000");
  context.run_one();  // the beat that was cancelled
  context.run_one();
  EXPECT_EQ(news(), "EXTEND_TIMEOUT_USEC=60000");
}

TEST_F(ServiceTest, keeps_no_loop_from_running_out_of_work) {
  Service service{context, "serves"};
  service.stopping("ends");
  service.end();
  (void)all_told();
  context.poll();
  EXPECT_TRUE(context.stopped());
  EXPECT_EQ(manager.told(), "");
}

}  // namespace
}  // namespace fixkeep::node
