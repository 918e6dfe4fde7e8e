// Watchers send the present state of an object to its watches, at the start and after every change.
//
// A watch sends one state at a time. Changes during that time are not queued: after a state was
// sent, the newest state follows. A slow client thus costs the memory of only one state. Thread
// rule: one thread. A watch may outlive its Watchers. Any `send` may destroy the watch. Bounds:
// `most` watches at a time. Errors: SdkCode::resource_exhausted.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "worker/sdk/errors.hpp"

namespace fixkeep::worker {

class Watchers {
 private:
  struct State;

 public:
  // Destroying a watch ends it: `send` is not called again.
  class Watch {
   public:
    explicit Watch(std::shared_ptr<State> state) : state_(std::move(state)) {}
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    void start();  // calls `send` for the first time
    void sent();   // notes that the state of the last `send` was sent

   private:
    std::shared_ptr<State> state_;
  };

  explicit Watchers(std::size_t most) : most_(most) {}

  // `send` is not called before start(), so `send` can use the returned watch.
  [[nodiscard]] SdkResult<std::unique_ptr<Watch>> add(std::function<void()> send);
  void changed();

 private:
  std::size_t most_;
  std::vector<std::weak_ptr<State>> states_;
};

}  // namespace fixkeep::worker
