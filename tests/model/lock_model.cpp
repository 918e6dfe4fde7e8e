#include "tests/model/lock_model.hpp"

#include <algorithm>

namespace fixkeep::model {

LockModel::LockModel(const Budget& budget)
    : budget_(budget),
      exclusion_(budget.exclusive.value_or(budget.link_losses == 0 && !budget.grace)) {
  for (int node = 0; node < budget.masters; ++node) {
    nodes_.emplace_back(fresh(node, budget.start_connected));
    nodes_.back().acquisitions = budget.acquisitions;
  }
  workers_.resize(index(budget.workers));
  ends_.fill(budget.start_connected ? End::up : End::down);
}

AnyVariant LockModel::fresh(int node, bool connected) const {
  lock::MeshView mesh;
  mesh.self = id(node);
  for (int other = 0; other < budget_.masters; ++other) {
    if (other != node) mesh.configured.push_back(id(other));
  }
  if (connected) mesh.connected = mesh.up = mesh.configured;
  mesh.met = mesh.joined = connected;
  mesh.quorum = budget_.quorum;
  return make_variant(budget_.variant, mesh);
}

// --- what can happen

Step LockModel::code(Kind kind, int a, int b, int c) {
  return static_cast<Step>(static_cast<int>(kind) << 12 | a << 10 | b << 8 | c);
}

void LockModel::steps(std::vector<Step>& out) const {
  for (int a = 0; a < budget_.masters; ++a) {
    const auto& node = nodes_[index(a)];
    if (!node.alive) {
      out.push_back(code(Kind::restart, a));
    } else {
      if (node.work == Work::idle && node.acquisitions > 0) out.push_back(code(Kind::acquire, a));
      if (node.work == Work::waiting && budget_.abandons > 0) out.push_back(code(Kind::abandon, a));
      if (budget_.crashes > 0) out.push_back(code(Kind::crash, a));
      if (timer_may_go_off(a)) out.push_back(code(Kind::timeout, a));
      if (budget_.grace && !node.grace_lapsed) out.push_back(code(Kind::grace, a));
      holder_steps(a, out);
    }
    if (node.order) out.push_back(code(Kind::order_arrives, a));
    for (int b = 0; b < budget_.masters; ++b) {
      if (a != b) link_steps(a, b, out);
    }
  }
}

bool LockModel::timer_may_go_off(int a) const {
  if (!nodes_[index(a)].timer || budget_.timeouts == 0) return false;
  if (!budget_.timers_outlast_holds) return true;
  const bool noticed =
      std::none_of(ends_.begin(), ends_.end(), [](End end) { return end == End::broken; });
  return noticed && holders() == 0 &&
         std::all_of(channels_.begin(), channels_.end(),
                     [](const auto& channel) { return channel.empty(); });
}

void LockModel::link_steps(int a, int b, std::vector<Step>& out) const {
  const bool alive = nodes_[index(a)].alive;
  const End end = ends_[link(a, b)];
  if (end == End::broken && alive) out.push_back(code(Kind::notice, a, b));
  if (end == End::down && alive && nodes_[index(b)].alive) {
    out.push_back(code(Kind::connect, a, b));
  }
  if (a < b && (live(a, b) || live(b, a)) && budget_.link_losses > 0) {
    out.push_back(code(Kind::link_loss, a, b));
  }
  if (!live(b, a)) return;
  const auto waiting = static_cast<int>(channels_[link(a, b)].size());
  const int reach = budget_.ordered_links ? std::min(waiting, 1) : waiting;
  for (int position = 0; position < reach; ++position) {
    out.push_back(code(Kind::deliver, a, b, position));
  }
}

void LockModel::holder_steps(int a, std::vector<Step>& out) const {
  const auto& node = nodes_[index(a)];
  switch (node.work) {
    case Work::idle:
    case Work::waiting: return;
    case Work::fencing:
      for (int worker = 0; worker < budget_.workers; ++worker) {
        if ((node.prepared >> worker & 1U) == 0) out.push_back(code(Kind::prepare, a, worker));
      }
      out.push_back(code(Kind::release, a));
      return;
    case Work::ready:
      // An order of an earlier hold may still be on its way: one at a time keeps the model small.
      if (!node.knows_room && !node.order) {
        for (int worker = 0; worker < budget_.workers; ++worker) {
          out.push_back(code(Kind::order, a, worker));
        }
      }
      out.push_back(code(Kind::release, a));
      return;
    case Work::ordered:
      if (budget_.orders_given_up > 0) out.push_back(code(Kind::give_up_order, a));
      return;
    case Work::done: out.push_back(code(Kind::release, a)); return;
  }
}

void LockModel::take(Step taken) {
  const auto kind = static_cast<Kind>(taken >> 12U);
  const int a = taken >> 10 & 3;
  const int b = taken >> 8 & 3;
  auto& node = nodes_[index(a)];
  switch (kind) {
    case Kind::acquire:
      --node.acquisitions;
      node.work = Work::waiting;
      step(a, lock::Acquire{});
      return;
    case Kind::abandon:
      --budget_.abandons;
      node.work = Work::idle;
      step(a, lock::Abandon{});
      return;
    case Kind::crash: crash(a); return;
    case Kind::restart:
      node.alive = true;
      node.mesh_changed = true;
      ++node.run;
      node.machine = fresh(a, false);
      node.timer = false;
      return;
    case Kind::connect: connect(a, b); return;
    case Kind::link_loss:
      --budget_.link_losses;
      break_link(a, b);
      break_link(b, a);
      return;
    case Kind::notice:
      ends_[link(a, b)] = End::down;
      node.mesh_changed = true;
      step(a, lock::PeerDown{id(b)});
      return;
    case Kind::grace:
      node.grace_lapsed = true;
      step(a, lock::JoinGraceLapsed{});
      return;
    case Kind::deliver: deliver(a, b, taken & 255); return;
    case Kind::prepare: prepare(a, b); return;
    case Kind::order:
      node.order =
          Order{b, node.token, node.fenced ? node.token : node.value.fence, node.hold, node.run};
      node.work = Work::ordered;
      return;
    case Kind::order_arrives: order_arrives(a); return;
    case Kind::give_up_order:
      --budget_.orders_given_up;
      release(a, true);
      return;
    case Kind::release: release(a, false); return;
    case Kind::timeout:
      --budget_.timeouts;
      node.timer = false;
      step(a, lock::Tick{});
      return;
  }
}

// --- masters and links

void LockModel::step(int a, const lock::LockEvent& event) {
  lock::LockActions actions;
  std::visit([&](auto& machine) { machine.step(event, TimePoint{}, actions); },
             nodes_[index(a)].machine);
  for (auto& action : actions) {
    if (auto* send = std::get_if<lock::Send>(&action)) {
      // What is sent on a broken connection is lost; the sender has not noticed yet.
      const int to = send->to.number() - 1;
      if (live(a, to)) channels_[link(a, to)].push_back({false, std::move(send->message)});
    } else if (const auto* got = std::get_if<lock::Granted>(&action)) {
      granted(a, *got);
    } else if (const auto* timer = std::get_if<lock::SetTimer>(&action)) {
      nodes_[index(a)].timer = timer->at != TimePoint::max();
    } else if (std::holds_alternative<lock::Lost>(action)) {
      nodes_[index(a)].work = Work::idle;
    }
  }
}

void LockModel::granted(int a, const lock::Granted& got) {
  check_grant(a, got);
  auto& node = nodes_[index(a)];
  node.mesh_changed = false;
  ++node.hold;
  node.token = got.token;
  node.value = got.value;
  node.told_to_fence = got.needs_fence;
  node.fenced = got.needs_fence && workers_.empty();
  node.knows_room = !got.value.bytes.empty();
  node.prepared = 0;
  node.fences_left = 2;
  node.work = got.needs_fence && !node.fenced ? Work::fencing : Work::ready;
}

void LockModel::check_grant(int a, const lock::Granted& got) {
  const auto& node = nodes_[index(a)];
  if (node.work != Work::waiting) wrong_ = "a grant that nobody waits for";
  if (!got.needs_fence && (node.mesh_changed || got.value.uncertain)) wrong_ = "a missing fence";
  if (exclusion_ && !crashed_ && !got.needs_fence) {
    if (got.token <= highest_grant_) wrong_ = "a token that does not grow";
    if (got.value.stamp < newest_release_) wrong_ = "a lost lock value";
  }
  highest_grant_ = std::max(highest_grant_, got.token);
}

void LockModel::crash(int a) {
  --budget_.crashes;
  crashed_ = true;
  auto& node = nodes_[index(a)];
  node.alive = false;
  node.work = Work::idle;
  node.grace_lapsed = false;
  for (int b = 0; b < budget_.masters; ++b) {
    if (a == b) continue;
    break_link(b, a);
    ends_[link(a, b)] = End::down;
    channels_[link(a, b)].clear();
  }
}

// What `a` sees of a break: whatever was on its way to `b` is lost.
void LockModel::break_link(int a, int b) {
  if (live(a, b)) ends_[link(a, b)] = End::broken;
  channels_[link(a, b)].clear();
}

void LockModel::connect(int a, int b) {
  auto& node = nodes_[index(a)];
  ends_[link(a, b)] = End::made;
  auto hello = std::visit([](const auto& machine) { return machine.hello(); }, node.machine);
  channels_[link(a, b)].push_back({true, std::move(hello)});
  step(a, lock::PeerConnected{id(b)});
}

void LockModel::deliver(int from, int to, int position) {
  auto& channel = channels_[link(from, to)];
  const Item item = channel[index(position)];
  channel.erase(channel.begin() + position);
  if (item.hello) {
    ends_[link(to, from)] = End::up;
    nodes_[index(to)].mesh_changed = true;
    step(to, lock::PeerUp{id(from), item.message});
  } else {
    step(to, lock::Receive{id(from), *item.message});
  }
}

// --- the fence

void LockModel::prepare(int a, int w) {
  auto& node = nodes_[index(a)];
  auto& worker = workers_[index(w)];
  // To ask, this run has connected to the worker: orders of an earlier run are not delivered now.
  if (node.order && node.order->run != node.run && node.order->worker == w) node.order.reset();
  if (worker.rooms > 0) node.knows_room = true;
  if (node.token < worker.highest) {
    start_fence(a, worker.highest);
    return;
  }
  worker.promised = worker.highest = node.token;
  node.prepared |= 1U << w;
  if (node.prepared + 1 == 1U << budget_.workers) {
    node.fenced = true;
    node.work = Work::ready;
  }
}

// Once more with a higher token, at all workers; after a few times the lock is given back.
void LockModel::start_fence(int a, FencingToken above) {
  auto& node = nodes_[index(a)];
  if (node.fences_left-- == 0) {
    release(a, true);
    return;
  }
  node.token = {std::max(above, node.token).counter + 1, id(a)};
  node.prepared = 0;
  node.fenced = false;
  node.work = Work::fencing;
}

void LockModel::order_arrives(int a) {
  auto& node = nodes_[index(a)];
  const Order order = *node.order;
  node.order.reset();
  auto& worker = workers_[index(order.worker)];
  const bool accepted = worker.promised <= (budget_.basis_checked ? order.basis : order.token);
  if (accepted) {
    worker.highest = std::max(worker.highest, order.token);
    ++worker.rooms;
  }
  const bool awaited = node.alive && node.work == Work::ordered && node.hold == order.hold;
  if (!awaited) return;
  if (accepted) {
    node.knows_room = true;
    node.work = Work::done;
  } else {
    node.told_to_fence = true;
    start_fence(a, worker.highest);
  }
}

void LockModel::release(int a, bool uncertain) {
  auto& node = nodes_[index(a)];
  lock::LockValue value;
  value.stamp = node.token;
  value.fence = node.fenced ? node.token : node.value.fence;
  // Who was told to fence and did not passes that on.
  value.uncertain = uncertain || (node.told_to_fence && !node.fenced);
  if (node.knows_room) value.bytes = "r";
  newest_release_ = std::max(newest_release_, value.stamp);
  node.work = Work::idle;
  step(a, lock::Release{node.token, std::move(value)});
}

// --- what must hold

bool LockModel::holds(const Node& node) {
  return node.alive && node.work != Work::idle && node.work != Work::waiting;
}

int LockModel::holders() const {
  return static_cast<int>(std::count_if(nodes_.begin(), nodes_.end(), holds));
}

std::optional<std::string> LockModel::violation(const std::vector<Step>& steps) const {
  if (wrong_ != nullptr) return wrong_;
  if (exclusion_ && holders() > 1) return "two holders";
  const auto unfenced = std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return holds(node) && !node.told_to_fence;
  });
  if (unfenced > 1) return "two holders without a fence";
  int rooms = 0;
  for (const auto& worker : workers_) rooms += worker.rooms;
  if (rooms > 1) return "two rooms";

  // A timer goes off some time, also one that this search has no budget for.
  const bool pending = std::any_of(nodes_.begin(), nodes_.end(),
                                   [](const Node& node) { return node.alive && node.timer; });
  const bool waits = !pending && std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return node.alive && node.work == Work::waiting;
  });
  if (!waits || !budget_.progress_checked) return {};
  for (const auto step : steps) {
    switch (static_cast<Kind>(step >> 12U)) {
      case Kind::abandon:
      case Kind::crash:
      case Kind::link_loss:
      case Kind::acquire:
      case Kind::give_up_order: break;  // may happen, need not
      case Kind::restart:
      case Kind::connect:
      case Kind::notice:
      case Kind::grace:
      case Kind::deliver:
      case Kind::prepare:
      case Kind::order:
      case Kind::order_arrives:
      case Kind::timeout:
      case Kind::release: return {};
    }
  }
  return "deadlock";
}

}  // namespace fixkeep::model
