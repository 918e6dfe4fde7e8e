// The order in which a driver steps its core: the waiting events, the batches and the links of the
// core's messages. The shells of all nodes and the simulator use it.
//
// A hub reports events at once; a driver gathers them and steps them a batch at a time. The hub is
// thus ahead of the core: a node may have gone and come back while an event still waits. A message
// of the core for the older connection must not go out on the newer one: its other end does not
// expect it. For that, events of links carry a LinkChange. It is applied when the event is stepped.
// links() is the core's knowledge at that time. The hub drops messages for other links than the
// present one.
//
// Invariants: 1. events are stepped in the order in which they came, each exactly once.
//             2. the actions of one event are performed before the next event is stepped.
//             3. events caused by an action belong to the same batch.
//             4. the passing of time is stepped after all waiting events: a late driver does not
//                make them late.
// The rejected alternatives: to end a batch at each change of a link does not help because the hub
// is ahead of the batch. To step each event at once costs the natural batches.
//
// Sans-IO. Thread rule: a value with one owner. Bounds: the events of one turn of the driver's
// loop. The limits of hub and HTTP server bound them. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/node/known_links.hpp"

namespace fixkeep::node {

// Timers are a few milliseconds late on any machine. A driver that is later was held up. It tells
// its core before the batch.
inline constexpr Duration prompt = std::chrono::milliseconds{100};

template <class Event>
class EventQueue {
 public:
  // True: nothing was waiting. The driver has to see to it that run() is called.
  [[nodiscard]] bool push(Event&& event, std::optional<LinkChange> change = {}) {
    waiting_.push_back({std::move(event), std::move(change)});
    return !std::exchange(run_awaited_, true);
  }

  // Pushes the event that time has passed, as push() does.
  [[nodiscard]] bool push_time(Event&& event) {
    time_passed_ = std::move(event);
    return !std::exchange(run_awaited_, true);
  }

  // Calls step(Event&&) for all waiting events: it steps the core and performs its actions. Does
  // nothing from within a step.
  template <class Step>
  void run(Step step) {
    if (std::exchange(running_, true)) return;
    for (std::size_t next = 0; next < waiting_.size() || time_passed_; ++next) {
      if (next == waiting_.size()) {
        waiting_.push_back({std::move(*time_passed_), {}});
        time_passed_.reset();
      }
      Arrival arrival = std::move(waiting_[next]);  // a step may add to them
      if (arrival.change) links_.apply(*arrival.change);
      step(std::move(arrival.event));
    }
    waiting_.clear();
    running_ = run_awaited_ = false;
  }

  [[nodiscard]] bool empty() const { return waiting_.empty() && !time_passed_; }
  // Returns the links as far as the events that were stepped tell.
  [[nodiscard]] const KnownLinks& links() const { return links_; }

 private:
  struct Arrival {
    Event event;
    std::optional<LinkChange> change;
  };

  std::vector<Arrival> waiting_;
  std::optional<Event> time_passed_;
  KnownLinks links_;
  bool run_awaited_ = false;
  bool running_ = false;
};

}  // namespace fixkeep::node
