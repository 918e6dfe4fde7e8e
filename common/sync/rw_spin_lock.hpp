// A reader-writer spin lock in one 32-bit word: many may read, or one may write.
//
//     31            16 15             0
//     owner's number   readers          0: nobody
//
// For data that is mostly read and held for microseconds like the view of the room directory. A
// waiter spins with the processor's pause and then yields: see rw_spin_lock_rules.hpp.
//
//   nobody holds it     read, write
//   I write             write once more (recursion), read; each is released by its own guard
//   I read              read once more; write is refused with lock_upgrade_refused, at once: two
//                       such threads would wait for each other for ever, and one waits for itself
//   another one reads   read; write waits and keeps new readers out meanwhile, so writers do not
//                       starve
//   another one writes  wait
//
// A writer that reads and then ends writing has become a reader without a gap.
//
// Assumes: guards are released by the thread that took them (asserted). A holder that is suspended
// by the system costs the others their time slices. Past `limit` it costs an error but never a
// hang.
// Invariants: 1. no other thread reads or writes while a thread has written and not released.
//             2. the lower half is the number of threads that read. The writer may be one of them.
//             3. a wait ends after `limit` and at most one turn of the scheduler.
//             4. the next thread that is let in sees what the releasing one did before.
// Thread rule: any thread. Not fair among writers. Bounds: ThreadRecord's. Errors: LockError.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.hpp"

namespace fixkeep::sync {

class ThreadRecord;

// The lock that was not given and why.
struct LockError {
  boost::system::error_code code;
  std::string_view lock;  // its name; lives as long as the lock

  [[nodiscard]] std::string message() const { return std::string{lock} + ": " + code.message(); }
};
[[noreturn]] void throw_exception_from_error(const LockError& error,
                                             const boost::source_location& where);
template <class T>
using LockResult = boost::system::result<T, LockError>;

// The rules: the meaning of the word and the thread that may go on. Tests replace one rule at a
// time and expect to be caught.
struct RwSpinRules {
  static constexpr std::uint32_t reader = 1;
  static constexpr std::uint32_t readers = 0xffffU;
  static constexpr unsigned owner_shift = 16;

  [[nodiscard]] static constexpr std::uint32_t owned_by(std::uint32_t thread) {
    return thread << owner_shift;
  }
  [[nodiscard]] static constexpr std::uint32_t owner(std::uint32_t word) {
    return word >> owner_shift;
  }
  [[nodiscard]] static constexpr bool admits_reader(std::uint32_t word) { return owner(word) == 0; }
  [[nodiscard]] static constexpr bool admits_claim(std::uint32_t word) { return owner(word) == 0; }
  // No thread reads any more: the one that has claimed the word may write.
  [[nodiscard]] static constexpr bool drained(std::uint32_t word) { return (word & readers) == 0; }
};

struct RwSpinOptions {
  std::string name;                            // name of the guarded data; in every error
  std::chrono::microseconds limit{1'000'000};  // longest wait
};

template <class Rules>
class BasicRwSpinLock {
 public:
  template <void (BasicRwSpinLock::*release)()>
  class [[nodiscard]] Guard {
   public:
    Guard(Guard&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
    Guard& operator=(Guard&& other) noexcept {
      Guard{std::move(other)}.swap(*this);
      return *this;
    }
    ~Guard() { unlock(); }

    void unlock() {
      if (auto* const held = std::exchange(lock_, nullptr)) (held->*release)();
    }

   private:
    friend BasicRwSpinLock;
    explicit Guard(BasicRwSpinLock& lock) : lock_(&lock) {}
    void swap(Guard& other) noexcept { std::swap(lock_, other.lock_); }
    BasicRwSpinLock* lock_;
  };

  explicit BasicRwSpinLock(RwSpinOptions options) : options_(std::move(options)) {}
  ~BasicRwSpinLock();  // REQUIRES: it is not held, asserted
  BasicRwSpinLock(const BasicRwSpinLock&) = delete;
  BasicRwSpinLock& operator=(const BasicRwSpinLock&) = delete;

 private:
  void end_read();
  void end_write();

 public:
  using ReadGuard = Guard<&BasicRwSpinLock::end_read>;
  using WriteGuard = Guard<&BasicRwSpinLock::end_write>;

  // Errors: lock_timeout, lock_limit_reached.
  [[nodiscard]] LockResult<ReadGuard> read();
  [[nodiscard]] LockResult<ReadGuard> try_read();  // lock_timeout if not at once
  // Errors: lock_timeout, lock_upgrade_refused, lock_limit_reached.
  [[nodiscard]] LockResult<WriteGuard> write();
  [[nodiscard]] LockResult<WriteGuard> try_write();  // never keeps readers out

  [[nodiscard]] const std::string& name() const { return options_.name; }
  [[nodiscard]] std::uint32_t word() const { return word_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] LockError error(Errc code) const { return {code, options_.name}; }
  [[nodiscard]] LockResult<ReadGuard> read_within(std::chrono::microseconds limit);
  [[nodiscard]] LockResult<WriteGuard> start_write(ThreadRecord& self);

  std::atomic<std::uint32_t> word_{0};
  std::uint32_t write_depth_ = 0;  // the owner's alone
  RwSpinOptions options_;
};

using RwSpinLock = BasicRwSpinLock<RwSpinRules>;
extern template class BasicRwSpinLock<RwSpinRules>;

}  // namespace fixkeep::sync
