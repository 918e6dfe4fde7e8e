#include "lock/core/server/queue_lock.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "common/base/random.hpp"

namespace fixkeep::lock {
namespace {

AskEngine acquire(std::uint64_t round, std::uint64_t known = 0) {
  return {AskEngine::Call::acquire, round, {known, MasterId{1}}, {}};
}
AskEngine abandon(std::uint64_t round) {
  return {AskEngine::Call::abandon, round, {}, {}};
}
AskEngine release(std::uint64_t round, std::uint64_t token, std::string bytes = "") {
  LockValue value{.stamp = {token, MasterId{1}}};
  value.bytes = std::move(bytes);
  return {AskEngine::Call::release, round, {token, MasterId{1}}, value};
}

QueueStanding oldest(std::uint64_t number, std::uint64_t before = 0,
                     std::optional<LockRecord> record = {}) {
  return {.present = true,
          .oldest = true,
          .number = number,
          .ticket = number,
          .before = before,
          .record = std::move(record)};
}
QueueStanding behind(std::uint64_t number, std::uint64_t before = 0) {
  auto standing = oldest(number, before);
  standing.oldest = false;
  return standing;
}

// A lock of master 1 that has asked, and whose entry stands so.
QueueLock placed(const QueueStanding& standing) {
  QueueLock lock{MasterId{1}};
  (void)lock.asked(acquire(1), true);
  (void)lock.placed(standing);
  return lock;
}

const Granted* granted(const QueueOutput& output) {
  return output.reply ? std::get_if<Granted>(&output.reply->said) : nullptr;
}

TEST(QueueLockTest, enters_is_granted_and_releases_with_a_record) {
  QueueLock lock{MasterId{1}};
  EXPECT_EQ(lock.asked(acquire(1), true).request, QueueRequest::enter);
  const auto output = lock.placed(oldest(7));
  ASSERT_NE(granted(output), nullptr);
  EXPECT_EQ(granted(output)->token, (FencingToken{7, MasterId{1}}));
  EXPECT_TRUE(granted(output)->needs_fence) << "nobody knows who had it before";
  EXPECT_EQ(lock.asked(release(1, 7, "v"), true).request, QueueRequest::release);
  EXPECT_EQ(lock.record().ticket, 7U);
  EXPECT_EQ(lock.record().lift, 0U);
  EXPECT_EQ(lock.record().value.bytes, "v");
  EXPECT_FALSE(lock.ended().request);
  EXPECT_TRUE(lock.forgettable());
}

TEST(QueueLockTest, no_fence_only_behind_a_certain_release_of_the_entry_right_before) {
  const auto fences = [](std::uint64_t before, std::optional<LockRecord> record) {
    QueueLock lock{MasterId{1}};
    (void)lock.asked(acquire(1), true);
    return granted(lock.placed(oldest(7, before, std::move(record))))->needs_fence;
  };
  LockRecord record{.ticket = 5};
  EXPECT_FALSE(fences(5, record));
  EXPECT_TRUE(fences(6, record)) << "somebody came in between and left no record";
  EXPECT_TRUE(fences(0, record)) << "it is not known who came before";
  EXPECT_TRUE(fences(5, {}));
  record.value.uncertain = true;
  EXPECT_TRUE(fences(5, record));
  EXPECT_TRUE(fences(0, LockRecord{})) << "unknown is not equal to unknown";
}

TEST(QueueLockTest, the_order_of_entering_is_kept_while_waiting) {
  QueueLock lock{MasterId{1}};
  (void)lock.asked(acquire(1), true);
  EXPECT_FALSE(lock.placed(behind(7, 5)).request);
  EXPECT_TRUE(lock.waiting());
  EXPECT_EQ(lock.moved().request, QueueRequest::look);
  EXPECT_FALSE(lock.moved().request) << "one request at a time";
  const auto output = lock.placed(oldest(7, 0, LockRecord{.ticket = 5}));
  ASSERT_NE(granted(output), nullptr);
  EXPECT_FALSE(granted(output)->needs_fence);
}

TEST(QueueLockTest, abandon_leaves_whatever_the_machine_was_doing) {
  QueueLock asking{MasterId{1}};
  (void)asking.asked(acquire(1), true);
  EXPECT_FALSE(asking.asked(abandon(1), true).request);
  const auto output = asking.placed(oldest(7));
  EXPECT_EQ(output.request, QueueRequest::leave);
  EXPECT_FALSE(output.reply);

  auto waiting = placed(behind(7));
  EXPECT_EQ(waiting.asked(abandon(1), true).request, QueueRequest::leave);

  auto held = placed(oldest(7));  // the grant is on its way to somebody who has given up
  EXPECT_EQ(held.asked(abandon(1), true).request, QueueRequest::leave);
  EXPECT_FALSE(held.asked(acquire(2), true).request) << "the entry is left first";
  EXPECT_EQ(held.ended().request, QueueRequest::enter);
}

TEST(QueueLockTest, an_entry_that_nobody_was_told_of_serves_the_next_round) {
  QueueLock lock{MasterId{1}};
  (void)lock.asked(acquire(1), true);
  (void)lock.asked(abandon(1), true);
  EXPECT_FALSE(lock.asked(acquire(2), true).request);
  const auto output = lock.placed(oldest(7));
  ASSERT_NE(granted(output), nullptr);
  EXPECT_EQ(output.reply->round, 2U);
}

TEST(QueueLockTest, the_end_of_the_session_is_said_to_the_holder_only) {
  auto waiting = placed(behind(7));
  EXPECT_FALSE(waiting.session_lost().reply);
  EXPECT_EQ(waiting.session_opened().request, QueueRequest::enter);

  auto held = placed(oldest(7));
  const auto output = held.session_lost();
  ASSERT_TRUE(output.reply);
  EXPECT_EQ(std::get<Lost>(output.reply->said).reason, LostReason::engine_failure);
  EXPECT_FALSE(held.asked(release(1, 7), false).request) << "it came too late";
  EXPECT_TRUE(held.forgettable());
}

TEST(QueueLockTest, a_release_of_a_lost_round_does_not_end_the_hold_after_it) {
  auto lock = placed(oldest(7));
  ASSERT_TRUE(lock.session_lost().reply);
  (void)lock.asked(acquire(2), true);
  (void)lock.placed(oldest(8));
  ASSERT_TRUE(lock.holding());
  EXPECT_FALSE(lock.asked(release(1, 7), true).request);
  EXPECT_TRUE(lock.holding());
  EXPECT_EQ(lock.asked(release(2, 8), true).request, QueueRequest::release);
}

TEST(QueueLockTest, without_a_session_it_waits_for_one) {
  QueueLock lock{MasterId{1}};
  EXPECT_FALSE(lock.asked(acquire(1), false).request);
  EXPECT_FALSE(lock.forgettable());
  EXPECT_EQ(lock.session_opened().request, QueueRequest::enter);
}

TEST(QueueLockTest, tokens_are_lifted_above_what_a_holder_was_told_and_stay_there) {
  auto one = placed(oldest(7));
  (void)one.asked(release(1, 1000), true);
  EXPECT_EQ(one.record().lift, 993U);
  QueueLock two{MasterId{2}};
  (void)two.asked(acquire(1), true);
  const auto output = two.placed(oldest(8, 7, one.record()));
  EXPECT_EQ(granted(output)->token.counter, 1001U);
  (void)two.asked(release(1, 1001), true);
  EXPECT_EQ(two.record().lift, 993U);
}

TEST(QueueLockTest, a_server_that_forgot_its_numbers_does_not_lower_the_tokens) {
  QueueLock lock{MasterId{1}};
  (void)lock.asked(acquire(1, 500), true);
  const auto output = lock.placed(oldest(2));
  EXPECT_EQ(granted(output)->token.counter, 501U);
  EXPECT_TRUE(granted(output)->needs_fence);
}

// The lift is in the record, and records do not last for ever.
TEST(QueueLockTest, a_record_that_is_gone_does_not_lower_the_tokens_below_the_floor) {
  QueueLock lock{MasterId{1}};
  auto ask = acquire(1);
  ask.floor = 1000;
  (void)lock.asked(ask, true);
  EXPECT_EQ(granted(lock.placed(oldest(8)))->token.counter, 1001U);
  (void)lock.asked(release(1, 1001), true);
  EXPECT_EQ(lock.record().lift, 993U);
}

TEST(QueueLockTest, numbers_without_measure_do_not_wrap) {
  QueueLock lock{MasterId{1}};
  (void)lock.asked(acquire(1), true);
  const auto output = lock.placed(oldest(~std::uint64_t{0}, 0, LockRecord{.lift = 7}));
  EXPECT_GE(granted(output)->token.counter, largest_counter);
}

// Masters that ask and vanish at random, and a queue that keeps the rules of a server. Requests
// are answered in any order of the masters.
class RandomQueue {
 public:
  explicit RandomQueue(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (int i = 0; i < 10'000; ++i) {
      const auto which = random_.below(masters_.size());
      step(masters_[which]);
      std::size_t holders = 0;
      for (const auto& each : masters_) holders += each.lock.holding() ? 1 : 0;
      ASSERT_LE(holders, 1U);
    }
    EXPECT_GT(grants_, 100U);
  }

 private:
  struct Master {
    explicit Master(std::uint16_t id) : lock(MasterId{id}) {}

    QueueLock lock;
    std::optional<QueueRequest> asked;
    std::uint64_t round = 0;
    std::uint64_t token = 0;
    std::uint64_t ticket = 0;  // 0: no entry
    std::uint64_t before = 0;
    bool wants = false;
    bool told = false;
  };

  void step(Master& master) {
    switch (random_.below(8)) {
      case 0: vanish(master); return;
      case 1: ask(master); return;
      case 2: take(master, master.lock.moved()); return;
      default: answer(master); return;
    }
  }

  // The session ends: with it the entry, and what was asked is void.
  void vanish(Master& master) {
    if (random_.below(10) != 0) return;
    if (master.told) vanished_ = true;
    queue_.erase(master.ticket);
    master.ticket = 0;
    master.asked.reset();
    take(master, master.lock.session_lost());
    take(master, master.lock.session_opened());
  }

  void ask(Master& master) {
    if (master.told) {
      master.wants = master.told = false;
      take(master, master.lock.asked(release(master.round, master.token), true));
    } else if (master.wants) {
      if (random_.below(3) != 0) return;
      master.wants = false;
      take(master, master.lock.asked(abandon(master.round), true));
    } else {
      master.wants = true;
      take(master, master.lock.asked(acquire(++master.round), true));
    }
  }

  void answer(Master& master) {
    if (!master.asked) return;
    const auto asked = *std::exchange(master.asked, std::nullopt);
    switch (asked) {
      case QueueRequest::enter:
        EXPECT_EQ(master.ticket, 0U) << "an entry is left before another is made";
        master.ticket = ++tickets_;
        master.before = std::exchange(last_, master.ticket);
        queue_[master.ticket] = &master;
        take(master, master.lock.placed(standing(master)));
        return;
      case QueueRequest::look: take(master, master.lock.placed(standing(master))); return;
      case QueueRequest::release: record_ = master.lock.record(); [[fallthrough]];
      case QueueRequest::leave:
        queue_.erase(master.ticket);
        master.ticket = 0;
        take(master, master.lock.ended());
        return;
    }
  }

  QueueStanding standing(const Master& master) const {
    return {.present = true,
            .oldest = queue_.begin()->first == master.ticket,
            .number = master.ticket,
            .ticket = master.ticket,
            .before = master.before,
            .record = record_};
  }

  void take(Master& master, const QueueOutput& output) {
    if (output.request) {
      EXPECT_FALSE(master.asked) << "one request at a time";
      master.asked = output.request;
    }
    if (!output.reply) return;
    EXPECT_TRUE(master.wants);
    EXPECT_EQ(output.reply->round, master.round);
    if (const auto* grant = granted(output)) {
      EXPECT_GT(grant->token.counter, highest_);
      EXPECT_TRUE(grant->needs_fence || !vanished_) << "a holder vanished before";
      highest_ = master.token = grant->token.counter;
      master.told = true;
      vanished_ = false;
      ++grants_;
    } else {
      master.wants = master.told = false;
    }
  }

  Random random_;
  std::vector<Master> masters_{Master{1}, Master{2}, Master{3}};
  std::map<std::uint64_t, Master*> queue_;
  std::optional<LockRecord> record_;
  std::uint64_t tickets_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t highest_ = 0;
  std::size_t grants_ = 0;
  bool vanished_ = false;  // a holder, since the last grant
};

TEST(QueueLockTest, random_masters_exclude_one_another_and_fence_after_whoever_vanished) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomQueue{seed}.run();
  }
}

}  // namespace
}  // namespace fixkeep::lock
