// Watchers watch a changing object and get its present state at once and after every change.
//
// A watch has one object under way at a time. Changes meanwhile are not queued: once the object has
// gone out, the newest one follows. A slow watcher thus costs only its one object. Thread rule: one
// thread. A watch may outlive its watchers. Any `send` may destroy it. Bounds: `most` watches at a
// time. Errors: SdkCode::resource_exhausted.
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
  // Destroying it ends it: `send` is not called again.
  class Watch {
   public:
    explicit Watch(std::shared_ptr<State> state) : state_(std::move(state)) {}
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    void start();  // calls `send` for the first time
    void sent();   // the object of the last `send` has gone out

   private:
    std::shared_ptr<State> state_;
  };

  explicit Watchers(std::size_t most) : most_(most) {}

  // `send` is not called before start(): it can use the watch.
  [[nodiscard]] SdkResult<std::unique_ptr<Watch>> add(std::function<void()> send);
  void changed();

 private:
  std::size_t most_;
  std::vector<std::weak_ptr<State>> states_;
};

}  // namespace fixkeep::worker
