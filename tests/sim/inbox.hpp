// The door of a node: where everything that happens to a process comes in.
//
// Running, a node is given each job at once. Paused (as by SIGSTOP) its jobs wait, and all of them
// are given to it in order when it wakes: the kernel goes on to accept what others send. Crashed,
// it gets nothing, and what was waiting is gone; a restarted node begins empty. Thread rule: one
// owner.
#pragma once

#include <deque>
#include <utility>

#include "tests/sim/scheduler.hpp"

namespace fixkeep::sim {

class Inbox {
 public:
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] bool responsive() const { return running_ && !paused_; }
  [[nodiscard]] SimTime slept_at() const { return slept_at_; }  // the last time; -1: never
  [[nodiscard]] SimTime woke_at() const { return woke_at_; }
  [[nodiscard]] std::uint64_t pauses() const { return pauses_; }
  // How long the process has not been paused, all in all.
  [[nodiscard]] Duration awake(SimTime now) const {
    return now - slept_ - (paused_ ? now - slept_at_ : Duration{});
  }

  void deliver(Job job) {
    if (!running_) return;
    if (paused_ && !working_) {
      waiting_.push_back(std::move(job));
    } else {
      job();
    }
  }

  void start() { running_ = true; }

  void crash() {
    running_ = false;
    paused_ = false;
    ++pauses_;
    waiting_.clear();
  }

  void pause(SimTime now) {
    paused_ = true;
    slept_at_ = now;
    ++pauses_;
  }

  // What a job of the backlog delivers itself is part of that job.
  void resume(SimTime now) {
    if (!paused_) return;
    woke_at_ = now;
    while (running_ && !waiting_.empty()) {
      const Job job = std::move(waiting_.front());
      waiting_.pop_front();
      working_ = true;
      job();
      working_ = false;
    }
    if (paused_) slept_ += now - slept_at_;
    paused_ = false;
  }

 private:
  bool running_ = false;
  bool paused_ = false;
  bool working_ = false;
  std::uint64_t pauses_ = 0;
  SimTime slept_at_{-1};
  SimTime woke_at_{-1};
  Duration slept_{};  // in all pauses that are over
  std::deque<Job> waiting_;
};

}  // namespace fixkeep::sim
