#include "master/http/match/client_limits.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Verdict = ClientLimits::Verdict;

const ClientAddress anna{"10.0.0.1"};
const ClientAddress bert{"10.0.0.2"};
const TimePoint start{seconds{1000}};

TEST(ClientLimits, requests_that_wait_are_counted_for_each_client) {
  ClientLimits limits{{.waiting = 2}};
  EXPECT_EQ(limits.admit(anna, start).verdict, Verdict::admitted);
  EXPECT_EQ(limits.admit(anna, start).verdict, Verdict::admitted);
  const auto refused = limits.admit(anna, start);
  EXPECT_EQ(refused.verdict, Verdict::too_many_waiting);
  EXPECT_GT(refused.retry_after, Duration{0});
  EXPECT_EQ(limits.admit(bert, start).verdict, Verdict::admitted);
  limits.done(anna);
  EXPECT_EQ(limits.admit(anna, start).verdict, Verdict::admitted);
}

TEST(ClientLimits, a_burst_is_taken_and_then_one_at_a_time) {
  ClientLimits limits{{.per_second = 10, .burst = 3}};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limits.admit(anna, start).verdict, Verdict::admitted);
  const auto refused = limits.admit(anna, start);
  EXPECT_EQ(refused.verdict, Verdict::too_often);
  EXPECT_EQ(refused.retry_after, Duration{milliseconds{100}});
  EXPECT_EQ(limits.admit(anna, start + milliseconds{99}).verdict, Verdict::too_often);
  EXPECT_EQ(limits.admit(anna, start + milliseconds{100}).verdict, Verdict::admitted);
  EXPECT_EQ(limits.admit(anna, start + milliseconds{100}).verdict, Verdict::too_often);
  EXPECT_EQ(limits.admit(bert, start).verdict, Verdict::admitted);
  // Who was quiet may send a burst again, and no more than that.
  const TimePoint later = start + seconds{60};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limits.admit(anna, later).verdict, Verdict::admitted);
  EXPECT_EQ(limits.admit(anna, later).verdict, Verdict::too_often);
}

TEST(ClientLimits, so_many_clients_are_known_and_quiet_ones_make_room) {
  ClientLimits limits{{.per_second = 1, .burst = 1}};
  const auto client = [](std::size_t i) { return ClientAddress{std::to_string(i)}; };
  for (std::size_t i = 0; i < ClientLimits::most_clients; ++i) {
    ASSERT_EQ(limits.admit(client(i), start).verdict, Verdict::admitted);
    limits.done(client(i));
  }
  EXPECT_EQ(limits.admit(anna, start).verdict, Verdict::too_often);
  EXPECT_EQ(limits.admit(anna, start + seconds{1}).verdict, Verdict::admitted);
  EXPECT_EQ(limits.clients(), 1U);
}

}  // namespace
}  // namespace fixkeep::master
