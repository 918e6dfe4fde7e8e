// The functions of BasicRwSpinLock. Included by rw_spin_lock.cpp and by tests that break a rule on
// purpose.
//
// Waiting. A holder should be done within a microsecond. Thus a waiter spins first. The waiter
// reads the word by plain loads: the word's cache line remains shared until the holder writes.
// Between two reads the waiter executes `pause` (x86) or `yield` (ARM). This leaves the core's
// resources to the sibling thread. It also prevents a flood of loads in the memory order buffer: a
// flush of this buffer would slow the exit from the loop. The number of pauses doubles up to a
// limit. After some hundred pauses the holder is most likely suspended. With fewer cores than
// threads, further spinning keeps the holder from running. From then on each read is followed by
// std::this_thread::yield() and by a check of the limit against the clock.
//
// Memory order. An entry is an acquire and an exit is a release on the word. More is not needed. A
// writer's changes happen before its release. A thread that enters has read the word from this
// release, or from a later read-modify-write in the same release sequence. (Each change of the word
// is a read-modify-write, so it continues the sequence.) Thus this thread sees the changes. Readers
// also leave with a release, and their decrements are one release sequence. A writer that reads a
// count of zero with an acquire comes after each reader's last access. A thread compares its own
// number in relaxed order: only the thread itself writes that number. write_depth_ is a plain
// number: it is used only between entry and exit. There are no fences: the thread sanitizer does
// not support them.
//
// Thread rule, bounds and errors: see rw_spin_lock.hpp.
#pragma once

#include <thread>

#include "common/base/assert.hpp"
#include "common/sync/rw_spin_lock.hpp"
#include "common/sync/thread_record.hpp"

namespace fixkeep::sync {

// One wait, from the first failed attempt to its end.
class SpinWait {
 public:
  explicit SpinWait(std::chrono::microseconds limit) : limit_(limit) {}

  // Returns false if the limit has passed.
  [[nodiscard]] bool pause() {
    if (limit_.count() == 0) return false;
    if (pauses_ <= most_pauses) {
      for (unsigned i = 0; i < pauses_; ++i) relax();
      pauses_ *= 2;
      return true;
    }
    const auto now = std::chrono::steady_clock::now();
    if (started_ == std::chrono::steady_clock::time_point{}) started_ = now;
    if (now - started_ >= limit_) return false;
    std::this_thread::yield();
    return true;
  }

 private:
  static constexpr unsigned most_pauses = 64;

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::chrono::microseconds limit_;
  std::chrono::steady_clock::time_point started_{};
  unsigned pauses_ = 1;
};

template <class Rules>
BasicRwSpinLock<Rules>::~BasicRwSpinLock() {
  FIXKEEP_ASSERT(word() == 0, name() + " is destroyed while it is held");
}

template <class Rules>
auto BasicRwSpinLock<Rules>::read() -> LockResult<ReadGuard> {
  return read_within(options_.limit);
}

template <class Rules>
auto BasicRwSpinLock<Rules>::try_read() -> LockResult<ReadGuard> {
  return read_within(std::chrono::microseconds{0});
}

template <class Rules>
auto BasicRwSpinLock<Rules>::read_within(std::chrono::microseconds limit) -> LockResult<ReadGuard> {
  auto& self = ThreadRecord::of();
  if (self.number() == 0) return error(Errc::lock_limit_reached);
  if (self.depth(this) > 0) {  // we read already: a waiting writer must not stop us
    self.enter(this);
    return ReadGuard{*this};
  }
  if (!self.room()) return error(Errc::lock_limit_reached);
  SpinWait wait{limit};
  auto seen = word_.load(std::memory_order_relaxed);
  while (true) {
    if (Rules::admits_reader(seen) || Rules::owner(seen) == self.number()) {
      if (word_.compare_exchange_weak(seen, seen + Rules::reader, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        break;
      }
      continue;  // another thread entered or left: retry without a pause
    }
    if (!wait.pause()) return error(Errc::lock_timeout);
    seen = word_.load(std::memory_order_relaxed);
  }
  self.enter(this);
  return ReadGuard{*this};
}

template <class Rules>
auto BasicRwSpinLock<Rules>::write() -> LockResult<WriteGuard> {
  auto& self = ThreadRecord::of();
  if (self.number() == 0) return error(Errc::lock_limit_reached);
  if (Rules::owner(word()) == self.number()) return start_write(self);
  if (self.depth(this) > 0) return error(Errc::lock_upgrade_refused);
  // Claims the upper half while readers are inside: this keeps new readers out.
  SpinWait wait{options_.limit};
  auto seen = word_.load(std::memory_order_relaxed);
  while (true) {
    if (Rules::admits_claim(seen)) {
      const auto claimed = (seen & Rules::readers) | Rules::owned_by(self.number());
      if (word_.compare_exchange_weak(seen, claimed, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        break;
      }
      continue;
    }
    if (!wait.pause()) return error(Errc::lock_timeout);
    seen = word_.load(std::memory_order_relaxed);
  }
  while (!Rules::drained(word_.load(std::memory_order_acquire))) {
    if (wait.pause()) continue;
    word_.fetch_and(Rules::readers, std::memory_order_relaxed);  // relaxed: nothing was written yet
    return error(Errc::lock_timeout);
  }
  return start_write(self);
}

template <class Rules>
auto BasicRwSpinLock<Rules>::try_write() -> LockResult<WriteGuard> {
  auto& self = ThreadRecord::of();
  if (self.number() == 0) return error(Errc::lock_limit_reached);
  if (Rules::owner(word()) == self.number()) return start_write(self);
  if (self.depth(this) > 0) return error(Errc::lock_upgrade_refused);
  auto seen = word_.load(std::memory_order_relaxed);
  if (!Rules::admits_claim(seen) || !Rules::drained(seen)) return error(Errc::lock_timeout);
  const auto claimed = (seen & Rules::readers) | Rules::owned_by(self.number());
  if (!word_.compare_exchange_strong(seen, claimed, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
    return error(Errc::lock_timeout);
  }
  return start_write(self);
}

template <class Rules>
auto BasicRwSpinLock<Rules>::start_write(ThreadRecord& self) -> LockResult<WriteGuard> {
  ++write_depth_;
  self.begin_write();
  return WriteGuard{*this};
}

template <class Rules>
void BasicRwSpinLock<Rules>::end_read() {
  if (ThreadRecord::of().leave(this) > 0) return;
  word_.fetch_sub(Rules::reader, std::memory_order_release);
}

template <class Rules>
void BasicRwSpinLock<Rules>::end_write() {
  auto& self = ThreadRecord::of();
  FIXKEEP_ASSERT(Rules::owner(word()) == self.number(),
                 name() + " was released by a thread that does not write it");
  self.end_write();
  if (--write_depth_ > 0) return;
  // Clears only the upper half: a writer that also reads remains a reader.
  word_.fetch_and(Rules::readers, std::memory_order_release);
}

}  // namespace fixkeep::sync
