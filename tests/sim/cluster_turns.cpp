// When a node comes to what has arrived, and to its timers.
#include <type_traits>
#include <utility>

#include "tests/sim/cluster.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

std::string name_of(const MasterNode& master) {
  return to_string(master.id);
}
std::string name_of(const WorkerNode& worker) {
  return worker.id.text();
}

template <class Node>
using TimePassed =
    std::conditional_t<std::is_same_v<Node, MasterNode>, master::TimePassed, worker::TimePassed>;

}  // namespace

void Cluster::arrive(MasterNode& master, master::Event event, const Change& change) {
  take_in(master, std::move(event), change);
}
void Cluster::arrive(WorkerNode& worker, worker::Event event, const Change& change) {
  take_in(worker, std::move(event), change);
}

template <class Node, class Event>
void Cluster::take_in(Node& node, Event&& event, const Change& change) {
  if (is_late(node)) {
    node.backlog.waiting.emplace_back(std::forward<Event>(event), change);
    return await_turn(node);
  }
  if (!node.queue.push(std::forward<Event>(event), change)) return;
  if (!options_.batches) return drain(node);
  const Duration rest{random_.between(0, 200)};
  scheduler_.after(rest, [this, &node, run = node.incarnation] {
    if (run != node.incarnation) return;
    node.inbox.deliver([this, &node] { drain(node); });
  });
}

// Also after its spell a node that waits for its turn has to wait.
template <class Node>
bool Cluster::is_late(const Node& node) const {
  return node.backlog.turn_at != never || machines_.busy(node.node);
}

template <class Node>
void Cluster::await_turn(Node& node) {
  if (node.backlog.turn_at != never) return;
  const SimTime at = scheduler_.now() + machines_.lag(node.node);
  node.backlog.turn_at = at;
  scheduler_.at(at, [this, &node, at] {
    if (node.backlog.turn_at != at) return;
    node.inbox.deliver([this, &node] { take_turn(node); });
  });
}

template <class Node>
void Cluster::take_turn(Node& node) {
  auto backlog = std::exchange(node.backlog, {});
  const bool timers_first = backlog.timer_due && machines_.timers_first();
  if (timers_first) (void)node.queue.push(TimePassed<Node>{});
  for (auto& [event, change] : backlog.waiting) {
    (void)node.queue.push(std::move(event), std::move(change));
  }
  if (backlog.timer_due && !timers_first) (void)node.queue.push_time(TimePassed<Node>{});
  drain(node);
}

template <class Node>
void Cluster::drain(Node& node) {
  const TimePoint due = node.core->next_tick();
  const TimePoint now = node.clock.at(scheduler_.now());
  const TimePoint since = std::max(due, node.late_until);
  if (due != TimePoint::max() && now - since >= node::prompt) {
    node.late_until = now;
    node.core->held_up(now - since);
  }
  node.queue.run([&](auto&& event) { step(node, std::forward<decltype(event)>(event)); });
  end_batch(node);
  if (node.core) arm(node);  // it may have died
}

template <class Node>
void Cluster::arm(Node& node) {
  const SimTime now = scheduler_.now();
  const SimTime due = std::max(node.clock.when(node.core->next_tick()), now);
  node.ticks_due = due == now ? node.ticks_due + 1 : 0;
  if (node.ticks_due > ticks_at_once) throw Violation::liveness(name_of(node) + " spins");
  if (due == never || due >= node.armed) return;
  node.armed = due;
  scheduler_.at(due, [this, &node, due, run = node.incarnation] {
    if (run != node.incarnation || node.armed != due) return;
    node.inbox.deliver([this, &node] {
      node.armed = never;
      if (is_late(node)) {
        node.backlog.timer_due = true;
        await_turn(node);
      } else if (node.core->next_tick() <= node.clock.at(scheduler_.now())) {
        arrive(node, TimePassed<Node>{});
      } else {
        arm(node);
      }
    });
  });
}

template void Cluster::arm(MasterNode& node);
template void Cluster::arm(WorkerNode& node);

}  // namespace fixkeep::sim
