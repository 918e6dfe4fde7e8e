#include "worker/sdk/watchers.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::worker {

struct Watchers::State {
  std::function<void()> send;
  bool started = false;
  bool ended = false;
  bool stale = true;  // the last sent state is outdated, or no state was sent yet
  bool under_way = false;
  bool sending = false;  // pump() is running, and its loop also sends newer states

  void pump() {
    if (std::exchange(sending, true)) return;
    while (started && stale && !under_way && !ended) {
      stale = false;
      under_way = true;
      send();
    }
    sending = false;
  }
};

Watchers::Watch::~Watch() {
  state_->ended = true;  // `send` is not destroyed: it may be running now
}

void Watchers::Watch::start() {
  const auto state = state_;
  state->started = true;
  state->pump();
}

void Watchers::Watch::sent() {
  const auto state = state_;
  state->under_way = false;
  state->pump();
}

SdkResult<std::unique_ptr<Watchers::Watch>> Watchers::add(std::function<void()> send) {
  std::erase_if(states_, [](const auto& state) { return state.expired(); });
  if (states_.size() >= most_) {
    return SdkError{SdkCode::resource_exhausted,
                    "there are " + std::to_string(most_) + " watchers already"};
  }
  const auto state = std::make_shared<State>();
  state->send = std::move(send);
  states_.push_back(state);
  return std::make_unique<Watch>(state);
}

void Watchers::changed() {
  const auto states = states_;  // `send` may add a watch
  for (const auto& known : states) {
    const auto state = known.lock();
    if (state == nullptr) continue;
    state->stale = true;
    state->pump();
  }
}

}  // namespace fixkeep::worker
