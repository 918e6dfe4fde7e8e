#include "worker/sdk/counters.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace fixkeep::worker {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr auto smallest = std::numeric_limits<std::int64_t>::min();

struct CountersTest : testing::Test {
  CounterFacts rooms() const { return *counters.find("rooms"); }
  void refuses(const CounterUpdate& update, const std::string& begins) {
    const CounterFacts before = rooms();
    const auto result = counters.update("rooms", update);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, SdkCode::unknown);
    EXPECT_EQ(result.error().message.substr(0, begins.size()), begins);
    EXPECT_EQ(rooms(), before);
  }

  Counters counters{{{"rooms", {.count = 1, .capacity = 10}}}};
};

TEST_F(CountersTest, set_the_capacity_then_the_count_then_add_the_difference) {
  EXPECT_TRUE(*counters.update("rooms", {.capacity = 20, .count = 15, .difference = -5}));
  EXPECT_EQ(rooms(), (CounterFacts{.count = 10, .capacity = 20}));
}

TEST_F(CountersTest, take_a_zero_for_a_value) {
  EXPECT_TRUE(*counters.update("rooms", {.count = 0}));
  EXPECT_EQ(rooms(), (CounterFacts{.count = 0, .capacity = 10}));
  EXPECT_FALSE(*counters.update("rooms", {.count = 0})) << "no difference";
  EXPECT_TRUE(*counters.update("rooms", {.capacity = 0}));
  EXPECT_EQ(rooms(), (CounterFacts{.count = 0, .capacity = 0}));
}

TEST_F(CountersTest, stay_between_zero_and_their_capacity) {
  refuses({.difference = -2},
          "out of range. Count must be within range [0,Capacity]. "
          "Found Count: -1, Capacity: 10");
  refuses({.difference = 10}, "out of range");
  refuses({.count = 11}, "out of range");
  refuses({.count = -1}, "out of range");
  refuses({.capacity = -1}, "out of range. Capacity must be greater than or equal to 0");
  refuses({.difference = largest}, "out of range");
  refuses({.difference = smallest}, "out of range");
  EXPECT_TRUE(*counters.update("rooms", {.difference = 9}));
  EXPECT_TRUE(*counters.update("rooms", {.difference = -10}));
  EXPECT_EQ(rooms().count, 0);
}

TEST_F(CountersTest, that_lose_capacity_lose_what_exceeds_it) {
  EXPECT_TRUE(*counters.update("rooms", {.count = 8}));
  EXPECT_TRUE(*counters.update("rooms", {.capacity = 5}));
  EXPECT_EQ(rooms(), (CounterFacts{.count = 5, .capacity = 5}));
}

TEST_F(CountersTest, refuse_an_update_of_nothing_and_of_what_is_not_there) {
  refuses({}, "invalid argument");
  EXPECT_FALSE(counters.update("frags", {.count = 1}));
  const auto found = counters.find("frags");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), (SdkError{SdkCode::unknown, "not found. frags Counter not found"}));
}

TEST(Counters, begin_within_their_range_whatever_a_mode_says) {
  const Counters counters{
      {{"a", {.count = 7, .capacity = 5}}, {"b", {.count = -1, .capacity = -1}}}};
  EXPECT_EQ(*counters.find("a"), (CounterFacts{.count = 5, .capacity = 5}));
  EXPECT_EQ(*counters.find("b"), (CounterFacts{}));
}

}  // namespace
}  // namespace fixkeep::worker
