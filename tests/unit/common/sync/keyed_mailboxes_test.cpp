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

TEST_F(KeyedMailboxesTest, work_of_one_key_runs_in_order) {
  const auto first = put("a", 0);
  const auto second = put("a", 0);
  const auto third = put("a", 0);
  EXPECT_EQ(taken(), (Expected{{Turn::start, first}}));
  EXPECT_EQ(boxes_.end(first, at(1), out_), Ending::in_time);
  EXPECT_EQ(taken(), (Expected{{Turn::start, second}}));
  EXPECT_EQ(boxes_.end(second, at(1), out_), Ending::in_time);
  EXPECT_EQ(taken(), (Expected{{Turn::start, third}}));
  EXPECT_EQ(boxes_.end(third, at(1), out_), Ending::in_time);
  EXPECT_TRUE(taken().empty());
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
}

TEST_F(KeyedMailboxesTest, keys_do_not_wait_for_each_other) {
  const auto a = put("a", 0);
  const auto b = put("b", 0);
  EXPECT_EQ(taken(), (Expected{{Turn::start, a}, {Turn::start, b}}));
}

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

TEST_F(KeyedMailboxesTest, a_wait_that_lasts_too_long_is_over) {
  options_.lease_timeout = seconds{100};
  KeyedMailboxes<std::string> boxes{options_};
  const auto first = *boxes.put("a", at(0), out_);
  const auto second = *boxes.put("a", at(1), out_);
  taken();
  EXPECT_EQ(boxes.next_tick(), at(11));
  boxes.tick(at(10), out_);
  EXPECT_TRUE(taken().empty());
  boxes.tick(at(11), out_);
  EXPECT_EQ(taken(), (Expected{{Turn::wait_timed_out, second}}));
  EXPECT_EQ(boxes.end(first, at(12), out_), Ending::in_time);
  EXPECT_TRUE(taken().empty()) << "the one that gave up does not start";
}

TEST_F(KeyedMailboxesTest, at_its_limit_a_wait_is_over_even_if_the_turn_comes_then) {
  options_.lease_timeout = seconds{100};
  KeyedMailboxes<std::string> boxes{options_};
  const auto first = *boxes.put("a", at(0), out_);
  const auto second = *boxes.put("a", at(0), out_);
  taken();
  EXPECT_EQ(boxes.end(first, at(10), out_), Ending::in_time);
  EXPECT_EQ(taken(), (Expected{{Turn::wait_timed_out, second}}));
}

TEST_F(KeyedMailboxesTest, the_next_one_waits_for_a_body_that_is_late) {
  const auto first = put("a", 0);
  const auto second = put("a", 0);
  taken();
  EXPECT_EQ(boxes_.next_tick(), at(5));
  boxes_.tick(at(5), out_);
  EXPECT_EQ(taken(), (Expected{{Turn::lease_lapsed, first}}));
  EXPECT_EQ(boxes_.end(first, at(7), out_), Ending::late);
  EXPECT_EQ(taken(), (Expected{{Turn::start, second}}));
}

TEST_F(KeyedMailboxesTest, the_next_one_does_not_wait_for_a_body_that_is_stuck) {
  const auto first = put("a", 0);
  const auto second = put("a", 0);
  taken();
  boxes_.tick(at(5), out_);
  taken();
  EXPECT_EQ(boxes_.next_tick(), at(8));
  boxes_.tick(at(8), out_);
  EXPECT_EQ(taken(), (Expected{{Turn::start, second}}));
  EXPECT_EQ(boxes_.end(first, at(9), out_), Ending::unknown) << "it is void";
  EXPECT_TRUE(taken().empty()) << "and does not end the turn of the next one";
  EXPECT_EQ(boxes_.end(second, at(9), out_), Ending::in_time);
}

TEST_F(KeyedMailboxesTest, without_a_limit_to_overrunning_two_never_overlap) {
  options_.overrun = Duration::max();
  options_.wait_timeout = seconds{100'000};
  KeyedMailboxes<std::string> boxes{options_};
  const auto first = *boxes.put("a", at(0), out_);
  const auto second = *boxes.put("a", at(0), out_);
  boxes.tick(at(50'000), out_);
  EXPECT_EQ(taken(), (Expected{{Turn::start, first}, {Turn::lease_lapsed, first}}));
  EXPECT_EQ(boxes.end(first, at(50'001), out_), Ending::late);
  EXPECT_EQ(taken(), (Expected{{Turn::start, second}}));
}

TEST_F(KeyedMailboxesTest, an_end_at_the_limit_is_late_though_nobody_ticked) {
  const auto first = put("a", 0);
  taken();
  EXPECT_EQ(boxes_.end(first, at(5), out_), Ending::late);
  EXPECT_EQ(taken(), (Expected{{Turn::lease_lapsed, first}}));
}

TEST_F(KeyedMailboxesTest, a_late_tick_prolongs_nothing) {
  const auto first = put("a", 0);
  const auto second = put("a", 0);
  taken();
  boxes_.tick(at(9), out_);
  EXPECT_EQ(taken(), (Expected{{Turn::lease_lapsed, first}, {Turn::start, second}}));
}

TEST_F(KeyedMailboxesTest, time_that_goes_back_counts_as_standing_still) {
  const auto first = put("a", 4);
  const auto second = put("a", 2);
  taken();
  boxes_.tick(at(8), out_);
  EXPECT_TRUE(taken().empty());
  EXPECT_EQ(boxes_.end(first, at(1), out_), Ending::in_time);
  EXPECT_EQ(taken(), (Expected{{Turn::start, second}}));
  EXPECT_EQ(boxes_.next_tick(), at(13)) << "its lease began at 8";
}

TEST_F(KeyedMailboxesTest, a_mailbox_holds_a_bounded_amount_of_work) {
  for (int i = 0; i < 4; ++i) put("a", 0);  // one runs, three wait
  EXPECT_EQ(boxes_.put("a", at(0), out_).error(), Errc::mailbox_full);
  put("b", 0);
  put("b", 0);  // the fourth that waits
  EXPECT_EQ(boxes_.put("b", at(0), out_).error(), Errc::all_mailboxes_full);
  put("c", 0);  // starts at once, so it does not wait
  taken();
  boxes_.tick(at(10), out_);
  put("a", 10);
}

TEST_F(KeyedMailboxesTest, empty_mailboxes_are_swept_on_time_and_others_never) {
  const auto a = put("a", 0);
  const auto b = put("b", 0);
  EXPECT_EQ(boxes_.end(a, at(1), out_), Ending::in_time);
  EXPECT_EQ(boxes_.end(b, at(2), out_), Ending::in_time);
  EXPECT_EQ(boxes_.next_tick(), at(61));
  boxes_.tick(at(60), out_);
  EXPECT_EQ(boxes_.mailboxes(), 2U);
  put("a", 60);
  boxes_.tick(at(62), out_);
  EXPECT_EQ(boxes_.mailboxes(), 1U) << "b is gone, a is in use";
  boxes_.tick(at(67), out_);  // a overruns: still in use
  boxes_.tick(at(68), out_);
  EXPECT_EQ(boxes_.mailboxes(), 1U) << "a is empty, but not for long enough";
  EXPECT_EQ(boxes_.next_tick(), at(128));
  boxes_.tick(at(128), out_);
  EXPECT_EQ(boxes_.mailboxes(), 0U);
  EXPECT_EQ(boxes_.next_tick(), TimePoint::max());
}

TEST_F(KeyedMailboxesTest, stop_refuses_what_waits_and_lets_the_rest_end) {
  const auto first = put("a", 0);
  const auto second = put("a", 0);
  const auto third = put("a", 0);
  taken();
  boxes_.stop(at(1), out_);
  EXPECT_EQ(taken(), (Expected{{Turn::refused, second}, {Turn::refused, third}}));
  EXPECT_EQ(boxes_.put("b", at(1), out_).error(), Errc::stopping);
  EXPECT_EQ(boxes_.end(first, at(2), out_), Ending::in_time);
  EXPECT_TRUE(taken().empty());
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
