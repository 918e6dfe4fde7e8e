// A reader-writer spin lock in one 32-bit word. Many threads may read, or one thread may write.
//
//     31            16 15             0
//     owner's number   readers          0: free
//
// Use it for data that is mostly read, and locked for microseconds, like the view of the room
// directory. A waiter spins with the processor's pause and then yields: see rw_spin_lock_rules.hpp.
//
//   the lock is free       read, write
//   this thread writes     write again (recursion), read; each has its own guard
//   this thread reads      read again; a write is refused immediately (lock_upgrade_refused): one
//                          such thread would wait for itself, two for each other, forever
//   another thread reads   read; a waiting writer keeps new readers out, so writers do not starve
//   another thread writes  wait
//
// A writer may also read. After its write, the thread remains a reader: no other writer can enter
// in between.
//
// Assumes: guards are released by the thread that took them (asserted). While the system suspends a
// holder, waiting threads lose their time slices. After the time `limit` they get an error, so they
// never hang.
// Invariants: 1. while a thread has the lock for writing, no other thread reads or writes.
//             2. the lower half is the number of threads that read. The writer may be one of them.
//             3. a wait ends at most one turn of the scheduler after the time `limit`.
//             4. a thread that gets the lock sees all changes before the previous release.
// Thread rule: any thread. Not fair among writers. Bounds: those of ThreadRecord. Errors:
// LockError.
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

// The refused lock and the reason.
struct LockError {
  boost::system::error_code code;
  std::string_view lock;  // the lock's name; valid while the lock exists

  [[nodiscard]] std::string message() const { return std::string{lock} + ": " + code.message(); }
};
[[noreturn]] void throw_exception_from_error(const LockError& error,
                                             const boost::source_location& where);
template <class T>
using LockResult = boost::system::result<T, LockError>;

// The meaning of the lock's 32-bit word, and the conditions to enter the lock. Tests break one rule
// at a time and expect a failure.
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
  // Returns true if no thread reads any more: the writer that has claimed the lock may then write.
  [[nodiscard]] static constexpr bool drained(std::uint32_t word) { return (word & readers) == 0; }
};

struct RwSpinOptions {
  std::string name;                            // name of the guarded data, for errors
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
  ~BasicRwSpinLock();  // REQUIRES: not held (asserted)
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
  [[nodiscard]] LockResult<ReadGuard> try_read();  // lock_timeout if it would wait
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
  std::uint32_t write_depth_ = 0;  // only for the owner
  RwSpinOptions options_;
};

using RwSpinLock = BasicRwSpinLock<RwSpinRules>;
extern template class BasicRwSpinLock<RwSpinRules>;

}  // namespace fixkeep::sync
