// The event queue of a run: jobs in the order of (time, sequence), so that one seed is one history.
//
// Thread rule: one owner. Errors: none.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "tests/sim/clock.hpp"

namespace fixkeep::sim {

using Job = std::function<void()>;

class Scheduler {
 public:
  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] SimTime next_time() const { return queue_.empty() ? never : queue_.top().at; }

  // A time that has passed means now, after everything that is due now already.
  void at(SimTime time, Job job) {
    queue_.push(Entry{time < now_ ? now_ : time, sequence_++, std::move(job)});
  }
  void after(Duration delay, Job job) { at(now_ + delay, std::move(job)); }

  // REQUIRES: not empty().
  void run_next() {
    // top() is const for the sake of the heap; the job does not take part in the order.
    Entry entry = std::move(const_cast<Entry&>(queue_.top()));
    queue_.pop();
    now_ = entry.at;
    ++steps_;
    entry.job();
  }

  void advance_to(SimTime time) {
    if (time > now_) now_ = time;
  }

 private:
  struct Entry {
    SimTime at;
    std::uint64_t sequence;
    Job job;

    friend bool operator<(const Entry& left, const Entry& right) {
      return left.at != right.at ? left.at > right.at : left.sequence > right.sequence;
    }
  };

  std::priority_queue<Entry> queue_;
  SimTime now_{};
  std::uint64_t sequence_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace fixkeep::sim
