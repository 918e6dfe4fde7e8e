#include "master/http/identity/client_limits.hpp"

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
  const ClientLimitOptions options{.waiting = 2};
  ClientLimits limits;
  EXPECT_EQ(limits.admit(anna, options, start).verdict, Verdict::admitted);
  EXPECT_EQ(limits.admit(anna, options, start).verdict, Verdict::admitted);
  const auto refused = limits.admit(anna, options, start);
  EXPECT_EQ(refused.verdict, Verdict::too_many_waiting);
  EXPECT_GT(refused.retry_after, Duration{0});
  EXPECT_EQ(limits.admit(bert, options, start).verdict, Verdict::admitted);
  limits.done(anna);
  EXPECT_EQ(limits.admit(anna, options, start).verdict, Verdict::admitted);
}

TEST(ClientLimits, a_burst_is_taken_and_then_one_at_a_time) {
  const ClientLimitOptions options{.per_second = 10, .burst = 3};
  ClientLimits limits;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(limits.admit(anna, options, start).verdict, Verdict::admitted);
  const auto refused = limits.admit(anna, options, start);
  EXPECT_EQ(refused.verdict, Verdict::too_often);
  EXPECT_EQ(refused.retry_after, Duration{milliseconds{100}});
  EXPECT_EQ(limits.admit(anna, options, start + milliseconds{99}).verdict, Verdict::too_often);
  EXPECT_EQ(limits.admit(anna, options, start + milliseconds{100}).verdict, Verdict::admitted);
  EXPECT_EQ(limits.admit(anna, options, start + milliseconds{100}).verdict, Verdict::too_often);
  EXPECT_EQ(limits.admit(bert, options, start).verdict, Verdict::admitted);
  // Who was quiet may send a burst again, and no more than that.
  const TimePoint later = start + seconds{60};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(limits.admit(anna, options, later).verdict, Verdict::admitted);
  EXPECT_EQ(limits.admit(anna, options, later).verdict, Verdict::too_often);
}

TEST(ClientLimits, so_many_clients_are_known_and_quiet_ones_make_room) {
  const ClientLimitOptions options{.per_second = 1, .burst = 1};
  ClientLimits limits;
  const auto client = [](std::size_t i) { return ClientAddress{std::to_string(i)}; };
  for (std::size_t i = 0; i < ClientLimits::most_clients; ++i) {
    ASSERT_EQ(limits.admit(client(i), options, start).verdict, Verdict::admitted);
    limits.done(client(i));
  }
  EXPECT_EQ(limits.admit(anna, options, start).verdict, Verdict::too_often);
  EXPECT_EQ(limits.admit(anna, options, start + seconds{1}).verdict, Verdict::admitted);
  EXPECT_EQ(limits.clients(), 1U);
}

}  // namespace
}  // namespace fixkeep::master
