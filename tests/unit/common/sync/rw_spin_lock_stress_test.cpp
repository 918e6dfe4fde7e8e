// Threads that read and write two numbers which are equal whenever nobody writes. The real lock
// keeps them equal; a lock with one rule broken does not, and the same test must find out.
//
// The real lock guards plain numbers, so the thread sanitizer also checks the order of memory. The
// broken ones guard relaxed atomics: what they let happen must not be undefined.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "common/base/random.hpp"
#include "common/sync/rw_spin_lock_rules.hpp"

namespace fixkeep::sync {
namespace {

struct Plain {
  std::uint64_t value = 0;
  [[nodiscard]] std::uint64_t get() const { return value; }
  void set(std::uint64_t to) { value = to; }
};

struct Relaxed {
  std::atomic<std::uint64_t> value{0};
  [[nodiscard]] std::uint64_t get() const { return value.load(std::memory_order_relaxed); }
  void set(std::uint64_t to) { value.store(to, std::memory_order_relaxed); }
};

struct Tally {
  std::uint64_t writes = 0;
  std::uint64_t reads = 0;
  std::uint64_t errors = 0;
  bool torn = false;
};

template <class Lock, class Number>
class Stress {
 public:
  Tally run(int threads, std::uint64_t steps, int write_percent) {
    std::vector<Tally> tallies(static_cast<std::size_t>(threads));
    std::vector<std::thread> all;
    all.reserve(tallies.size());
    for (int i = 0; i < threads; ++i) {
      all.emplace_back(
          [this, &tally = tallies[static_cast<std::size_t>(i)], i, steps, write_percent] {
            work(tally, static_cast<std::uint64_t>(i), steps, write_percent);
          });
    }
    for (auto& thread : all) thread.join();
    Tally sum;
    for (const auto& tally : tallies) {
      sum.writes += tally.writes;
      sum.reads += tally.reads;
      sum.errors += tally.errors;
      sum.torn = sum.torn || tally.torn;
    }
    // An update that another one overwrote shows here even if nobody saw it happen.
    sum.torn = sum.torn || left_.get() != sum.writes || right_.get() != sum.writes;
    return sum;
  }

 private:
  void work(Tally& tally, std::uint64_t seed, std::uint64_t steps, int write_percent) {
    Random random{seed};
    for (std::uint64_t i = 0; i < steps && !stop_.load(std::memory_order_relaxed); ++i) {
      if (static_cast<int>(random.below(100)) < write_percent) {
        write(tally, random);
      } else {
        read(tally, random);
      }
      if (tally.torn) stop_.store(true, std::memory_order_relaxed);
    }
  }

  void write(Tally& tally, Random& random) {
    const auto guard = random.chance(0.2) ? lock_.try_write() : lock_.write();
    if (!guard) {
      tally.errors += guard.error().code == Errc::lock_timeout ? 0 : 1;
      return;
    }
    const auto next = left_.get() + 1;
    left_.set(next);
    dawdle(random);
    if (random.chance(0.1)) {
      const auto again = lock_.write();  // re-entry, and a look from inside
      const auto look = lock_.read();
      tally.errors += again && look ? 0 : 1;
    }
    tally.torn = tally.torn || right_.get() + 1 != next;
    right_.set(next);
    ++tally.writes;
  }

  void read(Tally& tally, Random& random) {
    const auto guard = lock_.read();
    if (!guard) {
      ++tally.errors;
      return;
    }
    const auto left = left_.get();
    dawdle(random);
    if (random.chance(0.02)) {
      const auto again = lock_.read();
      const auto refused = lock_.write();
      const bool as_documented =
          again && !refused && refused.error().code == Errc::lock_upgrade_refused;
      tally.errors += as_documented ? 0 : 1;
    }
    tally.torn = tally.torn || right_.get() != left;
    ++tally.reads;
  }

  // In the worst moment. A yield alone may come back at once, so now and then it is a sleep, which
  // lets the others run even on one core.
  static void dawdle(Random& random) {
    if (random.chance(0.05)) std::this_thread::yield();
    if (random.chance(0.002)) std::this_thread::sleep_for(std::chrono::microseconds{50});
  }

  Lock lock_{RwSpinOptions{"stress", std::chrono::seconds{30}}};
  Number left_;
  Number right_;
  std::atomic<bool> stop_{false};
};

TEST(RwSpinLockStress, nobody_sees_a_half_written_pair) {
  for (const int threads : {2, 4, 8}) {
    for (const int write_percent : {5, 50}) {
      const auto sum = Stress<RwSpinLock, Plain>{}.run(threads, 12'000, write_percent);
      EXPECT_FALSE(sum.torn) << threads << " threads, " << write_percent << " % writes";
      EXPECT_EQ(sum.errors, 0U);
      EXPECT_GT(sum.reads, 0U);
      EXPECT_GT(sum.writes, 0U);
    }
  }
}

// Each leaves out one rule. Enough steps that chance alone does not hide it; the first finding ends
// the run.
constexpr std::uint64_t until_found = 400'000;

struct IgnoresReaders : RwSpinRules {
  static constexpr bool drained(std::uint32_t) { return true; }
};
struct IgnoresTheWriter : RwSpinRules {
  static constexpr bool admits_reader(std::uint32_t) { return true; }
};
TEST(RwSpinLockStress, finds_a_writer_that_does_not_wait_for_readers) {
  const auto sum = Stress<BasicRwSpinLock<IgnoresReaders>, Relaxed>{}.run(4, until_found, 20);
  EXPECT_TRUE(sum.torn) << sum.reads << " reads, " << sum.writes << " writes";
}

TEST(RwSpinLockStress, finds_readers_that_do_not_wait_for_the_writer) {
  const auto sum = Stress<BasicRwSpinLock<IgnoresTheWriter>, Relaxed>{}.run(4, until_found, 20);
  EXPECT_TRUE(sum.torn) << sum.reads << " reads, " << sum.writes << " writes";
}

}  // namespace
}  // namespace fixkeep::sync
