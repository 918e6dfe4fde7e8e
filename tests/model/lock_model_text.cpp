// States of the model as bytes, for their fingerprints, and its steps as words, for traces.
#include "lock/core/machine_bytes.hpp"
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {

using lock::MachineBytes;

// --- bytes

template <>
void Channel<MeshMessage>::append_bytes(std::string& out) const {
  MachineBytes bytes{out};
  bytes.put(messages.size());
  for (const MeshMessage& item : messages) {
    bytes.put(item.hello, item.message.has_value(), item.list);
    if (!item.message) continue;
    bytes.put(item.message->kind, item.message->round, item.message->token, item.message->value,
              item.message->awaited, item.message->epoch, item.message->turns);
  }
}

template <>
void Channel<ToWorker>::append_bytes(std::string& out) const {
  MachineBytes bytes{out};
  bytes.put(messages.size());
  for (const ToWorker& item : messages) {
    bytes.put(item.order, item.token);
    if (item.order) bytes.put(item.basis, item.index, item.hold, item.run);
  }
}

template <>
void Channel<ToMaster>::append_bytes(std::string& out) const {
  MachineBytes bytes{out};
  bytes.put(messages.size());
  for (const ToMaster& item : messages) {
    bytes.put(item.kind, item.room, item.token, item.highest, item.promised, item.run, item.hold,
              item.fate);
  }
}

void Worker::append_bytes(std::string& out) const {
  promises.append_bytes(out);
  MachineBytes{out}.put(run, rooms);
}

void Master::append_bytes(std::string& out) const {
  MachineBytes bytes{out};
  bytes.put((alive ? 1U : 0U) | (grace_lapsed ? 2U : 0U) | (mesh_changed ? 4U : 0U) |
                (timer ? 8U : 0U) | (claim ? 16U : 0U) | (debt ? 32U : 0U) | (offered ? 64U : 0U),
            work, acquisitions, run);
  if (!alive) return;
  std::visit([&](const auto& known) { known.append_bytes(out); }, machine);
  hold.append_bytes(out);
  bytes.put(used, in_vain, fenced_since, list, disputed);
  for (const std::uint32_t peer : told) bytes.put(peer);
  if (offered || work == Work::holding) bytes.put(told_to_fence);
  if (offered) bytes.put(offered->token, offered->needs_fence, offered->value);
  if (work == Work::holding) {
    bytes.put(now, token, value, duty.debt, duty.blind, duty.unknown, duty.round, duty.void_since,
              duty.missing, duty.token);
    bytes.put(hints.size());
    for (const Hint& hint : hints) bytes.put(hint.worker, hint.run, hint.ordered);
    bytes.put(ordered.size());
    for (const Hint& hint : ordered) {
      bytes.put(hint.worker, hint.run, hint.master, hint.master_run);
    }
    bytes.put(pending.has_value());
    if (pending) bytes.put(pending->token, pending->first_index, pending->basis);
  }
  for (const WorkerLink& link : links) {
    bytes.put((link.awaited ? 1U : 0U) | (link.room ? 2U : 0U) | (link.lately ? 4U : 0U) |
                  static_cast<unsigned>(link.end) << 3U,
              link.run, link.seen, link.orders);
  }
}

void LockModel::append_bytes(std::string& out) const {
  MachineBytes bytes{out};
  bytes.put(budget_.abandons, budget_.crashes, budget_.link_losses, budget_.worker_link_losses,
            budget_.worker_restarts, budget_.refusals, budget_.holds_cut, budget_.timeouts);
  bytes.put((wrong_ != nullptr ? 1U : 0U) | (crashed_ ? 2U : 0U) | (out_of_scope_ ? 4U : 0U));
  if (exclusion_ && !crashed_) bytes.put(highest_grant_, newest_release_);  // asked for only then
  for (const auto& master : masters_) master.append_bytes(out);
  for (const auto& worker : workers_) worker.append_bytes(out);
  for (int a = 0; a < budget_.masters; ++a) {
    for (int b = 0; b < budget_.masters; ++b) {
      if (a == b) continue;
      bytes.put(ends_[link(a, b)]);
      mesh_[link(a, b)].append_bytes(out);
    }
    for (int w = 0; w < budget_.workers; ++w) {
      to_workers_[link(a, w)].append_bytes(out);
      to_masters_[link(a, w)].append_bytes(out);
    }
  }
}

// --- words

namespace {

std::string name_of(const lock::AnyMachine& machine, const lock::LockMessage& message) {
  const auto name =
      std::visit([&](const auto& seen) { return seen.kind_name(message.kind); }, machine);
  return std::string{name} + "(" + std::to_string(message.round) + ")";
}

std::string text_of(FencingToken token) {
  return std::to_string(token.counter) + "." + to_string(token.master);
}

std::string words_of(const ToMaster& message) {
  switch (message.kind) {
    case ToMaster::Kind::state: return "the state";
    case ToMaster::Kind::promise:
      return message.promised ? "the promise of " + text_of(message.token)
                              : "the refusal to promise " + text_of(message.token);
    case ToMaster::Kind::order: return "what became of the order";
  }
  return "?";
}

}  // namespace

std::string LockModel::describe(Step step) const {
  const int a = first_of(step);
  const int b = second_of(step);
  const std::string master = to_string(id(a));
  const std::string other = to_string(id(b));
  const std::string worker = "w" + std::to_string(b + 1);
  switch (kind_of(step)) {
    case Kind::acquire: return master + " acquires";
    case Kind::abandon: return master + " abandons";
    case Kind::crash: return master + " crashes";
    case Kind::restart: return master + " restarts";
    case Kind::connect: return master + " is connected to " + other;
    case Kind::link_loss: return "the link of " + master + " and " + other + " breaks";
    case Kind::notice: return master + " notices that " + other + " is gone";
    case Kind::grace: return "the grace of " + master + " lapses";
    case Kind::deliver: {
      const auto& item = mesh_[link(a, b)]->messages[index(third_of(step))];
      std::string what = item.hello ? "Hello" : item.message ? "" : "the list";
      if (item.message) {
        what += (item.hello ? " with " : "") + name_of(masters_[index(a)]->machine, *item.message);
      }
      return other + " hears " + what + " of " + master;
    }
    case Kind::relist: return master + " takes over its new list of masters";
    case Kind::timeout: return "the timer of " + master + " goes off";
    case Kind::release: return master + " releases";
    case Kind::trust_orders:
      return master + " takes the lock and waits for the room that is ordered";
    case Kind::take_grant: return master + " takes the lock";
    case Kind::decline_grant: return master + " has no use for the lock any more";
    case Kind::order: return master + " orders a room from " + worker;
    case Kind::stop_awaiting: return master + " has waited for workers long enough";
    case Kind::reach_limit: return "the hold of " + master + " reaches its limit";
    case Kind::lose_lock: return master + " loses the lock";
    case Kind::connect_worker: return master + " is connected to " + worker;
    case Kind::lose_worker: return "the link of " + master + " and " + worker + " breaks";
    case Kind::notice_worker: return master + " notices that " + worker + " is gone";
    case Kind::restart_worker: return "w" + std::to_string(a + 1) + " restarts";
    case Kind::tell_worker: {
      const ToWorker& told = to_workers_[link(a, b)]->messages.front();
      if (!told.order) return worker + " is asked to promise " + text_of(told.token);
      return "the order of " + master + " arrives at " + worker + " with token " +
             text_of(told.token) + " and basis " + text_of(told.basis);
    }
    case Kind::refuse_order: return worker + " cannot start the room of " + master;
    case Kind::tell_master:
      return master + " hears " + words_of(to_masters_[link(a, b)]->messages.front()) + " of " +
             worker;
  }
  return "?";
}

}  // namespace fixkeep::model
