#include "common/lock/lock_table.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "common/base/assert.hpp"
#include "common/lock/any_machine.hpp"
#include "common/lock/message_size.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::lock {
namespace {

constexpr std::size_t histogram_buckets = 32;
// A full table looks at so many keys for one to forget before it gives up: a bound on the work that
// a flood of keys can cause.
constexpr std::size_t eviction_candidates = 64;

enum class Hold : std::uint8_t { nothing, waiting, holding };

struct Key {
  AnyMachine machine;
  Hold hold = Hold::nothing;
  TimePoint since;     // of `hold`
  TimePoint deadline;  // of the wait or the lease; when idle, of the sweep
};

void count(std::vector<std::uint64_t>& histogram, Duration time) {
  const auto microseconds = static_cast<std::uint64_t>(std::max<Duration::rep>(time.count(), 0));
  ++histogram[std::min<std::size_t>(std::bit_width(microseconds), histogram_buckets - 1)];
}

template <class Question>
auto ask(const AnyMachine& machine, Question question) {
  return std::visit(question, machine);
}

bool forgettable(const AnyMachine& machine) {
  return ask(machine, [](const auto& seen) { return seen.forgettable(); });
}

}  // namespace

struct LockTable::Impl {
  LockTableOptions options;
  TimePoint grace_ends;
  bool grace_over = false;
  std::set<MasterId> heard;  // configured peers whose Hello was complete once since start
  std::set<MasterId> connected;
  std::set<MasterId> up;
  std::map<MasterId, std::map<GroupKey, LockMessage>>
      arriving;  // Hellos whose last part is missing
  std::map<GroupKey, Key>
      keys;  // in the order of their names: the order of actions is the contract
  std::set<std::pair<TimePoint, GroupKey>> timers;
  std::uint64_t used_rounds = 0;  // the highest round of any machine that was forgotten
  LockStatistics statistics;
  LockActions scratch;

  [[nodiscard]] bool joined() const { return grace_over || heard.size() == options.peers.size(); }

  [[nodiscard]] AnyMachine fresh() const {
    MeshView mesh;
    mesh.self = options.self;
    mesh.configured = options.peers;
    mesh.connected.assign(connected.begin(), connected.end());
    mesh.up.assign(up.begin(), up.end());
    mesh.joined = joined();
    mesh.used_rounds = used_rounds;
    return make_machine(options.strategy, mesh);
  }

  // Null if there is no room for another key.
  Key* find_or_make(const GroupKey& name, TimePoint now) {
    if (const auto found = keys.find(name); found != keys.end()) return &found->second;
    if (keys.size() >= options.keys && !evict()) return nullptr;
    auto& key = keys.emplace(name, Key{fresh(), Hold::nothing, now, {}}).first->second;
    set_deadline(name, key, now + options.idle);
    return &key;
  }

  bool evict() {
    std::size_t candidates = 0;
    for (const auto& [deadline, name] : timers) {
      const Key& key = keys.at(name);
      if (key.hold == Hold::nothing && forgettable(key.machine)) {
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
    used_rounds = std::max(used_rounds,
                           ask(key->second.machine, [](const auto& seen) { return seen.round(); }));
    timers.erase({key->second.deadline, name});
    keys.erase(key);
  }

  void set_deadline(const GroupKey& name, Key& key, TimePoint deadline) {
    timers.erase({key.deadline, name});
    key.deadline = deadline;
    timers.insert({deadline, name});
  }

  void become(const GroupKey& name, Key& key, Hold hold, TimePoint now) {
    key.hold = hold;
    key.since = now;
    switch (hold) {
      case Hold::nothing: set_deadline(name, key, now + options.idle); return;
      case Hold::waiting: set_deadline(name, key, now + options.wait); return;
      case Hold::holding: set_deadline(name, key, now + options.lease); return;
    }
  }

  void send(const GroupKey& name, Send& action, TableActions& out) {
    action.message.key = name;
    ++statistics.messages_sent;
    statistics.bytes_sent += frame_size(action.message);
    out.push_back(SendToPeer{action.to, std::move(action.message)});
  }

  void step(const GroupKey& name, Key& key, const LockEvent& event, TimePoint now,
            TableActions& out) {
    scratch.clear();
    std::visit([&](auto& machine) { machine.step(event, now, scratch); }, key.machine);
    for (auto& action : scratch) {
      if (auto* sent = std::get_if<Send>(&action)) {
        send(name, *sent, out);
      } else if (auto* granted = std::get_if<Granted>(&action)) {
        ++statistics.acquisitions;
        count(statistics.wait_us_histogram, now - key.since);
        become(name, key, Hold::holding, now);
        out.push_back(KeyGranted{name, granted->token, std::move(granted->value),
                                 granted->needs_fence || options.always_fence});
      } else {
        // Only strategies with servers or timers of their own lose a lock or set a timer.
        FIXKEEP_ASSERT(false, name.text());
      }
    }
  }

  // For a key that the table has no room for. We neither want nor hold it, so a machine that has
  // just been made gives the right answer; not to answer at all would block whoever asks.
  void answer_without_key(const GroupKey& name, const LockEvent& event, TimePoint now,
                          TableActions& out) {
    auto machine = fresh();
    LockActions actions;
    std::visit([&](auto& made) { made.step(event, now, actions); }, machine);
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
      }
      step(name, key, event, now, out);
    }
  }

  void time_is_up(const GroupKey& name, Key& key, TimePoint now, TableActions& out) {
    switch (key.hold) {
      case Hold::nothing:
        if (forgettable(key.machine)) {
          forget(name);
        } else {
          set_deadline(name, key, now + options.idle);  // a peer still wants it
        }
        return;
      case Hold::waiting:
        ++statistics.wait_timeouts;
        become(name, key, Hold::nothing, now);
        step(name, key, Abandon{}, now, out);
        out.push_back(KeyLost{name, LostReason::wait_timeout});
        return;
      case Hold::holding: {
        // What the holder has ordered meanwhile is unknown here: the next one has to fence.
        ++statistics.lease_timeouts;
        count(statistics.hold_us_histogram, now - key.since);
        const auto token = ask(key.machine, [](const auto& seen) { return seen.highest(); });
        auto value = ask(key.machine, [](const auto& seen) { return seen.value(); });
        value.stamp = token;
        value.uncertain = true;
        become(name, key, Hold::nothing, now);
        step(name, key, Release{token, std::move(value)}, now, out);
        out.push_back(KeyLost{name, LostReason::lease_timeout});
        return;
      }
    }
  }
};

LockTable::LockTable(LockTableOptions options, TimePoint now) : impl_(std::make_unique<Impl>()) {
  impl_->grace_ends = now + options.join_grace;
  impl_->options = std::move(options);
  impl_->statistics.wait_us_histogram.resize(histogram_buckets);
  impl_->statistics.hold_us_histogram.resize(histogram_buckets);
}
LockTable::~LockTable() = default;
LockTable::LockTable(LockTable&&) noexcept = default;
LockTable& LockTable::operator=(LockTable&&) noexcept = default;

void LockTable::acquire(const GroupKey& name, TimePoint now, TableActions& out) {
  auto* key = impl_->find_or_make(name, now);
  if (key == nullptr) {
    out.push_back(KeyLost{name, LostReason::wait_timeout});
    return;
  }
  FIXKEEP_ASSERT(key->hold == Hold::nothing, name.text());
  impl_->become(name, *key, Hold::waiting, now);
  impl_->step(name, *key, Acquire{}, now, out);
}

void LockTable::abandon(const GroupKey& name, TimePoint now, TableActions& out) {
  const auto found = impl_->keys.find(name);
  if (found == impl_->keys.end() || found->second.hold != Hold::waiting) return;
  ++impl_->statistics.abandons;
  impl_->become(name, found->second, Hold::nothing, now);
  impl_->step(name, found->second, Abandon{}, now, out);
}

void LockTable::release(const GroupKey& name, FencingToken token, LockValue value, TimePoint now,
                        TableActions& out) {
  const auto found = impl_->keys.find(name);
  FIXKEEP_ASSERT(found != impl_->keys.end() && found->second.hold == Hold::holding, name.text());
  count(impl_->statistics.hold_us_histogram, now - found->second.since);
  impl_->become(name, found->second, Hold::nothing, now);
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
  for (const auto& [name, key] : impl_->keys) {
    auto outstanding = ask(key.machine, [](const auto& seen) { return seen.hello(); });
    if (!outstanding) continue;
    outstanding->key = name;
    hello.outstanding.push_back(std::move(*outstanding));
    if (hello.outstanding.size() == wire::limits::outstanding) {
      out.push_back(SendToPeer{peer, std::exchange(hello, {{}, {}, false})});
    }
  }
  hello.last = true;
  out.push_back(SendToPeer{peer, std::move(hello)});
  impl_->step_all(PeerConnected{peer}, now, out);
}

void LockTable::disconnected(MasterId peer, TimePoint now, TableActions& out) {
  impl_->arriving.erase(peer);
  impl_->up.erase(peer);
  if (impl_->connected.erase(peer) > 0) impl_->step_all(PeerDown{peer}, now, out);
}

bool LockTable::receive(MasterId peer, const wire::Message& message, TimePoint now,
                        TableActions& out) {
  const auto arriving = impl_->arriving.find(peer);
  if (const auto* hello = std::get_if<wire::MeshHello>(&message)) {
    if (arriving == impl_->arriving.end()) return false;
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
    if (key->hold == Hold::nothing) {
      impl_->set_deadline(lock->key, *key, now + impl_->options.idle);
    }
    impl_->step(lock->key, *key, Receive{peer, *lock}, now, out);
  } else {
    impl_->answer_without_key(lock->key, Receive{peer, *lock}, now, out);
  }
  return true;
}

TimePoint LockTable::next_tick() const {
  auto next = impl_->timers.empty() ? TimePoint::max() : impl_->timers.begin()->first;
  if (!impl_->joined()) next = std::min(next, impl_->grace_ends);
  return next;
}

void LockTable::tick(TimePoint now, TableActions& out) {
  if (!impl_->joined() && now >= impl_->grace_ends) {
    impl_->grace_over = true;
    impl_->step_all(JoinGraceLapsed{}, now, out);
  }
  while (!impl_->timers.empty() && impl_->timers.begin()->first <= now) {
    const GroupKey name = impl_->timers.begin()->second;
    impl_->time_is_up(name, impl_->keys.at(name), now, out);
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
    const auto token = ask(key.machine, [](const auto& seen) { return seen.highest(); });
    all.push_back({name, state, token, key.since.time_since_epoch()});
  }
  return all;
}

}  // namespace fixkeep::lock
