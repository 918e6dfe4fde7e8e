#include "worker/sdk/watchers.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker {
namespace {

struct WatchersTest : testing::Test {
  Watchers watchers{2};
  int sends = 0;
  std::function<void()> send = [this] { ++sends; };
};

TEST_F(WatchersTest, get_one_at_once_and_one_after_each_change) {
  const auto watch = *watchers.add(send);
  EXPECT_EQ(sends, 0);
  watch->start();
  EXPECT_EQ(sends, 1);
  watch->sent();
  EXPECT_EQ(sends, 1);
  watchers.changed();
  EXPECT_EQ(sends, 2);
}

TEST_F(WatchersTest, that_are_slow_get_only_the_newest) {
  const auto watch = *watchers.add(send);
  watch->start();
  for (int i = 0; i < 10; ++i) watchers.changed();
  EXPECT_EQ(sends, 1) << "the first one is still under way";
  watch->sent();
  EXPECT_EQ(sends, 2);
  watch->sent();
  EXPECT_EQ(sends, 2);
}

TEST_F(WatchersTest, do_not_begin_before_they_are_started) {
  const auto watch = *watchers.add(send);
  watchers.changed();
  EXPECT_EQ(sends, 0);
  watch->start();
  EXPECT_EQ(sends, 1);
}

TEST_F(WatchersTest, may_say_at_once_that_it_went_out) {
  std::unique_ptr<Watchers::Watch> watch;
  watch = *watchers.add([&] {
    ++sends;
    watch->sent();
    if (sends == 1) watchers.changed();
  });
  watch->start();
  EXPECT_EQ(sends, 2);
}

TEST_F(WatchersTest, may_end_from_within_a_send) {
  std::unique_ptr<Watchers::Watch> watch;
  watch = *watchers.add([&] {
    ++sends;
    watch.reset();
    watchers.changed();
  });
  watch->start();
  watchers.changed();
  EXPECT_EQ(sends, 1);
}

TEST_F(WatchersTest, are_bounded_and_one_that_ends_makes_room) {
  const auto first = *watchers.add(send);
  auto second = *watchers.add(send);
  const auto third = watchers.add(send);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, SdkCode::resource_exhausted);
  second.reset();
  EXPECT_TRUE(watchers.add(send));
}

TEST_F(WatchersTest, may_outlive_what_they_watch) {
  std::unique_ptr<Watchers::Watch> watch;
  {
    Watchers gone{1};
    watch = *gone.add(send);
  }
  watch->start();
  watch->sent();
  EXPECT_EQ(sends, 1);
}

}  // namespace
}  // namespace fixkeep::worker
