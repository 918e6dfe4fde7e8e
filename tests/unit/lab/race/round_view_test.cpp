#include "lab/race/round_view.hpp"

#include <gtest/gtest.h>

namespace fixkeep::client_sim {
namespace {

using namespace std::chrono_literals;
using events::Event;

const GroupKey contended{"duel/region=g0"};
constexpr events::EventTime start{std::chrono::hours{1}};

Event granted(const std::string& master, std::chrono::milliseconds at) {
  return {master, start + at, events::LockGranted{contended, {1, MasterId{1}}}};
}
Event left(const std::string& master, std::chrono::milliseconds at) {
  return {master, start + at, events::LockLeft{contended}};
}

std::uint64_t two_holders(RoundView& view) {
  view.judge(start + 10s);
  return view.two_holders();
}

TEST(TwoHolders, are_counted_by_time_whatever_order_their_events_come_in) {
  RoundView view{0, 1};
  view.add({granted("m2", 20ms), left("m2", 40ms)});
  view.add({granted("m1", 10ms), left("m1", 30ms)});
  EXPECT_EQ(two_holders(view), 1U);
}

TEST(TwoHolders, are_none_if_one_leaves_before_the_other_comes) {
  RoundView view{0, 1};
  view.add({granted("m1", 10ms), left("m1", 20ms), granted("m2", 20ms), left("m2", 30ms)});
  EXPECT_EQ(two_holders(view), 0U);
}

TEST(TwoHolders, are_none_after_the_first_one_was_killed) {
  RoundView view{0, 1};
  view.add({granted("m1", 10ms)});
  view.killed("m1", start + 15ms);
  view.add({granted("m2", 20ms), left("m2", 30ms)});
  EXPECT_EQ(two_holders(view), 0U);
}

TEST(TwoHolders, are_two_if_the_first_one_still_lives) {
  RoundView view{0, 1};
  view.add({granted("m1", 10ms), granted("m2", 20ms), left("m2", 30ms)});
  EXPECT_EQ(two_holders(view), 1U);
}

}  // namespace
}  // namespace fixkeep::client_sim
