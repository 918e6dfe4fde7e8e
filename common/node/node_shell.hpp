// The one driver of a core with an io_context: inbox, batches, timer.
//
// Handlers of sockets only post events. The loop steps all that have arrived as one batch in the
// order of event_queue.hpp. Then it sets the core's timer.
//
// A Core has Event, Actions and TimePassed, step(Event&&, now, Actions&) and next_tick(). It may
// have held_up(late): the node was not scheduled or was busy for `late` after next_tick(). Messages
// of others wait unread: no peer has fallen silent. It comes before the batch.
// A Node has
//   perform(wanted)       for each kind of action
//   batch_begins()        before the first event of a batch; the clock is read right after it
//   batch_ended(now)      everything is stepped and performed; step() may be called
//
// Thread rule: the thread of the io_context. Lifetime: core and node outlive the shell. The shell
// is not destroyed from within a function of its node. Its handlers in the io_context do nothing
// after its end. Bounds: see event_queue.hpp. Errors: none.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
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

  // Stepped with the next batch, or with the one that runs.
  void post(Event&& event, std::optional<LinkChange> change = {}) {
    await_drain(queue_.push(std::move(event), std::move(change)));
  }

  // Stepped at once, after what has arrived already.
  void take(Event&& event) {
    if (draining_) return post(std::move(event));
    (void)queue_.push(std::move(event));
    drain();
  }

  // Steps what has arrived now, rather than in the next turn of the loop.
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

  // Steps one event by itself. REQUIRES: called from batch_ended(), or before anything is posted.
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

  // Call it too when a core's next tick has changed without an event.
  void arm() {
    const TimePoint next = due_ = core_.next_tick();
    // Deadlines nearly always move to a later time and setting a timer is a system call. It is set
    // only for an earlier one and looks again after an early call.
    if (timers_stopped_ || next >= armed_for_) return;
    armed_for_ = next;
    timer_.expires_at(net::to_steady(next));
    timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code error) {
      if (error || alive.expired()) return;  // replaced by an earlier one, or the end
      armed_for_ = TimePoint::max();
      if (core_.next_tick() > net::steady_now()) {
        arm();
      } else {
        await_drain(queue_.push_time(typename Core::TimePassed{}));
      }
    });
  }

  // From here on time alone causes no step; events are stepped as before.
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
      // A tick that stays due tells of the same lateness at each batch; it counts once.
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
  TimePoint due_ = TimePoint::max();         // next_tick(), as it was after the latest batch
  TimePoint late_until_ = TimePoint::min();  // the latest batch that was late
  EventQueue<Event> queue_;
  typename Core::Actions actions_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  bool draining_ = false;
  bool timers_stopped_ = false;
};

}  // namespace fixkeep::node
