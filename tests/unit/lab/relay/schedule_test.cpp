#include "lab/relay/core/schedule.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fixkeep::relay {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start{1h};

Schedule with(const Conditions& conditions, std::uint64_t seed = 1) {
  return {conditions, Random{seed}};
}

TEST(Schedule, lets_bytes_out_exactly_after_the_delay) {
  auto line = with({.delay = 20ms});
  EXPECT_FALSE(line.next());
  line.arrive(start, "ab");
  EXPECT_EQ(line.next(), start + 20ms);
  EXPECT_EQ(line.take(start + 20ms - 1us).bytes, "");
  EXPECT_EQ(line.take(start + 20ms).bytes, "ab");
  EXPECT_FALSE(line.next());
}

TEST(Schedule, has_many_pieces_under_way_at_a_time) {
  auto line = with({.delay = 80ms});
  for (int ms = 0; ms < 50; ++ms) line.arrive(start + ms * 1ms, std::string(1, 'a'));
  for (int ms = 0; ms < 50; ++ms) {
    EXPECT_EQ(line.next(), start + 80ms + ms * 1ms) << "a piece waits for no other";
    EXPECT_EQ(line.take(start + 80ms + ms * 1ms).bytes, "a");
  }
}

TEST(Schedule, joins_what_is_due_and_keeps_the_order) {
  auto line = with({.delay = 5ms});
  line.arrive(start, "one ");
  line.arrive(start + 1ms, "two ");
  line.arrive(start + 9ms, "three");
  EXPECT_EQ(line.take(start + 6ms).bytes, "one two ");
  EXPECT_EQ(line.take(start + 20ms).bytes, "three");
}

TEST(Schedule, spreads_times_by_the_jitter_but_lets_nothing_overtake) {
  auto line = with({.delay = 20ms, .jitter = 10ms});
  auto earliest = 1000ms + 0us;
  auto latest = 0us;
  auto before = start;
  for (int count = 0; count < 2000; ++count) {
    const auto now = start + count * 100ms;  // far enough apart that none waits for another
    line.arrive(now, "x");
    const auto after = *line.next() - now;
    EXPECT_GE(*line.next(), before);
    before = *line.next();
    earliest = std::min(earliest, after);
    latest = std::max(latest, after);
    (void)line.take(before);
  }
  EXPECT_GE(earliest, 10ms);
  EXPECT_LT(earliest, 11ms);
  EXPECT_LE(latest, 30ms);
  EXPECT_GT(latest, 29ms);

  line = with({.delay = 20ms, .jitter = 10ms});
  std::string sent;
  std::string came;
  for (int count = 0; count < 500; ++count) {
    const auto now = start + count * 1ms;
    const std::string piece(1, static_cast<char>('a' + count % 26));
    line.arrive(now, piece);
    sent += piece;
    came += line.take(now).bytes;
  }
  EXPECT_EQ(came + line.take(start + 1h).bytes, sent);
}

TEST(Schedule, lets_nothing_out_before_it_arrived) {
  auto line = with({.delay = 1ms, .jitter = 50ms});
  for (int count = 0; count < 100; ++count) {
    const auto now = start + count * 100ms;
    line.arrive(now, "x");
    EXPECT_GE(*line.next(), now);
    (void)line.take(start + 1h);
  }
}

TEST(Schedule, stands_still_for_a_lost_segment_and_for_all_behind_it) {
  auto line = with({.delay = 20ms, .loss = 0.5}, 7);
  int lost = 0;
  for (int count = 0; count < 1000; ++count) {
    const auto now = start + count * 60s;
    line.arrive(now, "x");
    const auto due = *line.next();
    if (due != now + 20ms) {
      ++lost;
      EXPECT_GE(due, now + 220ms) << "the least time-out is 200 ms";
      line.change({.delay = 20ms});
      line.arrive(now + 1ms, "y");
      EXPECT_EQ(line.take(due - 1us).bytes, "");
      EXPECT_EQ(line.take(due).bytes, "xy") << "what is behind it waits for it";
      line.change({.delay = 20ms, .loss = 0.5});
    }
    (void)line.take(due);
  }
  EXPECT_GT(lost, 450);
  EXPECT_LT(lost, 550);
}

TEST(Schedule, waits_twice_as_long_for_each_segment_lost_again) {
  // 20 ms, once more 300 ms (a round trip of 2 * 150 ms), then twice, then four times that.
  std::vector<Duration> seen;
  auto line = with({.delay = 150ms, .loss = 0.5}, 3);
  for (int count = 0; count < 300; ++count) {
    const auto now = start + count * 60s;
    line.arrive(now, "x");
    seen.push_back(*line.next() - now);
    (void)line.take(*line.next());
  }
  for (const auto expected : {150ms, 450ms, 1050ms, 2250ms}) {
    EXPECT_NE(std::find(seen.begin(), seen.end(), expected), seen.end()) << expected.count();
  }
  EXPECT_EQ(std::find(seen.begin(), seen.end(), 750ms), seen.end()) << "the same wait twice";
}

TEST(Schedule, loses_long_pieces_more_often_than_short_ones) {
  const auto stalls = [](std::size_t bytes) {
    auto line = with({.delay = 1ms, .loss = 0.02});
    int count = 0;
    for (int piece = 0; piece < 500; ++piece) {
      const auto now = start + piece * 100s;
      line.arrive(now, std::string(bytes, 'x'));
      if (*line.next() > now + 1ms) ++count;
      (void)line.take(*line.next());
    }
    return count;
  };
  EXPECT_LT(stalls(100), 25);
  EXPECT_GT(stalls(60'000), 200) << "42 segments, each of which may be lost";
}

TEST(Schedule, is_the_same_for_the_same_seed) {
  const auto times = [](std::uint64_t seed) {
    auto line = with({.delay = 20ms, .jitter = 10ms, .loss = 0.1}, seed);
    std::vector<TimePoint> all;
    for (int count = 0; count < 100; ++count) {
      line.arrive(start + count * 10s, "x");
      all.push_back(*line.next());
      (void)line.take(all.back());
    }
    return all;
  };
  EXPECT_EQ(times(5), times(5));
  EXPECT_NE(times(5), times(6));
}

TEST(Schedule, is_full_until_enough_has_left) {
  auto line = with({.delay = 20ms});
  const std::string half(Schedule::capacity / 2, 'x');
  line.arrive(start, half);
  EXPECT_FALSE(line.full());
  line.arrive(start + 1ms, half);
  EXPECT_TRUE(line.full());
  (void)line.take(start + 20ms);
  EXPECT_FALSE(line.full());
}

TEST(Schedule, ends_after_the_last_byte) {
  auto line = with({.delay = 20ms});
  line.arrive(start, "last");
  line.end(start + 1ms, Ending::finished);
  line.arrive(start + 2ms, "too late");
  auto leaving = line.take(start + 20ms);
  EXPECT_EQ(leaving.bytes, "last");
  EXPECT_FALSE(leaving.ending);
  leaving = line.take(start + 1h);
  EXPECT_EQ(leaving.bytes, "");
  EXPECT_EQ(leaving.ending, Ending::finished);
  EXPECT_FALSE(line.next());
}

TEST(Schedule, lets_a_reset_follow_a_regular_end_but_not_the_reverse) {
  auto line = with({.delay = 20ms});
  line.end(start, Ending::finished);
  line.end(start + 5ms, Ending::reset);
  line.end(start + 6ms, Ending::finished);
  EXPECT_EQ(line.take(start + 1h).ending, Ending::finished) << "one end at a time";
  EXPECT_EQ(line.take(start + 1h).ending, Ending::reset);
  EXPECT_FALSE(line.next());
}

TEST(Schedule, changes_for_what_arrives_later_only) {
  auto line = with({.delay = 80ms});
  line.arrive(start, "slow");
  line.change({.delay = 1ms});
  line.arrive(start + 10ms, "fast");
  EXPECT_EQ(line.next(), start + 80ms);
  EXPECT_EQ(line.take(start + 80ms).bytes, "slowfast") << "the faster bytes do not overtake";
  line.arrive(start + 100ms, "fast");
  EXPECT_EQ(line.next(), start + 101ms);
}

TEST(Schedule, keeps_everything_back_while_its_direction_is_cut) {
  auto line = with({});
  line.arrive(start, "before ");
  line.change({.cut = Cut::out});
  line.arrive(start + 1ms, "meanwhile");
  line.end(start + 2ms, Ending::finished);
  EXPECT_FALSE(line.next());
  EXPECT_EQ(line.take(start + 1h).bytes, "");
  line.change({.cut = Cut::in});
  const auto leaving = line.take(start + 1h);
  EXPECT_EQ(leaving.bytes, "before meanwhile");
  EXPECT_EQ(leaving.ending, Ending::finished);
}

TEST(Opening, takes_three_crossings) {
  EXPECT_EQ(opening_time({.delay = 20ms}), 60ms);
}

}  // namespace
}  // namespace fixkeep::relay
