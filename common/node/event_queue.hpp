// The order in which a driver steps its core: what waits, what makes a batch, and which link a core
// means. The shells of all nodes and the simulator use it alike.
//
// A hub reports what happens as it happens; a driver gathers the events and steps them a batch at a
// time. So the hub is ahead of the core: a node may have gone and come back while an event still
// waits, and what the core says of the older connection must not go out on the newer one, whose
// other end knows nothing of it. Events of links therefore carry a LinkChange, which is applied
// when the event is stepped, and links() is what the core knows just then. The hub drops whatever
// is not meant for its link of the moment.
//
// Invariants: 1. events are stepped in the order in which they came, each exactly once.
//             2. the actions of one event are performed before the next event is stepped.
//             3. what performing an action brings about belongs to the same batch.
//             4. that time has passed is stepped after all that waits: what has arrived in time is
//                not too late since the driver is.
// The rejected alternatives: to end a batch at each change of a link does not help, since the hub
// is ahead of the batch; to step each event at once costs the natural batches.
//
// Sans-IO. Thread rule: a value, one owner. Bounds: what arrives in one turn of the driver's loop,
// which the limits of hub and HTTP server bound. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/node/known_links.hpp"

namespace fixkeep::node {

// A timer is a few milliseconds late on any machine; a driver that is later was held up, and tells
// its core before the batch.
inline constexpr Duration prompt = std::chrono::milliseconds{100};

template <class Event>
class EventQueue {
 public:
  // True: nothing was waiting, so the driver has to see to it that run() is called.
  [[nodiscard]] bool push(Event&& event, std::optional<LinkChange> change = {}) {
    waiting_.push_back({std::move(event), std::move(change)});
    return !std::exchange(run_awaited_, true);
  }

  // Pushes the event that time has passed, as push() does.
  [[nodiscard]] bool push_time(Event&& event) {
    time_passed_ = std::move(event);
    return !std::exchange(run_awaited_, true);
  }

  // Calls step(Event&&), which steps the core and performs its actions, for everything that waits.
  // Does nothing from within a step.
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
