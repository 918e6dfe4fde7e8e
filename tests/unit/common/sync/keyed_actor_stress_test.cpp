// Several threads put work for a few keys, several others run it. Bodies count in a plain number a
// key: if two bodies of one key ever ran at once the thread sanitizer, or the sum, would tell. The
// same test is run with an actor whose order of turns is broken, and must notice.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <thread>
#include <vector>

#include "common/base/random.hpp"
#include "common/sync/keyed_actor.hpp"

namespace fixkeep::sync {
namespace {

// A pool of threads; what is left when it ends is dropped.
class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard guard{mutex_};
      ended_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  void post(std::function<void()> work) {
    {
      const std::lock_guard guard{mutex_};
      queue_.push_back(std::move(work));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> next;
      {
        std::unique_lock guard{mutex_};
        changed_.wait(guard, [this] { return ended_ || !queue_.empty(); });
        if (queue_.empty()) return;
        next = std::move(queue_.front());
        queue_.pop_front();
      }
      next();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

TimePoint steady_now() {
  return TimePoint{
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

constexpr std::size_t keys = 3;
constexpr int putters = 3;
constexpr int each = 3000;

struct Seen {
  std::atomic<int> answered{0};
  std::atomic<int> failed{0};
  std::atomic<bool> overlapped{false};
  std::array<std::atomic<int>, keys> inside{};
};

// What a body does: the same for the actor and for its broken stand-in.
template <class Count>
void body(Seen& seen, Count& count, std::size_t key, bool pause) {
  if (seen.inside[key].fetch_add(1, std::memory_order_relaxed) != 0) seen.overlapped = true;
  count = count + 1;
  if (pause) std::this_thread::yield();
  seen.inside[key].fetch_sub(1, std::memory_order_relaxed);
}

template <class Put>
void put_all(Put put) {
  std::vector<std::thread> threads;
  threads.reserve(putters);
  for (int i = 0; i < putters; ++i) {
    threads.emplace_back([i, &put] {
      Random random{static_cast<std::uint64_t>(i)};
      for (int n = 0; n < each; ++n) put(random.below(keys), random.chance(0.1));
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(KeyedActorStress, bodies_of_one_key_never_overlap) {
  Seen seen;
  std::array<long, keys> counts{};  // plain, and guarded by nothing but turns
  {
    Pool pool{4};
    KeyedActorOptions options;
    options.mailboxes.wait_timeout = std::chrono::minutes{5};
    options.mailboxes.lease_timeout = std::chrono::minutes{5};
    options.mailboxes.idle = Duration{50};  // so that sweeps meet work that comes
    options.now = steady_now;
    options.executor = [&pool](std::function<void()> work) { pool.post(std::move(work)); };
    KeyedActor<std::size_t> actor{options};
    std::atomic<bool> ended{false};
    std::thread ticker{[&] {
      while (!ended) {
        actor.tick();
        std::this_thread::yield();
      }
    }};
    put_all([&](std::size_t key, bool pause) {
      const auto put = actor.run(
          key,
          [&, key, pause](WorkToken token) {
            body(seen, counts[key], key, pause);
            if (!pause) {
              token.complete();
            } else {  // asynchronously, on whichever thread comes
              pool.post([&, key, token] {
                body(seen, counts[key], key, false);
                token.complete();
              });
            }
          },
          [&](WorkOutcome outcome) {
            seen.failed += outcome.error ? 1 : 0;
            ++seen.answered;
          });
      if (!put) ++seen.failed;
    });
    while (seen.answered < putters * each && seen.failed == 0) std::this_thread::yield();
    ended = true;
    ticker.join();
  }
  EXPECT_EQ(seen.answered, putters * each);
  EXPECT_EQ(seen.failed, 0);
  EXPECT_FALSE(seen.overlapped);
  long sum = 0;
  for (const auto count : counts) sum += count;
  EXPECT_GE(sum, putters * each);
}

// Turns that are not kept: every body goes straight to the pool.
TEST(KeyedActorStress, finds_bodies_that_do_not_wait_for_their_turn) {
  Seen seen;
  std::array<std::atomic<long>, keys> counts{};
  {
    Pool pool{4};
    put_all([&](std::size_t key, bool) {
      pool.post([&, key] {
        body(seen, counts[key], key, true);
        ++seen.answered;
      });
    });
    while (seen.answered < putters * each) std::this_thread::yield();
  }
  EXPECT_TRUE(seen.overlapped);
}

// Leases that lapse while bodies end: whoever is told first, each caller is told once.
TEST(KeyedActorStress, every_caller_is_told_once_whatever_lapses) {
  Seen seen;
  std::atomic<int> late{0};
  std::atomic<int> put_in{0};
  {
    Pool pool{3};
    KeyedActorOptions options;
    options.mailboxes = {.wait_timeout = std::chrono::milliseconds{2},
                         .lease_timeout = Duration{30},
                         .overrun = Duration{30},
                         .waiting_per_key = 500,
                         .waiting = 1000,
                         .idle = Duration{20}};
    options.now = steady_now;
    options.executor = [&pool](std::function<void()> work) { pool.post(std::move(work)); };
    options.late = [&late](WorkNumber, WorkOutcome) { ++late; };
    KeyedActor<std::size_t> actor{options};
    put_all([&](std::size_t key, bool pause) {
      const auto put = actor.run(
          key,
          [pause](WorkToken token) {
            const auto until = steady_now() + Duration{pause ? 100 : 1};
            while (steady_now() < until) std::this_thread::yield();
            token.complete();
          },
          [&](WorkOutcome) { ++seen.answered; });
      if (put) ++put_in;
      actor.tick();
    });
    while (seen.answered < put_in) {
      actor.tick();
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(seen.answered, put_in);
  EXPECT_GT(late, 0);
}

}  // namespace
}  // namespace fixkeep::sync
