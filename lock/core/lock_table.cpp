#include "lock/core/lock_table.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "lock/core/limits.hpp"
#include "lock/core/lock_table_internals.hpp"

namespace fixkeep::lock {
LockTable::LockTable(LockTableOptions options, TimePoint now)
    : impl_(std::make_unique<Impl>(std::move(options), now)) {}
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
  impl_->statistics.holds.add(now - found->second.since);
  impl_->become(name, found->second, Want::nothing, now);
  found->second.told.clear();
  impl_->step(name, found->second, Release{token, std::move(value)}, now, out);
}

void LockTable::connected(MasterId peer, const std::vector<WorkerId>& workers, TimePoint now,
                          TableActions& out) {
  disconnected(peer, now, out);
  if (!impl_->lists.lists(peer)) return;
  impl_->connected.insert(peer);
  impl_->arriving.emplace(peer, std::map<GroupKey, LockMessage>{});

  MeshHello hello;
  hello.workers = workers;
  hello.last = false;
  hello.masters = impl_->lists.all();
  hello.highest_counter = impl_->forgotten.floor;  // each part reports its keys' highest counter
  for (const auto& [name, key] : impl_->keys) {
    hello.highest_counter = std::max(hello.highest_counter, highest_token(key.machine).counter);
    auto outstanding = ask(key.machine, [](const auto& seen) { return seen.hello(); });
    if (!outstanding) continue;
    outstanding->key = name;
    hello.outstanding.push_back(std::move(*outstanding));
    if (hello.outstanding.size() == limits::outstanding) {
      out.emplace_back(SendToPeer{peer, std::exchange(hello, {{}, {}, false, 0, hello.masters})});
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
  impl_->lists.lost(peer);
  impl_->tell_of_lists(false, now, out);
}

std::optional<ListRefusal> LockTable::list_refusal(const std::vector<MasterId>& peers) const {
  return impl_->lists.refusal(peers, impl_->up, impl_->options.strategy);
}

void LockTable::list(const std::vector<MasterId>& peers, TimePoint now, TableActions& out) {
  for (const MasterId gone : impl_->lists.change(peers)) {
    disconnected(gone, now, out);
    impl_->heard.erase(gone);
  }
  impl_->tell_of_lists(true, now, out);
  for (const MasterId peer : impl_->connected) {
    out.emplace_back(SendToPeer{peer, MasterList{impl_->lists.all()}});
  }
}

bool LockTable::receive(MasterId peer, const MeshMessage& message, TimePoint now,
                        TableActions& out) {
  return std::visit([&](const auto& said) { return impl_->hear(peer, said, now, out); }, message);
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
  // Tells the machines that the grace is over, even if the table has joined: a machine may still
  // wait for peers that were away when the machine was made.
  if (!impl_->remote && !impl_->grace_over && now >= impl_->grace_ends) {
    impl_->grace_over = true;
    impl_->step_all(JoinGraceLapsed{}, now, out);
  }
  while (!impl_->timers.empty() && impl_->timers.begin()->first <= now) {
    const GroupKey name = impl_->timers.begin()->second;
    impl_->time_is_up(name, impl_->keys.at(name), now, out);
  }
  // The loop ends, because a machine sets its next timer only to a future time.
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
bool LockTable::awaits_server() const {
  return impl_->remote && !impl_->engine_seen;
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

std::string LockTable::bytes_of(const GroupKey& key) const {
  std::string bytes;
  const auto found = impl_->keys.find(key);
  if (found == impl_->keys.end()) return bytes;
  ask(found->second.machine, [&](const auto& seen) {
    if constexpr (requires { seen.append_bytes(bytes); }) seen.append_bytes(bytes);
  });
  return bytes;
}

}  // namespace fixkeep::lock
