// The machine of one holder, event by event. In brackets: the invariants of hold.hpp. What a hold
// owes to the next one is in hold_debt_test.cpp.
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <set>
#include <string>

#include "tests/unit/master/core/driven_hold.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

// --- awaiting [6]

TEST(Hold, orders_at_once_if_all_workers_are_known_and_no_fence_is_owed) {
  DrivenHold driven;
  driven.grant();
  const auto order = driven.order();
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->token, token(7));
  EXPECT_EQ(order->first_index, 0U);
  EXPECT_TRUE(driven.silent());
  EXPECT_EQ(driven.hold.phase(), Hold::Phase::ordering);
}

TEST(Hold, waits_for_the_state_of_a_worker_that_has_connected) {
  DrivenHold driven;
  driven.look.all_known = false;
  driven.grant();
  EXPECT_TRUE(driven.silent());
  driven.now += seconds{2};
  EXPECT_TRUE(driven.silent());
  driven.look.all_known = true;
  EXPECT_TRUE(driven.order().has_value());
}

TEST(Hold, waits_for_expected_workers_no_longer_than_it_may) {
  DrivenHold driven;
  driven.look.others_expected = true;
  driven.step(hold::Granted{token(7), {}, false, true, {}});
  EXPECT_EQ(driven.out.size(), 2U);  // to look at the limit and when the wait ends
  EXPECT_TRUE(driven.silent());
  driven.now += seconds{1};
  EXPECT_TRUE(driven.order().has_value());
}

TEST(Hold, awaits_the_run_of_a_hinted_room) {
  DrivenHold driven;
  driven.grant(false, {driven.run});
  EXPECT_TRUE(driven.silent());
  driven.step(hold::WorkerKnown{driven.w1, Incarnation{3}});  // its link is older than the grant
  EXPECT_TRUE(driven.silent());
  driven.step(hold::WorkerKnown{driven.w1, Incarnation{4}});
  EXPECT_TRUE(driven.order().has_value());
}

TEST(Hold, a_link_that_is_newer_than_the_hint_ends_the_wait_whatever_its_run) {
  DrivenHold driven;
  driven.grant(false, {driven.run});
  driven.step(hold::LinkChanged{driven.w2});
  driven.step(hold::WorkerKnown{driven.w2, Incarnation{9}});
  EXPECT_TRUE(driven.silent());
  driven.step(hold::LinkChanged{driven.w1});
  driven.step(hold::WorkerKnown{driven.w1, Incarnation{9}});
  EXPECT_TRUE(driven.look_for<hold::Prepare>().has_value());
}

TEST(Hold, says_which_runs_it_has_waited_for_in_vain) {
  DrivenHold driven;
  driven.grant(false, {driven.run});
  driven.now += seconds{1};
  const auto vain = driven.look_for<hold::WaitedInVain>();
  ASSERT_TRUE(vain.has_value());
  EXPECT_EQ(vain->runs, std::set<WorkerRun>{driven.run});
}

// --- the fence [1] [2] [3]

TEST(Hold, a_grant_that_needs_a_fence_orders_only_when_all_have_promised) {
  DrivenHold driven;
  driven.grant(true);
  const FencingToken round = driven.fence();
  EXPECT_EQ(round, token(7));
  driven.promise(driven.w1, round);
  EXPECT_TRUE(driven.silent());
  driven.promise(driven.w2, round);
  const auto order = driven.order();
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->basis, token(7));
}

TEST(Hold, the_basis_without_a_fence_is_that_of_the_lock_value) {
  DrivenHold driven;
  driven.grant();
  const auto order = driven.order();
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->basis, token(5));
}

TEST(Hold, a_fence_that_is_not_complete_is_no_basis) {
  DrivenHold driven;
  driven.grant(true);
  driven.promise(driven.w1, driven.fence());
  const auto back = driven.nobody_waits();
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->fence, token(5));
  EXPECT_TRUE(back->uncertain);
}

TEST(Hold, a_worker_that_has_connected_since_the_grant_is_fenced) {
  DrivenHold driven;
  driven.grant();
  driven.step(hold::LinkChanged{driven.w2});
  driven.promise_all(driven.fence());
  EXPECT_TRUE(driven.order().has_value());
}

TEST(Hold, a_link_that_changes_under_a_fence_voids_it) {
  DrivenHold driven;
  driven.grant(true);
  const FencingToken first = driven.fence();
  driven.promise_all(first);
  driven.step(hold::LinkChanged{driven.w2});
  const FencingToken second = driven.fence();
  EXPECT_GT(second, first);
  driven.promise_all(first);  // late answers
  EXPECT_TRUE(driven.silent());
  driven.promise_all(second);
  const auto order = driven.order();
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->token, second);
  EXPECT_EQ(order->basis, second);
}

TEST(Hold, a_link_that_changes_after_the_last_look_voids_the_fence) {
  DrivenHold driven;
  driven.grant(true);
  const FencingToken first = driven.fence();
  driven.promise_all(first);
  EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value());
  driven.step(hold::LinkChanged{driven.w2});
  EXPECT_GT(driven.fence(), first);
}

// --- tokens [4]

TEST(Hold, a_refused_promise_starts_over_above_all_that_was_seen) {
  DrivenHold driven;
  driven.grant(true);
  const FencingToken first = driven.fence();
  driven.promise(driven.w1, first);
  driven.step(hold::PromiseAnswered{driven.w2, first, false, token(11, 2)});
  const auto again = driven.look_for<hold::Prepare>();
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->again);
  EXPECT_EQ(again->token, token(12));
}

TEST(Hold, a_fence_after_an_order_takes_a_new_token) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
  driven.step(hold::LinkChanged{driven.w2});
  driven.order_ends(OrderFate::refused);
  EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value());
  const FencingToken round = driven.fence();
  EXPECT_EQ(round, token(8));
  driven.promise_all(round);
  const auto order = driven.order();
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->first_index, 0U);
}

TEST(Hold, a_fence_takes_no_token_that_may_have_been_used) {
  DrivenHold driven;
  driven.look.used = 20;
  driven.grant(true);
  EXPECT_EQ(driven.fence(), token(21));
}

// --- the last look [7]

TEST(Hold, rooms_that_are_being_asked_are_waited_for_before_an_order) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value());
  driven.look.asking = true;
  driven.look.room_needed = false;
  driven.step(hold::SeatsAsked{});
  EXPECT_TRUE(driven.silent());
  driven.look.asking = false;
  driven.look.room_needed = true;
  EXPECT_TRUE(driven.look_for<hold::OrderRooms>().has_value());
}

TEST(Hold, claims_beyond_all_seats_that_are_asked_for_are_ordered_for_at_once) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value());
  driven.look.asking = true;
  driven.step(hold::SeatsAsked{});
  EXPECT_TRUE(driven.look_for<hold::OrderRooms>().has_value());
}

TEST(Hold, seats_that_come_free_one_by_one_end_the_hold) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value());
  driven.look.seats_free = true;
  for (std::uint32_t i = 0; i < Hold::most_tries; ++i) {
    EXPECT_TRUE(driven.hold.may_ask());
    driven.step(hold::SeatsAsked{});
  }
  EXPECT_FALSE(driven.hold.may_ask());
  const auto back = driven.look_for<hold::GiveBack>();
  ASSERT_TRUE(back.has_value());
  EXPECT_FALSE(back->uncertain);
  EXPECT_FALSE(back->pause);
}

TEST(Hold, a_worker_that_cannot_start_a_room_is_left_out_and_others_are_tried) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.order().has_value());
  driven.order_ends(OrderFate::refused);
  EXPECT_EQ(driven.hold.excluded(), std::set<WorkerId>{driven.w1});
  EXPECT_EQ(driven.hold.excluded_at(), 9U);
  EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value());
  const auto order = driven.order();
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->first_index, 1U);
}

TEST(Hold, with_nothing_to_order_the_lock_goes_back_at_once) {
  DrivenHold driven;
  driven.grant();
  EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value());
  EXPECT_TRUE(driven.look_for<hold::OrderRooms>().has_value());
  driven.step(hold::Ordered{0});
  EXPECT_FALSE(driven.take<hold::GiveBack>()->uncertain);
  EXPECT_FALSE(driven.hold.active());
}

// --- the end [8]

TEST(Hold, ends_at_its_limit_in_every_phase_and_pauses) {
  for (int phase = 0; phase < 4; ++phase) {
    DrivenHold driven;
    driven.look.all_known = phase != 0;
    driven.grant(phase == 1);
    switch (phase) {
      case 0: EXPECT_TRUE(driven.silent()); break;
      case 1: driven.fence(); break;
      case 2: EXPECT_TRUE(driven.look_for<hold::TrySeats>().has_value()); break;
      default: EXPECT_TRUE(driven.order().has_value()); break;
    }
    EXPECT_EQ(driven.hold.limit(), driven.now + seconds{4});
    driven.now = driven.hold.limit() - Duration{1};
    EXPECT_TRUE(driven.hold.active());
    driven.now += Duration{1};
    const auto back = driven.look_for<hold::GiveBack>();
    ASSERT_TRUE(back.has_value()) << phase;
    EXPECT_TRUE(back->pause);
    EXPECT_TRUE(driven.silent());
  }
}

TEST(Hold, links_that_never_rest_end_it) {
  DrivenHold driven;
  driven.grant(true);
  for (std::uint32_t i = 0; i <= HoldOptions{}.fence_rounds; ++i) {
    driven.fence();
    driven.step(hold::LinkChanged{driven.w1});
  }
  EXPECT_TRUE(driven.look_for<hold::GiveBack>().has_value());
}

TEST(Hold, ends_when_the_master_stops) {
  DrivenHold driven;
  driven.grant();
  driven.look.stopping = true;
  EXPECT_TRUE(driven.look_for<hold::GiveBack>().has_value());
}

TEST(Hold, whatever_comes_outside_a_hold_puts_nothing_out) {
  DrivenHold driven;
  for (const hold::Event& event : std::initializer_list<hold::Event>{
           hold::LinkChanged{driven.w1}, hold::WorkerKnown{driven.w1, Incarnation{1}},
           hold::Asked{{driven.w1}}, hold::PromiseAnswered{driven.w1, token(1), true, {}},
           hold::SeatsAsked{}, hold::Ordered{3}, hold::LockLost{}, driven.look}) {
    driven.step(event);
    EXPECT_TRUE(driven.out.empty());
    EXPECT_EQ(driven.hold, DrivenHold{}.hold);
  }
}

TEST(Hold, equal_holds_have_equal_bytes_and_others_do_not) {
  const auto bytes = [](const Hold& hold) {
    std::string text;
    hold.append_bytes(text);
    return text;
  };
  DrivenHold one;
  DrivenHold other;
  one.grant(true, {one.run});
  other.grant(true, {other.run});
  EXPECT_EQ(bytes(one.hold), bytes(other.hold));
  one.step(hold::LinkChanged{one.w1});
  EXPECT_NE(bytes(one.hold), bytes(other.hold));
}

}  // namespace
}  // namespace fixkeep::master
