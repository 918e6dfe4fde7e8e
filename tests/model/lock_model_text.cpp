// States of the model as bytes, for their fingerprints, and its steps as words, for traces.
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {
namespace {

void put(std::uint64_t value, std::string& out) {
  out += static_cast<char>(value & 0xFFU);
}

void put(FencingToken token, std::string& out) {
  put(token.counter, out);
  put(token.master.number(), out);
}

void put(const lock::LockValue& value, std::string& out) {
  put(value.stamp, out);
  put(value.fence, out);
  put((value.uncertain ? 1U : 0U) | (value.bytes.empty() ? 0U : 2U), out);
}

std::string name_of(const AnyVariant& machine, const lock::LockMessage& message) {
  const auto name =
      std::visit([&](const auto& seen) { return seen.kind_name(message.kind); }, machine);
  return std::string{name} + "(" + std::to_string(message.round) + ")";
}

}  // namespace

void LockModel::append_bytes(std::string& out) const {
  put(static_cast<std::uint64_t>(budget_.abandons << 4 | budget_.crashes), out);
  put(static_cast<std::uint64_t>(budget_.link_losses << 4 | budget_.orders_given_up), out);
  put(static_cast<std::uint64_t>(budget_.timeouts), out);
  put((wrong_ != nullptr ? 1U : 0U) | (crashed_ ? 2U : 0U), out);
  if (exclusion_ && !crashed_) {  // nothing asks for them otherwise
    put(highest_grant_, out);
    put(newest_release_, out);
  }
  for (const auto& node : nodes_) {
    put((node.alive ? 1U : 0U) | (node.grace_lapsed ? 2U : 0U) | (node.mesh_changed ? 4U : 0U) |
            (node.order ? 8U : 0U) | (node.timer ? 128U : 0U) |
            static_cast<unsigned>(node.work) << 4U,
        out);
    put(static_cast<std::uint64_t>(node.acquisitions), out);
    if (node.alive) {
      std::visit([&](const auto& machine) { machine.append_bytes(out); }, node.machine);
    }
    if (holds(node)) {
      put(node.token, out);
      put(node.value, out);
      put((node.fenced ? 1U : 0U) | (node.knows_room ? 2U : 0U) | (node.told_to_fence ? 4U : 0U),
          out);
      put(static_cast<std::uint64_t>(node.fences_left << 4) | node.prepared, out);
    }
    if (node.order) {
      const bool awaited = node.work == Work::ordered && node.hold == node.order->hold;
      put((awaited ? 1U : 0U) | (node.order->run == node.run ? 2U : 0U), out);
      put(static_cast<std::uint64_t>(node.order->worker), out);
      put(node.order->token, out);
      put(node.order->basis, out);
    }
  }
  for (const auto& worker : workers_) {
    put(worker.promised, out);
    put(worker.highest, out);
    put(static_cast<std::uint64_t>(worker.rooms), out);
  }
  for (int a = 0; a < budget_.masters; ++a) {
    for (int b = 0; b < budget_.masters; ++b) {
      if (a == b) continue;
      const auto& channel = channels_[link(a, b)];
      put(static_cast<std::uint64_t>(ends_[link(a, b)]) << 6U | channel.size(), out);
      for (const auto& item : channel) {
        put((item.hello ? 1U : 0U) | (item.message ? 2U : 0U), out);
        if (!item.message) continue;
        put(item.message->kind, out);
        put(item.message->round, out);
        put(item.message->token, out);
        put(item.message->value, out);
      }
    }
  }
}

std::string LockModel::describe(Step step) const {
  const int a = step >> 10 & 3;
  const int b = step >> 8 & 3;
  const std::string master = to_string(id(a));
  const std::string other = to_string(id(b));
  const std::string worker = "w" + std::to_string(b + 1);
  switch (static_cast<Kind>(step >> 12U)) {
    case Kind::acquire: return master + " acquires";
    case Kind::abandon: return master + " abandons";
    case Kind::crash: return master + " crashes";
    case Kind::restart: return master + " restarts";
    case Kind::connect: return master + " is connected to " + other;
    case Kind::link_loss: return "the link of " + master + " and " + other + " breaks";
    case Kind::notice: return master + " notices that " + other + " is gone";
    case Kind::grace: return "the grace of " + master + " lapses";
    case Kind::deliver: {
      const auto& item = channels_[link(a, b)][index(step & 255)];
      std::string what = item.hello ? "Hello" : "";
      if (item.message)
        what += (item.hello ? " with " : "") + name_of(nodes_[index(a)].machine, *item.message);
      return other + " hears " + what + " of " + master;
    }
    case Kind::prepare: return worker + " is asked by " + master + " for its promise";
    case Kind::order: return master + " orders a room from " + worker;
    case Kind::order_arrives: return "the order of " + master + " arrives";
    case Kind::give_up_order: return master + " gives its order up";
    case Kind::release: return master + " releases";
    case Kind::timeout: return "the timer of " + master + " goes off";
  }
  return "?";
}

}  // namespace fixkeep::model
