#include "common/lock/lock_table.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/base/assert.hpp"
#include "common/base/lock_strategies.hpp"
#include "common/lock/any_machine.hpp"
#include "common/lock/key_state.hpp"
#include "common/lock/message_size.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::lock {
struct LockTable::Impl {
  LockTableOptions options;
  TimePoint grace_ends;
  TimePoint last_loss;                     // of a connection; at first, of our memory
  std::optional<TimePoint> last_overflow;  // something was said that we had no room to remember
  bool grace_over = false;
  std::set<MasterId> heard;  // configured peers whose Hello was complete once since start
  std::set<MasterId> connected;
  std::set<MasterId> up;
  // Hellos whose last part is missing.
  std::map<MasterId, std::map<GroupKey, LockMessage>> arriving;
  std::map<GroupKey, KeyState> keys;  // in order: the order of actions is the contract
  std::set<std::pair<TimePoint, GroupKey>> timers;
  std::set<std::pair<TimePoint, GroupKey>> alarms;
  Forgotten forgotten;
  LockStatistics statistics;
  LockActions scratch;
  bool remote = false;        // the strategy is a server's
  bool engine_ready = false;  // and it can be reached
  bool engine_seen = false;   // once since start

  [[nodiscard]] bool joined() const {
    if (remote) return engine_seen;
    return grace_over || heard.size() == options.peers.size();
  }

  [[nodiscard]] MeshView view(TimePoint now) const {
    MeshView mesh;
    mesh.self = options.self;
    mesh.configured = options.peers;
    mesh.connected.assign(connected.begin(), connected.end());
    mesh.up.assign(up.begin(), up.end());
    mesh.met = heard.size() == options.peers.size() &&
               (!last_overflow || now - *last_overflow >= 2 * options.lease);
    mesh.joined = joined();
    mesh.used_rounds = forgotten.rounds;
    mesh.lease = options.lease;
    mesh.since_loss = now - std::max(last_loss, last_overflow.value_or(last_loss));
    mesh.quorum = options.quorum;
    return mesh;
  }

  // Null if there is no room for another key.
  KeyState* find_or_make(const GroupKey& name, TimePoint now) {
    if (const auto found = keys.find(name); found != keys.end()) return &found->second;
    if (keys.size() >= options.keys && !evict()) return nullptr;
    KeyState made{make_machine(options.strategy, view(now)), now};
    KeyState& key = keys.emplace(name, std::move(made)).first->second;
    set_deadline(name, key, now + options.idle);
    return &key;
  }

  bool evict() {
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

  // The machine that is made for the key next time fences first, so that no memory is missed.
  void forget(const GroupKey& name) {
    const auto key = keys.find(name);
    forgotten.leave_behind(key->second.machine);
    timers.erase({key->second.deadline, name});
    alarms.erase({key->second.alarm, name});
    keys.erase(key);
  }

  void set_deadline(const GroupKey& name, KeyState& key, TimePoint deadline) {
    timers.erase({key.deadline, name});
    key.deadline = deadline;
    timers.insert({deadline, name});
  }

  void set_alarm(const GroupKey& name, KeyState& key, TimePoint alarm) {
    alarms.erase({key.alarm, name});
    key.alarm = alarm;
    if (alarm != TimePoint::max()) alarms.insert({alarm, name});
  }

  void become(const GroupKey& name, KeyState& key, Want want, TimePoint now) {
    key.want = want;
    key.since = now;
    switch (want) {
      case Want::nothing: set_deadline(name, key, now + options.idle); return;
      case Want::waiting: set_deadline(name, key, now + options.wait); return;
      case Want::holding: set_deadline(name, key, now + options.lease); return;
    }
  }

  void send(const GroupKey& name, Send& action, TableActions& out) {
    action.message.key = name;
    ++statistics.messages_sent;
    statistics.bytes_sent += frame_size(action.message);
    out.emplace_back(SendToPeer{action.to, std::move(action.message)});
  }

  void step(const GroupKey& name, KeyState& key, const LockEvent& event, TimePoint now,
            TableActions& out) {
    scratch.clear();
    step_above(forgotten.floor, key.machine, event, now, scratch);
    perform(name, key, now, out);
  }

  // What the machine put into `scratch`.
  void perform(const GroupKey& name, KeyState& key, TimePoint now, TableActions& out) {
    for (auto& action : scratch) {
      std::visit([&](auto& wanted) { perform(name, key, wanted, now, out); }, action);
    }
  }
  void perform(const GroupKey& name, KeyState&, Send& action, TimePoint, TableActions& out) {
    send(name, action, out);
  }
  void perform(const GroupKey& name, KeyState& key, Granted& grant, TimePoint now,
               TableActions& out) {
    ++statistics.acquisitions;
    count(statistics.wait_us_histogram, now - key.since);
    become(name, key, Want::holding, now);
    out.emplace_back(key.granted(name, std::move(grant), options.always_fence));
  }
  void perform(const GroupKey& name, KeyState& key, Lost& lost, TimePoint now, TableActions& out) {
    lose(name, key, lost.reason, now, out);
  }
  void perform(const GroupKey& name, KeyState& key, SetTimer& timer, TimePoint, TableActions&) {
    set_alarm(name, key, timer.at);
  }
  void perform(const GroupKey& name, KeyState&, AskEngine& order, TimePoint, TableActions& out) {
    out.emplace_back(OrderEngine{name, std::move(order)});
  }

  // The caller neither waits nor holds any more; its machine knows.
  void lose(const GroupKey& name, KeyState& key, LostReason reason, TimePoint now,
            TableActions& out) {
    count(statistics, reason);
    if (key.want == Want::holding) count(statistics.hold_us_histogram, now - key.since);
    become(name, key, Want::nothing, now);
    out.emplace_back(KeyLost{name, reason});
  }

  // For a key that the table has no room for. We neither want nor hold it, so a machine that has
  // just been made gives the right answer; not to answer at all would block the master that asks.
  // This machine has not joined, since votes and grants that nobody remembers must not be given.
  // Its round stays: by a logical clock the answer says that we ask for nothing earlier.
  void answer_without_key(const GroupKey& name, const LockEvent& event, TimePoint now,
                          TableActions& out) {
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

  void step_all(const LockEvent& event, TimePoint now, TableActions& out) {
    for (auto& [name, key] : keys) step(name, key, event, now, out);
  }

  void complete_hello(MasterId peer, TimePoint now, TableActions& out) {
    const auto outstanding = std::move(arriving.extract(peer).mapped());
    heard.insert(peer);
    // Made before the peer counts as up, since each machine is told so below.
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

  void time_is_up(const GroupKey& name, KeyState& key, TimePoint now, TableActions& out) {
    switch (key.want) {
      case Want::nothing:
        if (key.forgettable()) {
          forget(name);
        } else {
          set_deadline(name, key, now + options.idle);  // a peer still wants it
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
};

LockTable::LockTable(LockTableOptions options, TimePoint now) : impl_(std::make_unique<Impl>()) {
  impl_->grace_ends = now + options.join_grace;
  impl_->last_loss = now;
  impl_->options = std::move(options);
  const auto* strategy = find_strategy(impl_->options.strategy);
  impl_->remote = strategy != nullptr && strategy->family == Family::engine;
  impl_->statistics.wait_us_histogram.resize(histogram_buckets);
  impl_->statistics.hold_us_histogram.resize(histogram_buckets);
}
LockTable::~LockTable() = default;
LockTable::LockTable(LockTable&&) noexcept = default;
LockTable& LockTable::operator=(LockTable&&) noexcept = default;

void LockTable::acquire(const GroupKey& name, TimePoint now, TableActions& out) {
  auto* key = impl_->find_or_make(name, now);
  if (key == nullptr) {
    out.emplace_back(KeyLost{name, LostReason::wait_timeout});
    return;
  }
  FIXKEEP_ASSERT(key->want == Want::nothing, name.text());
  impl_->become(name, *key, Want::waiting, now);
  impl_->step(name, *key, Acquire{}, now, out);
}

void LockTable::abandon(const GroupKey& name, TimePoint now, TableActions& out) {
  const auto found = impl_->keys.find(name);
  if (found == impl_->keys.end() || found->second.want != Want::waiting) return;
  ++impl_->statistics.abandons;
  impl_->become(name, found->second, Want::nothing, now);
  impl_->step(name, found->second, Abandon{}, now, out);
}

void LockTable::release(const GroupKey& name, FencingToken token, LockValue value, TimePoint now,
                        TableActions& out) {
  const auto found = impl_->keys.find(name);
  FIXKEEP_ASSERT(found != impl_->keys.end() && found->second.want == Want::holding, name.text());
  count(impl_->statistics.hold_us_histogram, now - found->second.since);
  impl_->become(name, found->second, Want::nothing, now);
  found->second.told.clear();
  impl_->step(name, found->second, Release{token, std::move(value)}, now, out);
}

void LockTable::connected(MasterId peer, const std::vector<WorkerId>& workers, TimePoint now,
                          TableActions& out) {
  disconnected(peer, now, out);
  const auto& peers = impl_->options.peers;
  if (std::find(peers.begin(), peers.end(), peer) == peers.end()) return;
  impl_->connected.insert(peer);
  impl_->arriving.emplace(peer, std::map<GroupKey, LockMessage>{});

  wire::MeshHello hello;
  hello.workers = workers;
  hello.last = false;
  hello.highest_counter = impl_->forgotten.floor;  // a part each says the highest of its keys
  for (const auto& [name, key] : impl_->keys) {
    hello.highest_counter = std::max(hello.highest_counter, highest_token(key.machine).counter);
    auto outstanding = ask(key.machine, [](const auto& seen) { return seen.hello(); });
    if (!outstanding) continue;
    outstanding->key = name;
    hello.outstanding.push_back(std::move(*outstanding));
    if (hello.outstanding.size() == wire::limits::outstanding) {
      out.emplace_back(SendToPeer{peer, std::exchange(hello, {{}, {}, false})});
    }
  }
  hello.last = true;
  out.emplace_back(SendToPeer{peer, std::move(hello)});
  impl_->step_all(PeerConnected{peer}, now, out);
}

void LockTable::disconnected(MasterId peer, TimePoint now, TableActions& out) {
  impl_->arriving.erase(peer);
  impl_->up.erase(peer);
  impl_->last_loss = now;
  if (impl_->connected.erase(peer) > 0) impl_->step_all(PeerDown{peer}, now, out);
}

bool LockTable::receive(MasterId peer, const wire::Message& message, TimePoint now,
                        TableActions& out) {
  const auto arriving = impl_->arriving.find(peer);
  if (const auto* hello = std::get_if<wire::MeshHello>(&message)) {
    if (arriving == impl_->arriving.end()) return false;
    raise_floor(hello->highest_counter);
    if (arriving->second.size() + hello->outstanding.size() > impl_->options.keys) return false;
    for (const auto& outstanding : hello->outstanding) {
      arriving->second.insert_or_assign(outstanding.key, outstanding);
    }
    if (hello->last) impl_->complete_hello(peer, now, out);
    return true;
  }
  const auto* lock = std::get_if<wire::LockMessage>(&message);
  if (lock == nullptr || !impl_->up.contains(peer)) return false;
  if (auto* key = impl_->find_or_make(lock->key, now)) {
    if (key->want == Want::nothing) {
      impl_->set_deadline(lock->key, *key, now + impl_->options.idle);
    }
    key->heard(peer, *lock);
    impl_->step(lock->key, *key, Receive{peer, *lock}, now, out);
  } else {
    impl_->answer_without_key(lock->key, Receive{peer, *lock}, now, out);
  }
  return true;
}

void LockTable::engine_said(const GroupKey& name, const EngineReply& reply, TimePoint now,
                            TableActions& out) {
  const auto found = impl_->keys.find(name);
  if (found == impl_->keys.end()) return;
  auto* machine = std::get_if<Remote>(&found->second.machine);
  if (machine == nullptr) return;
  impl_->scratch.clear();
  machine->reply(reply, impl_->scratch);
  impl_->perform(name, found->second, now, out);
}

void LockTable::engine_ready(bool ready) {
  impl_->engine_ready = ready;
  impl_->engine_seen = impl_->engine_seen || ready;
}

void LockTable::raise_floor(std::uint64_t counter) {
  impl_->forgotten.raise(counter);
}

TimePoint LockTable::next_tick() const {
  auto next = impl_->timers.empty() ? TimePoint::max() : impl_->timers.begin()->first;
  if (!impl_->alarms.empty()) next = std::min(next, impl_->alarms.begin()->first);
  if (!impl_->remote && !impl_->grace_over) next = std::min(next, impl_->grace_ends);
  return next;
}

void LockTable::tick(TimePoint now, TableActions& out) {
  // This is done also if we have joined: a machine waits for peers that were away when it was made.
  if (!impl_->remote && !impl_->grace_over && now >= impl_->grace_ends) {
    impl_->grace_over = true;
    impl_->step_all(JoinGraceLapsed{}, now, out);
  }
  while (!impl_->timers.empty() && impl_->timers.begin()->first <= now) {
    const GroupKey name = impl_->timers.begin()->second;
    impl_->time_is_up(name, impl_->keys.at(name), now, out);
  }
  // A machine may set its timer anew, but not to a time that has come already.
  while (!impl_->alarms.empty() && impl_->alarms.begin()->first <= now) {
    const GroupKey name = impl_->alarms.begin()->second;
    auto& key = impl_->keys.at(name);
    impl_->set_alarm(name, key, TimePoint::max());
    impl_->step(name, key, Tick{}, now, out);
    FIXKEEP_ASSERT(key.alarm > now, name.text());
  }
}

bool LockTable::joined() const {
  return impl_->joined();
}
bool LockTable::up(MasterId peer) const {
  return impl_->up.contains(peer);
}
const LockStatistics& LockTable::statistics() const {
  return impl_->statistics;
}

std::vector<KeyStatus> LockTable::status(std::size_t limit) const {
  std::vector<KeyStatus> all;
  for (const auto& [name, key] : impl_->keys) {
    if (all.size() == limit) break;
    const auto state = ask(key.machine, [](const auto& seen) { return seen.state(); });
    const auto token = highest_token(key.machine);
    all.push_back({name, key.want, state, token, key.since.time_since_epoch()});
  }
  return all;
}

}  // namespace fixkeep::lock
