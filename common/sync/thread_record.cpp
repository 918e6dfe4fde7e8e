#include "common/sync/thread_record.hpp"

#include <mutex>
#include <vector>

#include "common/base/assert.hpp"

namespace fixkeep::sync {
namespace {

// Each thread locks the mutex of this class only two times, so an ordinary mutex is fast enough.
class Numbers {
 public:
  std::uint32_t take() {
    const std::lock_guard guard{mutex_};
    if (!free_.empty()) {
      const auto number = free_.back();
      free_.pop_back();
      return number;
    }
    return highest_ < ThreadRecord::numbers ? ++highest_ : 0;
  }
  void give_back(std::uint32_t number) {
    if (number == 0) return;
    const std::lock_guard guard{mutex_};
    free_.push_back(number);
  }

 private:
  std::mutex mutex_;
  std::vector<std::uint32_t> free_;
  std::uint32_t highest_ = 0;
};

// Never destroyed: threads may end after the destruction of the program's statics.
Numbers& all_numbers() {
  static auto* const all = new Numbers;
  return *all;
}

}  // namespace

ThreadRecord& ThreadRecord::of() {
  thread_local ThreadRecord record;
  return record;
}

ThreadRecord::ThreadRecord() : number_(all_numbers().take()) {}

ThreadRecord::~ThreadRecord() {
  FIXKEEP_ASSERT(reads_ == 0 && writes_ == 0, "a thread ended while it held a spin lock");
  all_numbers().give_back(number_);
}

void ThreadRecord::enter(const void* lock) {
  for (std::size_t i = 0; i < reads_; ++i) {
    if (read_[i].lock == lock) {
      ++read_[i].depth;
      return;
    }
  }
  FIXKEEP_ASSERT(reads_ < most_read, "a thread reads more locks than its record has room for");
  read_[reads_++] = {lock, 1};
}

std::uint32_t ThreadRecord::leave(const void* lock) {
  for (std::size_t i = 0; i < reads_; ++i) {
    if (read_[i].lock != lock) continue;
    const auto left = --read_[i].depth;
    if (left == 0) read_[i] = read_[--reads_];
    return left;
  }
  FIXKEEP_ASSERT(false, "a spin lock was released by a thread that does not read it");
  return 0;
}

}  // namespace fixkeep::sync
