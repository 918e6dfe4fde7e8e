// Requests whose players have waited before: their limits stay wide.
#include <gtest/gtest.h>

#include "tests/unit/master/core/pools/two_masters.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The limit of the older player widens after 10 s. Its connection breaks at 6 s, and it asks again.
void expect_age_at(MasterId again) {
  TwoMasters two;
  const TimePoint began = two.now;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  two.pass(seconds{5});
  (void)two.ask(m2, "bob", 1'100);
  two.pass(seconds{1});
  two.step(m1, RequestCancelled{ann});
  (void)two.ask(again, "ann", 1'000, seconds{54}, began);
  two.pass(seconds{8});
  ASSERT_FALSE(two.ordered.empty());
  EXPECT_GE(two.ordered[0] - began, seconds{10});
  EXPECT_LE(two.ordered[0] - began, milliseconds{10'500});
}

TEST(Age, of_a_player_counts_at_another_master) {
  expect_age_at(m2);
}

TEST(Age, of_a_player_counts_at_the_same_master) {
  expect_age_at(m1);
}

TEST(Age, beyond_the_limit_counts_at_once) {
  TwoMasters two;
  (void)two.ask(m2, "bob", 1'100);
  two.pass(seconds{1});
  const TimePoint resumed = two.now;
  (void)two.ask(m1, "ann", 1'000, seconds{40}, two.now - seconds{20});
  two.pass(seconds{1});
  ASSERT_FALSE(two.ordered.empty());
  EXPECT_LE(two.ordered[0] - resumed, milliseconds{500});
}

TEST(Age, is_that_of_the_oldest_request_of_a_claim) {
  TwoMasters two;
  (void)two.ask(m2, "bob", 1'100);
  (void)two.ask(m1, "ann", 1'000);
  two.pass(seconds{1});
  ASSERT_TRUE(two.ordered.empty());
  const TimePoint shown = two.now;
  (void)two.ask(m1, "ann", 1'000, seconds{40}, two.now - seconds{20});
  two.pass(seconds{1});
  ASSERT_FALSE(two.ordered.empty()) << "the pool looks again";
  EXPECT_LE(two.ordered[0] - shown, milliseconds{500});
}

TEST(Age, begins_in_no_future) {
  TwoMasters two;
  const TimePoint began = two.now;
  (void)two.ask(m2, "bob", 1'100);
  (void)two.ask(m1, "ann", 1'000, seconds{60}, two.now + seconds{30});
  two.pass(seconds{11});
  ASSERT_FALSE(two.ordered.empty());
  EXPECT_LE(two.ordered[0] - began, milliseconds{10'500});
}

}  // namespace
}  // namespace fixkeep::master
