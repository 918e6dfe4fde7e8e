// The body of a keyed actor's work holds a token while it has its turn; completing it ends the
// turn.
//
// Copies share one turn. When the last copy goes without complete() the work counts as abandoned.
// So a body that forgets its token on some path costs its caller an error but not its key.
// Thread rule: any thread. Errors: complete() is false if the turn was lost or ended before.
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

// Where tokens report to.
class WorkEnds {
 public:
  virtual ~WorkEnds() = default;
  virtual bool end(WorkNumber work, WorkOutcome outcome) = 0;  // true: it was in time
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

  // True: the turn lasted until now and the caller is told of this outcome.
  bool complete(boost::system::error_code error = {}) const {
    return state_->complete({error, {}});
  }
  // Whether it still has its turn as far as is known.
  [[nodiscard]] bool held() const { return state_->held(); }
  [[nodiscard]] WorkNumber number() const { return state_->work(); }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace fixkeep::sync
