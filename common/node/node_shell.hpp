// Drives a core on an io_context: inbox, batches, timer. All nodes use this class.
//
// Socket handlers only post events. The loop passes all waiting events to the core as one batch, in
// the order of event_queue.hpp, and then sets the core's timer.
//
// A Core has Event, Actions and TimePassed, step(Event&&, now, Actions&) and next_tick(). A Core
// may also have held_up(late). If a batch starts at least 100 ms (`prompt`) after next_tick(),
// held_up() is called first; `late` is the delay: the node was busy or not scheduled. Messages may
// still be unread, so the core must not count a peer as silent. A Node has
//   perform(wanted)       for each kind of action
//   batch_begins()        before the first event of a batch; then the clock is read
//   batch_ended(now)      after all events and actions; may call step()
//
// Thread rule: the thread of the io_context. Lifetime: core and node outlive the shell. A function
// of the node must not destroy the shell. After the shell's end its handlers in the io_context do
// nothing. Bounds: see event_queue.hpp. Errors: none.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "common/net/steady_clock.hpp"
#include "common/node/event_queue.hpp"

namespace fixkeep::node {

template <class Core, class Node>
class NodeShell {
 public:
  using Event = typename Core::Event;

  NodeShell(boost::asio::io_context& context, Core& core, Node& node)
      : context_(context), core_(core), node_(node), timer_(context) {}
  NodeShell(const NodeShell&) = delete;
  NodeShell& operator=(const NodeShell&) = delete;

  // Adds the event to the running batch. If no batch runs, adds it to the next batch.
  void post(Event&& event, std::optional<LinkChange> change = {}) {
    await_drain(queue_.push(std::move(event), std::move(change)));
  }

  // Lets the core handle all waiting events now, and then this event. Within a batch: see post().
  void take(Event&& event) {
    if (draining_) return post(std::move(event));
    (void)queue_.push(std::move(event));
    drain();
  }

  // Lets the core handle the waiting events now, not in the next turn of the loop.
  void drain() {
    if (draining_) return;
    draining_ = true;
    node_.batch_begins();
    const TimePoint now = net::steady_now();
    tell_if_late(now);
    queue_.run([&](Event&& event) { step(std::move(event), now); });
    node_.batch_ended(now);
    draining_ = false;
    arm();
  }

  // Lets the core handle a single event. REQUIRES: called from batch_ended(), or before the first
  // post().
  void step(Event&& event, TimePoint now) {
    core_.step(std::move(event), now, actions_);
    perform(actions_);
    actions_.clear();
  }

  void perform(typename Core::Actions& actions) {
    for (auto& action : actions) {
      std::visit([this](auto& wanted) { node_.perform(wanted); }, action);
    }
  }

  // Sets the timer for the core's next tick. Call this when the next tick has changed without an
  // event.
  void arm() {
    const TimePoint next = due_ = core_.next_tick();
    // Deadlines nearly always move to a later time, and to set a timer costs a system call. Thus
    // the timer is set only for an earlier deadline. If the timer fires too early, it is set again.
    if (timers_stopped_ || next >= armed_for_) return;
    armed_for_ = next;
    timer_.expires_at(net::to_steady(next));
    timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code error) {
      if (error || alive.expired()) return;  // replaced by an earlier timer, or the shell has ended
      armed_for_ = TimePoint::max();
      if (core_.next_tick() > net::steady_now()) {
        arm();
      } else {
        await_drain(queue_.push_time(typename Core::TimePassed{}));
      }
    });
  }

  // From now on the core gets events, but no TimePassed.
  void stop_timer() {
    timers_stopped_ = true;
    timer_.cancel();
  }

  [[nodiscard]] bool idle() const { return queue_.empty(); }
  [[nodiscard]] const KnownLinks& links() const { return queue_.links(); }

 private:
  void await_drain(bool first) {
    if (!first) return;
    boost::asio::post(context_, [this, alive = std::weak_ptr{alive_}] {
      if (!alive.expired() && !queue_.empty()) drain();
    });
  }

  void tell_if_late(TimePoint now) {
    if constexpr (requires { core_.held_up(Duration{}); }) {
      // While a tick remains due, each batch would report the whole delay again. Therefore a batch
      // reports only the time since the last reported delay.
      const TimePoint since = std::max(due_, late_until_);
      if (due_ == TimePoint::max() || now - since < prompt) return;
      late_until_ = now;
      core_.held_up(now - since);
    }
  }

  boost::asio::io_context& context_;
  Core& core_;
  Node& node_;
  boost::asio::steady_timer timer_;
  TimePoint armed_for_ = TimePoint::max();
  TimePoint due_ = TimePoint::max();         // next_tick() after the latest batch
  TimePoint late_until_ = TimePoint::min();  // time of the latest late batch
  EventQueue<Event> queue_;
  typename Core::Actions actions_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  bool draining_ = false;
  bool timers_stopped_ = false;
};

}  // namespace fixkeep::node
