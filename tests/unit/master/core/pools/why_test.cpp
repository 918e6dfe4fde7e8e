// Two masters of a pool, one of which decides: what both can say of their requests that wait.
#include <gtest/gtest.h>

#include "master/core/pools/lending.hpp"
#include "tests/unit/master/core/pools/two_masters.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Why, is_told_to_the_master_of_each_request) {
  TwoMasters two;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  const TicketId bob = two.ask(m2, "bob", 1'100);
  two.pass(seconds{1});
  for (const auto& [master, ticket] : {std::pair{m1, ann}, std::pair{m2, bob}}) {
    const auto why = two.told(master, ticket);
    ASSERT_NE(why, nullptr) << master.number();
    EXPECT_EQ(why->tickets, 1U);
    EXPECT_EQ(why->meets, 0U);
    EXPECT_EQ(why->players_missing, 1U);
    ASSERT_TRUE(why->nearest);
    EXPECT_EQ(why->nearest->beyond, 50U);
    ASSERT_TRUE(why->nearest->in);
    EXPECT_GT(*why->nearest->in, seconds{8});
    EXPECT_LE(*why->nearest->in, seconds{10});
  }
}

TEST(Why, comes_with_the_refusal_of_a_request_that_has_waited_in_vain) {
  TwoMasters two;
  (void)two.ask(m1, "ann", 1'000, seconds{2});
  two.pass(seconds{3});
  ASSERT_EQ(two.refused.size(), 1U);
  EXPECT_EQ(two.refused[0].reason, Refusal::wait_timeout);
  ASSERT_TRUE(two.refused[0].why);
  ASSERT_NE(two.refused[0].why->explained, nullptr);
  EXPECT_EQ(two.refused[0].why->explained->tickets, 0U);
}

TEST(Why, is_said_anew_by_a_later_decision) {
  TwoMasters two;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  two.pass(seconds{1});
  EXPECT_EQ(two.told(m1, ann)->tickets, 0U);
  two.pass(seconds{1});
  (void)two.ask(m2, "bob", 5'000);
  two.pass(seconds{1});
  EXPECT_EQ(two.told(m1, ann)->tickets, 1U);
}

// So many that the oldest ones take all looks of a decision.
TEST(Why, is_told_to_those_first_who_have_asked) {
  TwoMasters two;
  std::vector<TicketId> tickets;
  for (int i = 0; i < 1'000; ++i) {
    tickets.push_back(two.post(m1, "p" + std::to_string(i), 1'000 * i));
  }
  two.pass(seconds{1});
  EXPECT_NE(two.told(m1, tickets.front()), nullptr);
  EXPECT_EQ(two.told(m1, tickets.back()), nullptr);
  two.step(m1, WhyAsked{tickets.back()});
  two.pass(seconds{1});
  EXPECT_NE(two.told(m1, tickets.back()), nullptr) << "the question brings a decision about";
}

TEST(Why, is_told_anew_to_who_asks_when_it_is_old) {
  TwoMasters two;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  two.pass(milliseconds{200});
  // The oldest were explained just now, and nothing widens for a while.
  (void)two.ask(m1, "bob", 5'000);
  two.pass(seconds{1});
  EXPECT_EQ(two.told(m1, ann)->tickets, 0U);
  two.step(m1, WhyAsked{ann});
  two.pass(seconds{1});
  EXPECT_EQ(two.told(m1, ann)->tickets, 1U);
}

TEST(Why, is_not_known_of_a_request_that_is_over_or_of_a_group) {
  TwoMasters two;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  two.pass(seconds{1});
  two.step(m1, RequestCancelled{ann});
  EXPECT_EQ(two.told(m1, ann), nullptr);
  two.step(m1, WhyAsked{ann});
}

}  // namespace
}  // namespace fixkeep::master
