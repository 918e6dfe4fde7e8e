// The body of a keyed actor's work has a token during its turn. complete() ends the turn.
//
// Copies share one turn. If the last copy is destroyed without complete(), the work is abandoned.
// Then the caller gets an error, and the key is free again.
// Thread rule: any thread. Errors: complete() returns false if the turn is lost or has already
// ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "common/base/result.hpp"

namespace fixkeep::sync {

using WorkNumber = std::uint64_t;

struct WorkOutcome {
  boost::system::error_code error;
  std::exception_ptr thrown;  // set with actor_work_threw
};

// Receives the reports of tokens.
class WorkEnds {
 public:
  virtual ~WorkEnds() = default;
  virtual bool end(WorkNumber work, WorkOutcome outcome) = 0;  // returns true if in time
};

class WorkToken {
 public:
  class State {
   public:
    State(std::weak_ptr<WorkEnds> ends, WorkNumber work) : ends_(std::move(ends)), work_(work) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { complete({Errc::actor_work_abandoned, {}}); }

    bool complete(WorkOutcome outcome) {
      if (ended_.exchange(true, std::memory_order_acq_rel)) return false;
      const auto ends = ends_.lock();
      return ends && ends->end(work_, std::move(outcome));
    }
    void lose() { lost_.store(true, std::memory_order_release); }
    [[nodiscard]] bool held() const {
      return !lost_.load(std::memory_order_acquire) && !ended_.load(std::memory_order_acquire);
    }
    [[nodiscard]] WorkNumber work() const { return work_; }

   private:
    std::weak_ptr<WorkEnds> ends_;
    WorkNumber work_;
    std::atomic<bool> lost_{false};
    std::atomic<bool> ended_{false};
  };

  explicit WorkToken(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // Ends the turn. Returns true if the turn lasted until now: only then, the caller of run() gets
  // this outcome.
  bool complete(boost::system::error_code error = {}) const {
    return state_->complete({error, {}});
  }
  // True until complete() is called, or the actor reports that the turn is lost.
  [[nodiscard]] bool held() const { return state_->held(); }
  [[nodiscard]] WorkNumber number() const { return state_->work(); }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace fixkeep::sync
