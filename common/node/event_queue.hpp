// The queue of events between a driver and its core: order, batches, and the links for the core's
// messages. The shells of all nodes and the simulator use it.
//
// A hub reports events immediately; a driver gathers them and passes them to the core, one batch at
// a time. Thus the hub is ahead of the core: a node may disconnect and reconnect while an event
// still waits. The core's message for the old connection must not be sent on the new connection:
// the peer does not expect this message. Therefore events of links carry a LinkChange, which is
// applied when the core handles the event. links() returns the links that the core knows at this
// point. The hub drops a message if its link is not the node's present link.
//
// Invariants: 1. the core handles events in order of arrival, each exactly one time.
//             2. the actions of one event are performed before the core handles the next event.
//             3. events caused by an action belong to the same batch.
//             4. TimePassed is handled after all waiting events: an event must not look late
//                because the driver was late.
// Rejected: to end a batch at each change of a link (the hub is ahead of the batch anyway), and to
// handle each event immediately (then no batches form).
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

// If a batch starts at least this late, the driver reports the delay to its core before the batch.
// Timers are a few milliseconds late on any machine.
inline constexpr Duration prompt = std::chrono::milliseconds{100};

template <class Event>
class EventQueue {
 public:
  // Adds an event. Returns true if no call of run() is scheduled yet: the driver must then schedule
  // one.
  [[nodiscard]] bool push(Event&& event, std::optional<LinkChange> change = {}) {
    waiting_.push_back({std::move(event), std::move(change)});
    return !std::exchange(run_awaited_, true);
  }

  // Pushes the event TimePassed. Returns the same as push().
  [[nodiscard]] bool push_time(Event&& event) {
    time_passed_ = std::move(event);
    return !std::exchange(run_awaited_, true);
  }

  // Calls step(Event&&) for all waiting events. step() passes the event to the core and performs
  // its actions. run() does nothing if a step calls it.
  void run(auto step) {
    if (std::exchange(running_, true)) return;
    for (std::size_t next = 0; next < waiting_.size() || time_passed_; ++next) {
      if (next == waiting_.size()) {
        waiting_.push_back({std::move(*time_passed_), {}});
        time_passed_.reset();
      }
      Arrival arrival = std::move(waiting_[next]);  // a step may push more
      if (arrival.change) links_.apply(*arrival.change);
      step(std::move(arrival.event));
    }
    waiting_.clear();
    running_ = run_awaited_ = false;
  }

  [[nodiscard]] bool empty() const { return waiting_.empty() && !time_passed_; }
  // The links according to the events that the core has handled so far.
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
