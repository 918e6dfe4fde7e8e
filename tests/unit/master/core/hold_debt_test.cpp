// What a hold owes to the next one: invariant 5 of hold.hpp.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/master/core/driven_hold.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

TEST(HoldDebt, an_order_refused_as_stale_is_fenced_above_what_the_worker_has_seen) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
  driven.order_ends(OrderFate::stale, token(30, 2));
  EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value());
  const FencingToken round = driven.fence();
  EXPECT_EQ(round, token(31));
  driven.promise_all(round);
  EXPECT_TRUE(driven.order().has_value());
}

TEST(HoldDebt, a_stale_order_of_a_hold_that_nobody_waits_under_is_owed_to_the_next) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
  driven.order_ends(OrderFate::stale, token(30, 2));
  const auto back = driven.nobody_waits();
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(back->uncertain);
  EXPECT_EQ(back->highest, token(30, 2));
}

TEST(HoldDebt, an_order_of_unknown_fate_ends_the_hold_as_uncertain) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
  driven.order_ends(OrderFate::unknown);
  const auto back = driven.look_for<hold::GiveBack>();
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(back->uncertain);
  driven.grant();
  driven.fence();
}

TEST(HoldDebt, orders_without_an_answer_at_the_limit_are_uncertain) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
  driven.now += seconds{4};
  const auto back = driven.look_for<hold::GiveBack>();
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(back->uncertain);
}

TEST(HoldDebt, a_fence_that_was_owed_and_not_made_is_passed_on) {
  DrivenHold driven;
  driven.grant(true);
  const auto back = driven.nobody_waits();
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(back->uncertain);
}

TEST(HoldDebt, a_grant_that_comes_too_late_passes_its_fence_on) {
  EXPECT_TRUE(Hold::decline({token(7), token(5), true, false, {}}).uncertain);
  const auto back = Hold::decline({token(7), token(5), false, false, {}});
  EXPECT_FALSE(back.uncertain);
  EXPECT_EQ(back.fence, token(5));
  EXPECT_EQ(back.stamp, token(7));
}

TEST(HoldDebt, a_lock_lost_with_orders_out_is_fenced_at_the_next_grant) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
  driven.step(hold::LockLost{});
  EXPECT_EQ(driven.take<hold::NoteUsed>()->counter, 7U);
  EXPECT_FALSE(driven.hold.active());
  driven.grant();
  driven.fence();
}

TEST(HoldDebt, a_lock_lost_with_a_fence_owed_is_fenced_at_the_next_grant) {
  DrivenHold driven;
  driven.grant(true);
  driven.step(hold::LockLost{});
  driven.grant();
  driven.fence();
}

TEST(HoldDebt, a_lock_lost_with_nothing_owed_owes_nothing) {
  DrivenHold driven;
  driven.grant();
  driven.step(hold::LockLost{});
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
}

TEST(HoldDebt, what_becomes_of_an_order_after_its_hold_may_owe_a_fence_to_the_next) {
  for (const OrderFate fate : {OrderFate::stale, OrderFate::unknown}) {
    DrivenHold driven;
    driven.grant();
    EXPECT_TRUE(driven.nobody_waits().has_value());
    driven.step(hold::OrderEnded{driven.hold.number(), fate, driven.w1, token(30, 2), 0});
    driven.grant();
    driven.fence();
  }
}

TEST(HoldDebt, an_answer_to_an_order_of_an_earlier_hold_ends_no_order_of_this_one) {
  DrivenHold driven;
  driven.grant();
  const std::uint64_t earlier = driven.hold.number();
  EXPECT_TRUE(driven.nobody_waits().has_value());
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
  driven.step(hold::OrderEnded{earlier, OrderFate::carried_out, driven.w1, {}, 0});
  EXPECT_TRUE(driven.silent());
  driven.order_ends(OrderFate::carried_out);
  EXPECT_FALSE(driven.look_for<hold::GiveBack>()->uncertain);
}

}  // namespace
}  // namespace fixkeep::master
