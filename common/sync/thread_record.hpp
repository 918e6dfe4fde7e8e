// A ThreadRecord is a thread's record for the spin locks: a small number and the list of the locks
// that it reads.
//
// The number fits into a lock's word. It is handed out at a thread's first use of any lock and goes
// back when the thread ends. A process may start any number of threads if no more than `numbers`
// use locks at once. Zero is no thread.
//
// The list reveals a reader that reads once more. It must not wait for a writer that waits for it.
// The list also reveals a reader that wants to write. It must be refused. The word only has the
// number of readers.
//
// Invariants: 1. two threads alive never have one number.
//             2. a thread that ends holds no lock. This is asserted: the next thread with its
//                number would be taken for the owner.
// Thread rule: of() is the calling thread's own record; no other thread sees it.
// Bounds: 65535 threads, most_read locks read by one thread at a time. Errors: number() is zero if
// all are in use; enter() false if the list is full.
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

  // Returns the depth to which this thread reads the lock; 0: not at all.
  [[nodiscard]] std::uint32_t depth(const void* lock) const {
    for (std::size_t i = 0; i < reads_; ++i) {
      if (read_[i].lock == lock) return read_[i].depth;
    }
    return 0;
  }
  [[nodiscard]] bool room() const { return reads_ < most_read; }
  // REQUIRES: depth(lock) > 0, or room().
  void enter(const void* lock);
  // The depth that is left. REQUIRES: depth(lock) > 0, asserted: a guard was moved to another
  // thread.
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
