// The body of LockModel; see lock_model.hpp.
#pragma once

#include <algorithm>

#include "tests/model/lock_model.hpp"

namespace fixkeep::model {

template <class Machine>
LockModel<Machine>::LockModel(const Budget& budget) : budget_(budget) {
  for (int node = 0; node < budget.masters; ++node) {
    nodes_.emplace_back(fresh(node, budget.start_connected));
    nodes_.back().acquisitions = budget.acquisitions;
  }
  workers_.resize(static_cast<std::size_t>(budget.workers));
  for (auto& row : ends_) row.fill(budget.start_connected ? End::up : End::down);
}

template <class Machine>
Machine LockModel<Machine>::fresh(int node, bool connected) const {
  lock::MeshView mesh;
  mesh.self = id(node);
  for (int other = 0; other < budget_.masters; ++other) {
    if (other != node) mesh.configured.push_back(id(other));
  }
  if (connected) mesh.connected = mesh.up = mesh.configured;
  mesh.joined = connected;
  return Machine{mesh};
}

// --- what can happen
// ------------------------------------------------------------------------------

template <class Machine>
std::vector<typename LockModel<Machine>::Step> LockModel<Machine>::steps() const {
  std::vector<Step> out;
  for (int a = 0; a < budget_.masters; ++a) {
    const auto& node = nodes_[static_cast<std::size_t>(a)];
    if (!node.alive) {
      out.push_back(code(Kind::restart, a));
    } else {
      if (node.work == Work::idle && node.acquisitions > 0) out.push_back(code(Kind::acquire, a));
      if (node.work == Work::waiting && budget_.abandons > 0) out.push_back(code(Kind::abandon, a));
      if (budget_.crashes > 0) out.push_back(code(Kind::crash, a));
      if (budget_.grace && !node.grace_lapsed) out.push_back(code(Kind::grace, a));
      holder_steps(a, out);
    }
    if (node.order) out.push_back(code(Kind::order_arrives, a));
    for (int b = 0; b < budget_.masters; ++b) {
      if (a == b) continue;
      const End end = ends_[index(a)][index(b)];
      const End other = ends_[index(b)][index(a)];
      if (end == End::broken && node.alive) out.push_back(code(Kind::notice, a, b));
      if (a < b && end == End::down && other == End::down && node.alive && nodes_[index(b)].alive) {
        out.push_back(code(Kind::link_up, a, b));
      }
      const bool linked = end == End::made || end == End::up;
      if (a < b && linked && budget_.link_losses > 0) out.push_back(code(Kind::link_loss, a, b));
      const auto waiting = static_cast<int>(channels_[index(a)][index(b)].size());
      const int reach = budget_.ordered_links ? std::min(waiting, 1) : waiting;
      for (int position = 0; position < reach; ++position) {
        out.push_back(code(Kind::deliver, a, b, position));
      }
    }
  }
  return out;
}

template <class Machine>
void LockModel<Machine>::holder_steps(int a, std::vector<Step>& out) const {
  const auto& node = nodes_[index(a)];
  switch (node.work) {
    case Work::idle:
    case Work::waiting: return;
    case Work::fencing:
      for (int worker = 0; worker < budget_.workers; ++worker) {
        if ((node.prepared >> worker & 1U) == 0) out.push_back(code(Kind::prepare, a, worker));
      }
      return;
    case Work::ready:
      if (node.knows_room) {
        out.push_back(code(Kind::release, a));
      } else {
        // An order of an earlier hold may still be on its way: one at a time keeps the model small.
        for (int worker = 0; worker < budget_.workers && !node.order; ++worker) {
          out.push_back(code(Kind::order, a, worker));
        }
        out.push_back(code(Kind::release, a));
      }
      return;
    case Work::ordered:
      if (budget_.orders_given_up > 0) out.push_back(code(Kind::give_up_order, a));
      return;
    case Work::done: out.push_back(code(Kind::release, a)); return;
  }
}

template <class Machine>
void LockModel<Machine>::take(Step step_code) {
  const auto kind = static_cast<Kind>(step_code >> 12U);
  const int a = static_cast<int>(step_code >> 8U & 15U);
  const int b = static_cast<int>(step_code >> 4U & 15U);
  const int c = static_cast<int>(step_code & 15U);
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
      node.machine = fresh(a, false);
      return;
    case Kind::link_up: connect(a, b); return;
    case Kind::link_loss:
      --budget_.link_losses;
      break_link(a, b);
      break_link(b, a);
      return;
    case Kind::notice: {
      ends_[index(a)][index(b)] = End::down;
      step(a, lock::PeerDown{id(b)});
      return;
    }
    case Kind::grace:
      node.grace_lapsed = true;
      step(a, lock::JoinGraceLapsed{});
      return;
    case Kind::deliver: deliver(a, b, c); return;
    case Kind::prepare: prepare(a, b); return;
    case Kind::order:
      node.order = Order{b, node.token, node.fenced ? node.token : node.value.fence, node.hold};
      node.work = Work::ordered;
      return;
    case Kind::order_arrives: order_arrives(a); return;
    case Kind::give_up_order:
      --budget_.orders_given_up;
      release(a, true);
      return;
    case Kind::release: release(a, false); return;
  }
}

// --- masters and links
// ----------------------------------------------------------------------------

template <class Machine>
void LockModel<Machine>::step(int a, const lock::LockEvent& event) {
  lock::LockActions actions;
  nodes_[index(a)].machine.step(event, TimePoint{}, actions);
  for (const auto& action : actions) {
    if (const auto* send = std::get_if<lock::Send>(&action)) {
      const int to = send->to.number() - 1;
      const End end = ends_[index(a)][index(to)];
      // What is sent on a broken connection is lost; the sender has not noticed yet.
      if (end == End::made || end == End::up) {
        channels_[index(a)][index(to)].push_back({false, send->message});
      }
    } else if (const auto* got = std::get_if<lock::Granted>(&action)) {
      granted(a, *got);
    }
  }
}

template <class Machine>
void LockModel<Machine>::granted(int a, const lock::Granted& got) {
  auto& node = nodes_[index(a)];
  if (budget_.exclusion() && holders() > 0) wrong_ = "two holders";
  // What a crashed holder did not tell anybody is found by the fence, not by the lock.
  if (budget_.exclusion() && !crashed_ && !got.needs_fence) {
    if (got.token <= highest_grant_) wrong_ = "a token that does not grow";
    if (got.value.stamp < newest_release_) wrong_ = "a lock value was lost";
  }
  highest_grant_ = std::max(highest_grant_, got.token);
  ++node.hold;
  node.token = got.token;
  node.value = got.value;
  node.fenced = false;
  node.knows_room = !got.value.bytes.empty();
  node.prepared = 0;
  node.fences_left = 2;
  node.work = got.needs_fence ? Work::fencing : Work::ready;
}

template <class Machine>
void LockModel<Machine>::crash(int a) {
  --budget_.crashes;
  crashed_ = true;
  if (nodes_[index(a)].order) nodes_[index(a)].order->of_older_run = true;
  auto& node = nodes_[index(a)];
  node.alive = false;
  node.work = Work::idle;
  node.grace_lapsed = false;
  for (int b = 0; b < budget_.masters; ++b) {
    if (a == b) continue;
    break_link(b, a);
    ends_[index(a)][index(b)] = End::down;
    channels_[index(a)][index(b)].clear();
  }
}

// What `a` sees of a break: whatever was on its way to `b` is lost.
template <class Machine>
void LockModel<Machine>::break_link(int a, int b) {
  auto& end = ends_[index(a)][index(b)];
  if (end == End::made || end == End::up) end = End::broken;
  channels_[index(a)][index(b)].clear();
}

template <class Machine>
void LockModel<Machine>::connect(int a, int b) {
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    ends_[index(from)][index(to)] = End::made;
    auto& channel = channels_[index(from)][index(to)];
    channel.clear();
    channel.push_back({true, nodes_[index(from)].machine.hello()});
    step(from, lock::PeerConnected{id(to)});
  }
}

template <class Machine>
void LockModel<Machine>::deliver(int from, int to, int position) {
  auto& channel = channels_[index(from)][index(to)];
  const Item item = channel[index(position)];
  channel.erase(channel.begin() + position);
  if (item.hello) {
    ends_[index(to)][index(from)] = End::up;
    step(to, lock::PeerUp{id(from), item.message});
  } else {
    step(to, lock::Receive{id(from), *item.message});
  }
}

// --- the fence
// ------------------------------------------------------------------------------------

template <class Machine>
void LockModel<Machine>::prepare(int a, int w) {
  auto& node = nodes_[index(a)];
  auto& worker = workers_[index(w)];
  if (node.order && node.order->of_older_run && node.order->worker == w) node.order.reset();
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
template <class Machine>
void LockModel<Machine>::start_fence(int a, FencingToken above) {
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

template <class Machine>
void LockModel<Machine>::order_arrives(int a) {
  auto& node = nodes_[index(a)];
  const Order order = *node.order;
  node.order.reset();
  auto& worker = workers_[index(order.worker)];
  const bool accepted =
      budget_.basis_checked ? worker.promised <= order.basis : worker.promised <= order.token;
  if (accepted) {
    worker.highest = std::max(worker.highest, order.token);
    ++worker.rooms;
  }
  const bool awaited = node.alive && node.work == Work::ordered && node.hold == order.hold;
  if (!awaited || order.of_older_run) return;
  if (accepted) {
    node.knows_room = true;
    node.work = Work::done;
  } else {
    start_fence(a, worker.highest);
  }
}

template <class Machine>
void LockModel<Machine>::release(int a, bool uncertain) {
  auto& node = nodes_[index(a)];
  lock::LockValue value;
  value.stamp = node.token;
  value.fence = node.fenced ? node.token : node.value.fence;
  // Who was told to fence and did not passes that on.
  value.uncertain = uncertain || node.work == Work::fencing;
  if (node.knows_room) value.bytes = "r";
  newest_release_ = std::max(newest_release_, value.stamp);
  node.work = Work::idle;
  step(a, lock::Release{node.token, value});
}

// --- what must hold
// -------------------------------------------------------------------------------

template <class Machine>
int LockModel<Machine>::holders() const {
  return static_cast<int>(std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return node.alive && node.work != Work::idle && node.work != Work::waiting;
  }));
}

template <class Machine>
std::optional<std::string> LockModel<Machine>::violation() const {
  if (!wrong_.empty()) return wrong_;
  int rooms = 0;
  for (const auto& worker : workers_) rooms += worker.rooms;
  if (rooms > 1) return "two rooms";

  const bool waits = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return node.alive && node.work == Work::waiting;
  });
  if (!waits) return {};
  // What a budget limits need not happen; only the rest counts as progress.
  for (const auto step_code : steps()) {
    switch (static_cast<Kind>(step_code >> 12U)) {
      case Kind::abandon:
      case Kind::crash:
      case Kind::link_loss:
      case Kind::acquire:
      case Kind::give_up_order: break;
      case Kind::restart:
      case Kind::link_up:
      case Kind::notice:
      case Kind::grace:
      case Kind::deliver:
      case Kind::prepare:
      case Kind::order:
      case Kind::order_arrives:
      case Kind::release: return {};
    }
  }
  return "deadlock";
}

// --- states as bytes, steps as words
// --------------------------------------------------------------

template <class Machine>
void LockModel<Machine>::append_bytes(std::string& out) const {
  const auto number = [&out](std::uint64_t value) { out += static_cast<char>(value & 0xFFU); };
  const auto token = [&](FencingToken value) {
    number(value.counter);
    number(value.master.number());
  };
  const auto value_of = [&](const lock::LockValue& value) {
    token(value.stamp);
    token(value.fence);
    number(value.uncertain ? 1 : 0);
    number(value.bytes.size());
  };
  number(static_cast<std::uint64_t>(budget_.abandons));
  number(static_cast<std::uint64_t>(budget_.crashes));
  number(static_cast<std::uint64_t>(budget_.link_losses));
  number(static_cast<std::uint64_t>(budget_.orders_given_up));
  number(wrong_.size() + (crashed_ ? 128 : 0));
  token(highest_grant_);
  token(newest_release_);
  for (const auto& node : nodes_) {
    number(node.alive ? 1 : 0);
    if (node.alive) node.machine.append_bytes(out);
    number(static_cast<std::uint64_t>(node.work));
    number(static_cast<std::uint64_t>(node.acquisitions));
    number(node.grace_lapsed ? 1 : 0);
    if (node.work != Work::idle && node.work != Work::waiting) {
      number(static_cast<std::uint64_t>(node.hold));
      token(node.token);
      value_of(node.value);
      number((node.fenced ? 1U : 0U) | (node.knows_room ? 2U : 0U));
      number(static_cast<std::uint64_t>(node.fences_left));
      number(node.prepared);
    }
    number(node.order ? 1 : 0);
    if (node.order) {
      number(static_cast<std::uint64_t>(node.order->worker));
      token(node.order->token);
      token(node.order->basis);
      number(node.order->hold == node.hold && node.work == Work::ordered ? 1 : 0);
      number(node.order->of_older_run ? 1 : 0);
    }
  }
  for (const auto& worker : workers_) {
    token(worker.promised);
    token(worker.highest);
    number(static_cast<std::uint64_t>(worker.rooms));
  }
  for (int a = 0; a < budget_.masters; ++a) {
    for (int b = 0; b < budget_.masters; ++b) {
      if (a == b) continue;
      number(static_cast<std::uint64_t>(ends_[index(a)][index(b)]));
      const auto& channel = channels_[index(a)][index(b)];
      number(channel.size());
      for (const auto& item : channel) {
        number((item.hello ? 1U : 0U) | (item.message ? 2U : 0U));
        if (!item.message) continue;
        number(item.message->kind);
        number(item.message->round);
        token(item.message->token);
        value_of(item.message->value);
      }
    }
  }
}

template <class Machine>
std::string LockModel<Machine>::describe(Step step_code) const {
  const auto kind = static_cast<Kind>(step_code >> 12U);
  const int a = static_cast<int>(step_code >> 8U & 15U);
  const int b = static_cast<int>(step_code >> 4U & 15U);
  const int c = static_cast<int>(step_code & 15U);
  const std::string master = to_string(id(a));
  const std::string other = to_string(id(b));
  const std::string worker = "w" + std::to_string(b + 1);
  switch (kind) {
    case Kind::acquire: return master + " acquires";
    case Kind::abandon: return master + " abandons";
    case Kind::crash: return master + " crashes";
    case Kind::restart: return master + " restarts";
    case Kind::link_up: return master + " and " + other + " are connected";
    case Kind::link_loss: return "the link of " + master + " and " + other + " breaks";
    case Kind::notice: return master + " notices that " + other + " is gone";
    case Kind::grace: return "the grace of " + master + " lapses";
    case Kind::deliver: {
      const auto& item = channels_[index(a)][index(b)][index(c)];
      std::string what = item.hello ? "Hello" : "message";
      if (item.message) {
        static constexpr const char* names[] = {"?", "MyLock", "YourLock", "LockReset"};
        what += std::string{" "} + names[item.message->kind & 3U] + "(" +
                std::to_string(item.message->round) + ")";
      }
      return other + " hears " + what + " of " + master;
    }
    case Kind::prepare: return worker + " is asked by " + master + " for its promise";
    case Kind::order: return master + " orders a room from " + worker;
    case Kind::order_arrives: return "the order of " + master + " arrives";
    case Kind::give_up_order: return master + " gives its order up";
    case Kind::release: return master + " releases";
  }
  return "?";
}

}  // namespace fixkeep::model
