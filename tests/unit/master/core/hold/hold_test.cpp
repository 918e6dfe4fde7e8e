// What scenarios of whole masters (tests/scenarios/cluster/holds.txt) cannot show of a Hold.
#include "master/core/hold/hold.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

FencingToken token(std::uint64_t counter) {
  return {counter, MasterId{1}};
}

struct HoldTest : testing::Test {
  static constexpr TimePoint granted_at{seconds{100}};
  static Hold fresh() { return Hold{{MasterId{1}, seconds{4}, seconds{1}}}; }
  static std::string bytes(const Hold& hold) {
    std::string text;
    hold.append_bytes(text);
    return text;
  }
  // The last of its kind that the event leads to.
  template <class Output>
  std::optional<Output> step(const hold::Event& event, TimePoint at = granted_at) {
    hold::Outputs out;
    hold.step(event, at, out);
    for (const hold::Output& output : out) {
      if (const auto* asked = std::get_if<Output>(&output)) return *asked;
    }
    return std::nullopt;
  }
  void order() {
    (void)step<hold::GiveBack>(hold::Granted{token(7), token(5), false, false, {}});
    EXPECT_TRUE(step<hold::TrySeats>(look));
    EXPECT_TRUE(step<hold::OrderRooms>(look));
    (void)step<hold::GiveBack>(hold::Ordered{1});
  }

  const WorkerId w1{"w1"};
  Hold hold = fresh();
  hold::Look look = [] {
    hold::Look waits;
    waits.somebody_waits = waits.room_needed = true;
    return waits;
  }();
};

TEST_F(HoldTest, an_answer_to_an_order_of_an_earlier_hold_ends_no_order_of_this_one) {
  (void)step<hold::GiveBack>(hold::Granted{token(7), token(5), false, false, {}});
  const std::uint64_t earlier = hold.number();
  EXPECT_TRUE(step<hold::GiveBack>(hold::Look{}));
  order();
  EXPECT_FALSE(step<hold::GiveBack>(hold::OrderEnded{earlier, OrderFate::carried_out, w1, {}, 0}));
  EXPECT_FALSE(step<hold::GiveBack>(look));
  (void)step<hold::GiveBack>(hold::OrderEnded{hold.number(), OrderFate::carried_out, w1, {}, 0});
  EXPECT_TRUE(step<hold::GiveBack>(look));
}

TEST_F(HoldTest, a_grant_that_comes_too_late_passes_its_fence_on) {
  EXPECT_TRUE(Hold::decline({token(7), token(5), true, false, {}}).uncertain);
  const auto back = Hold::decline({token(7), token(5), false, false, {}});
  EXPECT_FALSE(back.uncertain);
  EXPECT_EQ(back.fence, token(5));
  EXPECT_EQ(back.stamp, token(7));
}

TEST_F(HoldTest, waits_for_workers_as_long_as_its_master_was_there) {
  (void)step<hold::GiveBack>(hold::Granted{token(7), token(5), false, true, {}});
  look.others_expected = true;
  hold.held_up(seconds{60});
  const TimePoint woken = granted_at + seconds{60};
  EXPECT_FALSE(step<hold::TrySeats>(look, woken)) << "what came meanwhile has yet to be heard";
  EXPECT_FALSE(step<hold::GiveBack>(look, woken));
  EXPECT_TRUE(step<hold::TrySeats>(look, woken + seconds{1}));
}

TEST_F(HoldTest, whatever_comes_outside_a_hold_puts_nothing_out) {
  for (const hold::Event& event : std::initializer_list<hold::Event>{
           hold::LinkChanged{w1}, hold::WorkerKnown{w1, Incarnation{1}}, hold::Asked{{w1}},
           hold::PromiseAnswered{w1, token(1), true, {}}, hold::SeatsAsked{}, hold::Ordered{3},
           hold::LockLost{}, look}) {
    hold::Outputs out;
    hold.step(event, TimePoint{}, out);
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(hold, fresh());
  }
}

TEST_F(HoldTest, equal_holds_have_equal_bytes_and_others_do_not) {
  Hold other = fresh();
  hold::Outputs out;
  for (Hold* each : {&hold, &other}) {
    each->step(hold::Granted{token(7), token(5), true, false, {{w1, Incarnation{4}}}}, TimePoint{},
               out);
  }
  EXPECT_EQ(bytes(hold), bytes(other));
  hold.step(hold::LinkChanged{w1}, TimePoint{}, out);
  EXPECT_NE(bytes(hold), bytes(other));
}

}  // namespace
}  // namespace fixkeep::master
