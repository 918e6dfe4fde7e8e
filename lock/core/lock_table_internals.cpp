#include "lock/core/lock_table_internals.hpp"

#include <algorithm>

#include "common/base/lock_strategies.hpp"
#include "lock/core/codec.hpp"

namespace fixkeep::lock {

LockTable::Impl::Impl(LockTableOptions given, TimePoint now)
    : options(std::move(given)),
      lists(options.self, options.peers),
      grace_ends(now + options.join_grace),
      last_loss(now) {
  const auto* strategy = find_strategy(options.strategy);
  remote = strategy != nullptr && strategy->family == Family::engine;
}

bool LockTable::Impl::met_all() const {
  return heard.size() + 1 == lists.size();
}

bool LockTable::Impl::joined() const {
  if (remote) return engine_seen;
  return grace_over || met_all();
}

MeshView LockTable::Impl::view(TimePoint now) const {
  MeshView mesh;
  mesh.self = options.self;
  mesh.configured = lists.peers();
  mesh.connected.assign(connected.begin(), connected.end());
  mesh.up.assign(up.begin(), up.end());
  mesh.met = met_all() && (!last_overflow || now - *last_overflow >= 2 * options.lease);
  mesh.joined = joined();
  mesh.disputed = disputed;
  mesh.used_rounds = forgotten.rounds;
  mesh.lease = options.lease;
  mesh.since_loss = now - std::max(last_loss, last_overflow.value_or(last_loss));
  mesh.quorum = options.quorum;
  mesh.rules = options.rules;
  return mesh;
}

// --- keys

KeyState* LockTable::Impl::find_or_make(const GroupKey& name, TimePoint now) {
  if (const auto found = keys.find(name); found != keys.end()) return &found->second;
  if (keys.size() >= options.keys && !evict()) return nullptr;
  KeyState made{make_machine(options.strategy, view(now)), now};
  KeyState& key = keys.emplace(name, std::move(made)).first->second;
  set_deadline(name, key, now + options.idle);
  return &key;
}

bool LockTable::Impl::evict() {
  std::size_t candidates = 0;
  for (const auto& [deadline, name] : timers) {
    const KeyState& key = keys.at(name);
    if (key.want == Want::nothing && key.forgettable()) {
      forget(GroupKey{name});
      return true;
    }
    if (++candidates == eviction_candidates) return false;
  }
  return false;
}

void LockTable::Impl::forget(const GroupKey& name) {
  const auto key = keys.find(name);
  forgotten.leave_behind(key->second.machine);
  timers.erase({key->second.deadline, name});
  alarms.erase({key->second.alarm, name});
  keys.erase(key);
}

void LockTable::Impl::set_deadline(const GroupKey& name, KeyState& key, TimePoint deadline) {
  timers.erase({key.deadline, name});
  key.deadline = deadline;
  timers.insert({deadline, name});
}

void LockTable::Impl::set_alarm(const GroupKey& name, KeyState& key, TimePoint alarm) {
  alarms.erase({key.alarm, name});
  key.alarm = alarm;
  if (alarm != TimePoint::max()) alarms.insert({alarm, name});
}

void LockTable::Impl::become(const GroupKey& name, KeyState& key, Want want, TimePoint now) {
  key.want = want;
  key.since = now;
  switch (want) {
    case Want::nothing: set_deadline(name, key, now + options.idle); return;
    case Want::waiting: set_deadline(name, key, now + options.wait); return;
    case Want::holding: set_deadline(name, key, now + options.lease); return;
  }
}

void LockTable::Impl::time_is_up(const GroupKey& name, KeyState& key, TimePoint now,
                                 TableActions& out) {
  switch (key.want) {
    case Want::nothing:
      if (key.forgettable()) {
        forget(name);
      } else {
        set_deadline(name, key, now + options.idle);  // a peer wants the key
      }
      return;
    case Want::waiting: {
      const bool absent = remote && !engine_ready;
      key.want = Want::nothing;
      step(name, key, Abandon{}, now, out);
      lose(name, key, absent ? LostReason::engine_failure : LostReason::wait_timeout, now, out);
      return;
    }
    case Want::holding:
      step(name, key, release_of_lapsed(key.machine, options.self), now, out);
      lose(name, key, LostReason::lease_timeout, now, out);
      return;
  }
}

// --- machines

void LockTable::Impl::step(const GroupKey& name, KeyState& key, const LockEvent& event,
                           TimePoint now, TableActions& out) {
  scratch.clear();
  step_above(forgotten.floor, key.machine, event, now, scratch);
  perform(name, key, now, out);
}

void LockTable::Impl::step_all(const LockEvent& event, TimePoint now, TableActions& out) {
  for (auto& [name, key] : keys) step(name, key, event, now, out);
}

void LockTable::Impl::perform(const GroupKey& name, KeyState& key, TimePoint now,
                              TableActions& out) {
  for (auto& action : scratch) {
    std::visit([&](auto& wanted) { perform(name, key, wanted, now, out); }, action);
  }
}

void LockTable::Impl::perform(const GroupKey& name, KeyState&, Send& action, TimePoint,
                              TableActions& out) {
  send(name, action, out);
}

void LockTable::Impl::perform(const GroupKey& name, KeyState& key, Granted& grant, TimePoint now,
                              TableActions& out) {
  ++statistics.acquisitions;
  statistics.waits.add(now - key.since);
  become(name, key, Want::holding, now);
  out.emplace_back(key.granted(name, std::move(grant), options.always_fence));
}

void LockTable::Impl::perform(const GroupKey& name, KeyState& key, Lost& lost, TimePoint now,
                              TableActions& out) {
  lose(name, key, lost.reason, now, out);
}

void LockTable::Impl::perform(const GroupKey& name, KeyState& key, SetTimer& timer, TimePoint,
                              TableActions&) {
  set_alarm(name, key, timer.at);
}

void LockTable::Impl::perform(const GroupKey& name, KeyState&, AskEngine& order, TimePoint,
                              TableActions& out) {
  out.emplace_back(OrderEngine{name, std::move(order)});
}

void LockTable::Impl::send(const GroupKey& name, Send& action, TableActions& out) {
  action.message.key = name;
  ++statistics.messages_sent;
  statistics.bytes_sent += frame_size(action.message);
  out.emplace_back(SendToPeer{action.to, std::move(action.message)});
}

void LockTable::Impl::lose(const GroupKey& name, KeyState& key, LostReason reason, TimePoint now,
                           TableActions& out) {
  count(statistics, reason);
  if (key.want == Want::holding) statistics.holds.add(now - key.since);
  become(name, key, Want::nothing, now);
  out.emplace_back(KeyLost{name, reason});
}

void LockTable::Impl::answer_without_key(const GroupKey& name, const LockEvent& event,
                                         TimePoint now, TableActions& out) {
  auto mesh = view(now);
  mesh.met = mesh.joined = false;
  auto machine = make_machine(options.strategy, mesh);
  LockActions actions;
  step_above(forgotten.floor, machine, event, now, actions);
  last_overflow = now;
  forgotten.leave_behind(machine);
  for (auto& action : actions) {
    if (auto* sent = std::get_if<Send>(&action)) send(name, *sent, out);
  }
}

// --- the mesh

bool LockTable::Impl::hear(MasterId peer, const MeshHello& hello, TimePoint now,
                           TableActions& out) {
  const auto parts = arriving.find(peer);
  if (parts == arriving.end()) return false;
  forgotten.raise(hello.highest_counter);
  lists.heard(peer, hello.masters);
  if (parts->second.size() + hello.outstanding.size() > options.keys) return false;
  for (const auto& outstanding : hello.outstanding) {
    parts->second.insert_or_assign(outstanding.key, outstanding);
  }
  if (hello.last) complete_hello(peer, now, out);
  return true;
}

bool LockTable::Impl::hear(MasterId peer, const MasterList& list, TimePoint now,
                           TableActions& out) {
  if (!up.contains(peer)) return false;
  lists.heard(peer, list.masters);
  tell_of_lists(false, now, out);
  return true;
}

bool LockTable::Impl::hear(MasterId peer, const LockMessage& message, TimePoint now,
                           TableActions& out) {
  if (!up.contains(peer)) return false;
  if (auto* key = find_or_make(message.key, now)) {
    if (key->want == Want::nothing) set_deadline(message.key, *key, now + options.idle);
    key->heard(peer, message);
    step(message.key, *key, Receive{peer, message}, now, out);
  } else {
    answer_without_key(message.key, Receive{peer, message}, now, out);
  }
  return true;
}

void LockTable::Impl::complete_hello(MasterId peer, TimePoint now, TableActions& out) {
  const auto outstanding = std::move(arriving.extract(peer).mapped());
  heard.insert(peer);
  tell_of_lists(false, now, out);
  // Makes the missing machines before `up` contains the peer. They learn from PeerUp, at the end of
  // this function, that the peer is up.
  for (const auto& [name, message] : outstanding) (void)find_or_make(name, now);
  for (const auto& [name, message] : outstanding) {
    if (!keys.contains(name)) answer_without_key(name, PeerUp{peer, message}, now, out);
  }
  up.insert(peer);
  for (auto& [name, key] : keys) {
    PeerUp event{peer, {}};
    if (const auto found = outstanding.find(name); found != outstanding.end()) {
      event.hello = found->second;
      key.heard(peer, found->second);
    }
    step(name, key, event, now, out);
  }
}

void LockTable::Impl::tell_of_lists(bool ours_changed, TimePoint now, TableActions& out) {
  const bool disputed_now = lists.disputed();
  if (disputed_now == disputed && !ours_changed) return;
  disputed = disputed_now;
  step_all(MastersListed{lists.peers(), disputed}, now, out);
}

}  // namespace fixkeep::lock
