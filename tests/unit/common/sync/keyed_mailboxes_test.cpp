#include "common/sync/keyed_mailboxes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "common/base/random.hpp"

namespace fixkeep::sync {
namespace {

using std::chrono::seconds;

constexpr TimePoint at(int second) {
  return TimePoint{seconds{second}};
}

class KeyedMailboxesTest : public ::testing::Test {
 protected:
  WorkNumber put(const std::string& key, int second) {
    const auto work = boxes_.put(key, at(second), out_);
    EXPECT_TRUE(work);
    return work ? *work : 0;
  }
  MailboxActions taken() { return std::exchange(out_, {}); }

  MailboxOptions options_{.wait_timeout = seconds{10},
                          .lease_timeout = seconds{5},
                          .overrun = seconds{3},
                          .waiting_per_key = 3,
                          .waiting = 4,
                          .idle = seconds{60}};
  MailboxActions out_;
  KeyedMailboxes<std::string> boxes_{options_};
};

using Expected = MailboxActions;

TEST_F(KeyedMailboxesTest, only_what_runs_can_end) {
  const auto first = put("a", 0);
  const auto second = put("a", 0);
  EXPECT_EQ(boxes_.end(second, at(1), out_), Ending::unknown);
  EXPECT_EQ(boxes_.end(first, at(1), out_), Ending::in_time);
  taken();
  EXPECT_EQ(boxes_.end(first, at(1), out_), Ending::unknown) << "twice";
  EXPECT_EQ(boxes_.end(99, at(1), out_), Ending::unknown);
  EXPECT_TRUE(taken().empty());
}

TEST_F(KeyedMailboxesTest, an_end_that_is_told_too_early_does_not_end_the_turn_that_comes_with_it) {
  const auto first = put("a", 0);
  const auto second = put("a", 0);
  taken();
  EXPECT_EQ(boxes_.end(second, at(8), out_), Ending::unknown);
  EXPECT_EQ(taken(), (Expected{{Turn::lease_lapsed, first}, {Turn::start, second}}));
  EXPECT_EQ(boxes_.end(second, at(8), out_), Ending::in_time);
}

// Random work against the invariants of the header, each step checked.
TEST_F(KeyedMailboxesTest, invariants_hold_under_random_use) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random{seed};
    KeyedMailboxes<std::string> boxes{options_};
    struct Known {
      std::string key;
      int starts = 0;
      int ends = 0;  // timed out, refused, or ended by us
      bool running = false;
    };
    std::map<WorkNumber, Known> works;
    std::map<std::string, WorkNumber> last_started;
    auto now = at(0);
    const auto apply = [&] {
      for (const auto& action : taken()) {
        auto& work = works[action.work];
        if (action.turn == Turn::start) {
          ASSERT_EQ(++work.starts, 1);
          ASSERT_GT(action.work, last_started[work.key]) << "in order";
          last_started[work.key] = action.work;
          work.running = true;
        } else if (action.turn == Turn::wait_timed_out) {
          ASSERT_EQ(work.starts, 0);
          ASSERT_EQ(++work.ends, 1);
        }
      }
    };
    for (int step = 0; step < 600; ++step) {
      now += std::chrono::milliseconds{random.between(0, 900)};
      const std::string key(1, static_cast<char>('a' + random.below(3)));
      if (random.chance(0.5)) {
        const auto work = boxes.put(key, now, out_);
        if (work) works[*work].key = key;
      } else if (!works.empty() && random.chance(0.8)) {
        const auto number = 1 + random.below(works.rbegin()->first);
        const bool was_running = works[number].running;
        const auto ending = boxes.end(number, now, out_);
        if (ending != Ending::unknown) {
          ASSERT_TRUE(was_running) << "seed " << seed;
          works[number].running = false;
        }
      } else {
        boxes.tick(now, out_);
      }
      apply();
      ASSERT_LE(boxes.waiting(), options_.waiting);
      ASSERT_LE(boxes.running(), 3U) << "one a key";
    }
    now += std::chrono::hours{1};
    boxes.tick(now, out_);
    now += std::chrono::hours{1};
    boxes.tick(now, out_);
    now += std::chrono::hours{1};
    boxes.tick(now, out_);
    apply();
    for (const auto& [number, work] : works) EXPECT_EQ(work.starts + work.ends, 1) << number;
    EXPECT_EQ(boxes.mailboxes(), 0U);
  }
}

}  // namespace
}  // namespace fixkeep::sync
