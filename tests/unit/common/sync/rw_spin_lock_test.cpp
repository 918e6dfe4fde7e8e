#include "common/sync/rw_spin_lock.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/sync/thread_record.hpp"

namespace fixkeep::sync {
namespace {

using std::chrono::milliseconds;

// What another thread gets, which then lets go of it.
template <class Function>
auto elsewhere(Function function) {
  std::optional<decltype(function())> result;
  std::thread{[&] { result.emplace(function()); }}.join();
  return std::move(*result);
}

boost::system::error_code reads_elsewhere(RwSpinLock& lock) {
  return elsewhere([&] {
    const auto guard = lock.try_read();
    return guard ? boost::system::error_code{} : guard.error().code;
  });
}

boost::system::error_code writes_elsewhere(RwSpinLock& lock) {
  return elsewhere([&] {
    const auto guard = lock.try_write();
    return guard ? boost::system::error_code{} : guard.error().code;
  });
}

TEST(RwSpinLock, many_read_or_one_writes) {
  RwSpinLock lock{{"rooms"}};
  {
    const auto reading = lock.read();
    ASSERT_TRUE(reading);
    EXPECT_FALSE(reads_elsewhere(lock));
    EXPECT_EQ(writes_elsewhere(lock), Errc::lock_timeout);
  }
  {
    const auto writing = lock.write();
    ASSERT_TRUE(writing);
    EXPECT_EQ(reads_elsewhere(lock), Errc::lock_timeout);
    EXPECT_EQ(writes_elsewhere(lock), Errc::lock_timeout);
  }
  EXPECT_FALSE(reads_elsewhere(lock));
  EXPECT_FALSE(writes_elsewhere(lock));
}

TEST(RwSpinLock, the_word_is_the_owner_and_the_readers) {
  RwSpinLock lock{{"rooms"}};
  auto& self = ThreadRecord::of();
  ASSERT_NE(self.number(), 0U);
  auto writing = lock.write();
  ASSERT_TRUE(writing);
  EXPECT_EQ(lock.word(), self.number() << 16U);
  auto reading = lock.read();
  ASSERT_TRUE(reading);
  EXPECT_EQ(lock.word(), (self.number() << 16U) + 1);
  reading->unlock();
  writing->unlock();
  EXPECT_EQ(lock.word(), 0U);
}

TEST(RwSpinLock, the_writer_may_write_once_more) {
  RwSpinLock lock{{"rooms"}};
  auto first = lock.write();
  auto second = lock.write();
  auto third = lock.try_write();
  ASSERT_TRUE(first && second && third);
  first->unlock();
  third->unlock();
  EXPECT_EQ(writes_elsewhere(lock), Errc::lock_timeout) << "one guard is still there";
  second->unlock();
  EXPECT_FALSE(writes_elsewhere(lock));
}

TEST(RwSpinLock, the_writer_may_read_and_stays_a_reader) {
  RwSpinLock lock{{"rooms"}};
  auto writing = lock.write();
  const auto reading = lock.read();
  ASSERT_TRUE(writing && reading);
  EXPECT_TRUE(lock.write()) << "it still writes";
  writing->unlock();
  EXPECT_FALSE(reads_elsewhere(lock));
  EXPECT_EQ(writes_elsewhere(lock), Errc::lock_timeout);
  EXPECT_EQ(lock.write().error().code, Errc::lock_upgrade_refused);
}

TEST(RwSpinLock, a_reader_may_not_become_the_writer) {
  RwSpinLock lock{{"rooms"}};
  const auto reading = lock.read();
  const auto began = std::chrono::steady_clock::now();
  const auto refused = lock.write();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::lock_upgrade_refused);
  EXPECT_EQ(refused.error().lock, "rooms");
  EXPECT_EQ(lock.try_write().error().code, Errc::lock_upgrade_refused);
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds{500}) << "at once";
  EXPECT_FALSE(reads_elsewhere(lock)) << "the refusal left no claim behind";
}

TEST(RwSpinLock, a_reader_of_one_lock_may_write_another) {
  RwSpinLock rooms{{"rooms"}};
  RwSpinLock workers{{"workers"}};
  const auto reading = rooms.read();
  EXPECT_TRUE(workers.write());
}

TEST(RwSpinLock, a_wait_past_its_limit_is_an_error_that_names_the_lock) {
  RwSpinLock lock{{"rooms", milliseconds{20}}};
  const auto held = lock.write();
  ASSERT_TRUE(held);
  for (const bool write : {false, true}) {
    const auto error = elsewhere([&] {
      const auto began = std::chrono::steady_clock::now();
      const auto got = write ? lock.write().error() : lock.read().error();
      EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds{20});
      return got;
    });
    EXPECT_EQ(error.code, Errc::lock_timeout);
    EXPECT_EQ(error.message(), "rooms: the lock was not to be had in time");
  }
}

TEST(RwSpinLock, a_writer_that_gives_up_lets_readers_in_again) {
  RwSpinLock lock{{"rooms", milliseconds{10}}};
  const auto reading = lock.read();
  EXPECT_EQ(elsewhere([&] { return lock.write().error().code; }), Errc::lock_timeout);
  EXPECT_EQ(lock.word(), 1U);
  EXPECT_FALSE(reads_elsewhere(lock));
}

TEST(RwSpinLock, a_writer_that_waits_keeps_new_readers_out_but_not_old_ones) {
  RwSpinLock lock{{"rooms"}};
  auto reading = lock.read();
  ASSERT_TRUE(reading);
  std::thread writer{[&] { EXPECT_TRUE(lock.write()); }};
  while (lock.word() == 1) std::this_thread::yield();  // until it has claimed
  EXPECT_EQ(reads_elsewhere(lock), Errc::lock_timeout);
  auto again = lock.read();
  EXPECT_TRUE(again) << "waiting for a writer that waits for us would be for ever";
  again->unlock();
  EXPECT_NE(lock.word() & 0xffffU, 0U) << "the first guard still counts";
  reading->unlock();
  writer.join();
  EXPECT_EQ(lock.word(), 0U);
}

TEST(RwSpinLock, try_write_keeps_nobody_out) {
  RwSpinLock lock{{"rooms"}};
  const auto reading = lock.read();
  EXPECT_EQ(writes_elsewhere(lock), Errc::lock_timeout);
  EXPECT_EQ(lock.word(), 1U);
}

TEST(RwSpinLock, a_thread_reads_a_bounded_number_of_locks) {
  std::vector<std::unique_ptr<RwSpinLock>> locks;
  std::vector<RwSpinLock::ReadGuard> guards;
  for (std::size_t i = 0; i < ThreadRecord::most_read; ++i) {
    locks.push_back(std::make_unique<RwSpinLock>(RwSpinOptions{"lock"}));
    guards.push_back(*locks.back()->read());
  }
  RwSpinLock one_more{{"one more"}};
  EXPECT_EQ(one_more.read().error().code, Errc::lock_limit_reached);
  EXPECT_TRUE(one_more.write());
  EXPECT_TRUE(locks.front()->read()) << "it is on the list already";
  guards.pop_back();
  EXPECT_TRUE(one_more.read());
}

TEST(RwSpinLock, thread_numbers_come_back) {
  std::uint32_t highest = 0;
  for (int i = 0; i < 300; ++i) {
    highest = std::max(highest, elsewhere([] { return ThreadRecord::of().number(); }));
  }
  EXPECT_NE(highest, 0U);
  EXPECT_LT(highest, 100U) << "300 threads, one after another, share a few numbers";
}

TEST(RwSpinLock, a_moved_guard_releases_once) {
  RwSpinLock lock{{"rooms"}};
  auto first = lock.read();
  ASSERT_TRUE(first);
  {
    const auto second = std::move(*first);
    first->unlock();
    EXPECT_EQ(lock.word(), 1U);
  }
  EXPECT_EQ(lock.word(), 0U);
}

}  // namespace
}  // namespace fixkeep::sync
