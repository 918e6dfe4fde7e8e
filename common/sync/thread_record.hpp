// A ThreadRecord is a thread's record for the spin locks: a small number and a list of the locks
// held for reading.
//
// The number fits into a lock's word. A thread gets its number when it first uses a lock, and
// returns the number when the thread ends. A process may start any number of threads, but at most
// `numbers` of them may use locks at the same time. Zero means no thread.
//
// The list is needed because the word contains only the number of readers. A thread that reads a
// lock again must not wait for a writer that waits for this thread. A thread that reads a lock and
// wants to write must be refused.
//
// Invariants: 1. two living threads never have the same number.
//             2. a thread that ends holds no lock (asserted). Otherwise the next thread with this
//                number would appear to be the owner.
// Thread rule: of() returns the calling thread's record; no other thread can access it.
// Bounds: 65535 threads, most_read locks read by one thread at a time. Errors: number() returns
// zero if all numbers are in use; room() returns false if the list is full.
#pragma once

#include <array>
#include <cstdint>

namespace fixkeep::sync {

class ThreadRecord {
 public:
  static constexpr std::uint32_t numbers = 65'535;
  static constexpr std::size_t most_read = 16;

  [[nodiscard]] static ThreadRecord& of();  // the calling thread's

  ThreadRecord(const ThreadRecord&) = delete;
  ThreadRecord& operator=(const ThreadRecord&) = delete;

  [[nodiscard]] std::uint32_t number() const { return number_; }

  // The number of read guards that this thread has for the lock.
  [[nodiscard]] std::uint32_t depth(const void* lock) const {
    for (std::size_t i = 0; i < reads_; ++i) {
      if (read_[i].lock == lock) return read_[i].depth;
    }
    return 0;
  }
  [[nodiscard]] bool room() const { return reads_ < most_read; }
  // REQUIRES: depth(lock) > 0, or room() is true.
  void enter(const void* lock);
  // Removes one read guard and returns the number of the remaining guards. REQUIRES: depth(lock) >
  // 0. The assertion fails if a guard was moved to another thread.
  [[nodiscard]] std::uint32_t leave(const void* lock);

  void begin_write() { ++writes_; }
  void end_write() { --writes_; }

 private:
  ThreadRecord();
  ~ThreadRecord();

  struct Read {
    const void* lock = nullptr;
    std::uint32_t depth = 0;
  };
  std::uint32_t number_;
  std::uint32_t writes_ = 0;
  std::size_t reads_ = 0;
  std::array<Read, most_read> read_{};
};

}  // namespace fixkeep::sync
