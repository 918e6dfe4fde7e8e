// The functions of BasicRwSpinLock, for the one source that makes RwSpinLock and for tests that
// break a rule on purpose.
//
// Waiting. A holder should be done within a microsecond. A waiter thus first spins. It reads the
// word by plain loads: its cache line stays shared until the holder writes. Between two reads it
// executes `pause` (x86) or `yield` (ARM). That leaves the core's resources to its sibling thread.
// It also keeps the loop from flooding the memory order buffer: its flush would make the exit from
// the loop slow. The number of pauses doubles up to a limit. After some hundred of them the holder
// is most likely not running at all. With fewer cores than threads, spinning only keeps it from
// running. From then on std::this_thread::yield() follows each read. So does one look at the clock
// for the limit.
//
// Memory order. Entering is an acquire and leaving a release on the one word. More is not needed. A
// writer's changes happen before its release. A thread that enters has read the word from that
// release or from a later read-modify-write in its release sequence (all of ours except the
// claim's). It thus sees them. Reading ends with a release too. A writer that then finds the count
// at zero with an acquire comes after every reader's last look: the readers' decrements are one
// release sequence. A thread looks for its own number in relaxed order: only the thread itself
// writes it. write_depth_ is a plain number because it is only touched between the two. There are
// no fences: the thread sanitizer does not understand them.
//
// Thread rule, bounds and errors: see rw_spin_lock.hpp.
#pragma once

#include <thread>

#include "common/base/assert.hpp"
#include "common/sync/rw_spin_lock.hpp"
#include "common/sync/thread_record.hpp"

namespace fixkeep::sync {

// One wait, from its first failed look to its end.
class SpinWait {
 public:
  explicit SpinWait(std::chrono::microseconds limit) : limit_(limit) {}

  // False: the limit has passed.
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
  if (self.depth(this) > 0) {  // counted already; a writer that waits must not stop us
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
      continue;  // `seen` is new: another thread went in or out, no reason to wait
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
  // Claims the upper half although readers are inside: that keeps new ones out.
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
    word_.fetch_and(Rules::readers, std::memory_order_relaxed);  // it had not written yet
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
  // Only the upper half goes: a writer that still reads stays as a reader.
  word_.fetch_and(Rules::readers, std::memory_order_release);
}

}  // namespace fixkeep::sync
