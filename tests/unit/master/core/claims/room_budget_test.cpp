#include "master/core/claims/room_budget.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

const ClientAddress ann_at_home{"10.0.0.7"};
const ClientAddress bob_at_work{"10.0.0.8"};

struct RoomBudgetTest : testing::Test {
  TimePoint now{seconds{1000}};
  RoomBudget budget{60, 3};  // one a second after three
};

TEST_F(RoomBudgetTest, a_burst_and_then_so_many_a_minute) {
  EXPECT_EQ(budget.left(ann_at_home, now), 3U);
  for (int i = 0; i < 3; ++i) budget.ordered(ann_at_home, now);
  EXPECT_EQ(budget.left(ann_at_home, now), 0U);
  EXPECT_EQ(budget.wait(ann_at_home, now), seconds{1});
  EXPECT_EQ(budget.left(bob_at_work, now), 3U);
  EXPECT_EQ(budget.wait(bob_at_work, now), seconds{0});
  now += seconds{1} - Duration{1};
  EXPECT_EQ(budget.left(ann_at_home, now), 0U);
  EXPECT_EQ(budget.wait(ann_at_home, now), Duration{1});
  now += Duration{1};
  EXPECT_EQ(budget.left(ann_at_home, now), 1U);
  now += seconds{100};
  EXPECT_EQ(budget.left(ann_at_home, now), 3U) << "no more than the burst is saved";
}

TEST_F(RoomBudgetTest, what_nobody_started_costs_nothing) {
  for (int i = 0; i < 3; ++i) budget.ordered(ann_at_home, now);
  budget.not_started(ann_at_home);
  EXPECT_EQ(budget.left(ann_at_home, now), 1U);
  budget.not_started(bob_at_work);
  EXPECT_EQ(budget.left(bob_at_work, now), 3U);
}

TEST_F(RoomBudgetTest, no_rate_is_no_bound_and_no_address_is_nobody) {
  RoomBudget none{0};
  for (int i = 0; i < 100; ++i) none.ordered(ann_at_home, now);
  EXPECT_GT(none.left(ann_at_home, now), 1'000'000U);
  EXPECT_EQ(none.wait(ann_at_home, now), seconds{0});
  EXPECT_EQ(none.clients(), 0U);
  for (int i = 0; i < 100; ++i) budget.ordered(ClientAddress{}, now);
  EXPECT_EQ(budget.left(ClientAddress{}, now), 3U);
}

TEST_F(RoomBudgetTest, remembers_so_many_clients_and_forgets_those_that_have_paid) {
  for (std::size_t i = 0; i < RoomBudget::most_clients + 10; ++i) {
    budget.ordered(ClientAddress{std::to_string(i)}, now);
  }
  EXPECT_EQ(budget.clients(), RoomBudget::most_clients);
  now += seconds{2};
  budget.ordered(ann_at_home, now);
  EXPECT_EQ(budget.clients(), 1U);
}

}  // namespace
}  // namespace fixkeep::master
