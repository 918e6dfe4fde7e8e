#include "master/core/master_core.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "common/wire/codec.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/matchmaker.hpp"

namespace fixkeep::master {
namespace {

MatchmakerOptions matchmaker_options(const MasterOptions& options) {
  MatchmakerOptions result;
  result.self = options.self;
  result.incarnation = options.incarnation;
  result.placement = options.placement;
  result.worker_reply = options.worker_reply;
  result.hold = options.locks.lease * 3 / 4;
  result.join_grace = options.locks.join_grace;
  result.worker_settle = options.worker_settle;
  result.spawn_attempts = options.spawn_attempts;
  result.waiting_requests = options.waiting_requests;
  result.waiting_requests_per_group = options.waiting_requests_per_group;
  result.starting_rooms_per_group = options.starting_rooms_per_group;
  result.starting_rooms_per_client = options.starting_rooms_per_client;
  return result;
}

}  // namespace

struct MasterCore::Impl {
  Impl(const MasterOptions& options, TimePoint now)
      : locks(options.locks, now), matchmaker(matchmaker_options(options), now) {}

  void handle(Event&& event, TimePoint now, Actions& out);
  void handle_mesh(const PeerSaid& said, TimePoint now, Actions& out);
  // Carries orders to the locks and their answers to the matchmaker until both have nothing left.
  void settle(TimePoint now, Actions& out);
  void perform(LockOrder&& order, TimePoint now);
  void deliver(lock::TableAction&& action, TimePoint now, Actions& out);
  [[nodiscard]] std::vector<WorkerId> connected_workers() const;

  lock::LockTable locks;
  Matchmaker matchmaker;
  LockOrders orders;
  lock::TableActions granted;
};

void MasterCore::Impl::perform(LockOrder&& order, TimePoint now) {
  if (auto* acquire = std::get_if<AcquireLock>(&order)) {
    locks.acquire(acquire->group, now, granted);
  } else if (auto* abandon = std::get_if<AbandonLock>(&order)) {
    locks.abandon(abandon->group, now, granted);
  } else if (auto* release = std::get_if<ReleaseLock>(&order)) {
    lock::LockValue value;
    value.stamp = release->stamp;
    value.fence = release->fence;
    value.uncertain = release->uncertain;
    value.bytes = wire::encode_hints(release->hints);
    locks.release(release->group, release->highest, std::move(value), now, granted);
  }
}

void MasterCore::Impl::deliver(lock::TableAction&& action, TimePoint now, Actions& out) {
  if (auto* send = std::get_if<lock::SendToPeer>(&action)) {
    out.emplace_back(SendToPeer{send->to, std::move(send->message)});
  } else if (auto* key = std::get_if<lock::KeyGranted>(&action)) {
    LockGranted grant;
    grant.group = std::move(key->key);
    grant.token = key->token;
    grant.fence = key->value.fence;
    grant.needs_fence = key->needs_fence;
    grant.uncertain = key->value.uncertain;
    if (!key->value.bytes.empty()) {
      // A value that cannot be read tells nothing about the rooms that its writer made.
      auto hints = wire::decode_hints(key->value.bytes);
      if (hints)
        grant.hints = std::move(*hints);
      else
        grant.uncertain = true;
    }
    matchmaker.lock_granted(std::move(grant), now, {out, orders});
  } else if (auto* order = std::get_if<lock::OrderEngine>(&action)) {
    out.emplace_back(std::move(*order));
  }
}

void MasterCore::Impl::settle(TimePoint now, Actions& out) {
  while (!orders.empty() || !granted.empty()) {
    // All that the locks said comes first: an order may be about a lock granted by then.
    lock::TableActions actions = std::exchange(granted, {});
    std::vector<LockLost> losses;
    for (const lock::TableAction& action : actions) {
      const auto* lost = std::get_if<lock::KeyLost>(&action);
      if (lost != nullptr) losses.push_back({lost->key, lost->reason});
    }
    if (!losses.empty()) matchmaker.locks_lost(losses, now, {out, orders});
    for (lock::TableAction& action : actions) deliver(std::move(action), now, out);
    LockOrders asked = std::exchange(orders, {});
    for (LockOrder& order : asked) perform(std::move(order), now);
  }
}

std::vector<WorkerId> MasterCore::Impl::connected_workers() const {
  std::vector<WorkerId> workers;
  for (const auto& [id, worker] : matchmaker.directory().workers()) workers.push_back(id);
  return workers;
}

void MasterCore::Impl::handle_mesh(const PeerSaid& said, TimePoint now, Actions& out) {
  const bool ours = std::holds_alternative<wire::LockMessage>(said.message) ||
                    std::holds_alternative<wire::MeshHello>(said.message);
  if (!ours) {
    out.emplace_back(ClosePeerLink{said.peer});
    return;
  }
  if (const auto* hello = std::get_if<wire::MeshHello>(&said.message)) {
    matchmaker.expect_workers(hello->workers, now);
  }
  if (!locks.receive(said.peer, said.message, now, granted)) {
    out.emplace_back(ClosePeerLink{said.peer});
  }
}

void MasterCore::Impl::handle(Event&& event, TimePoint now, Actions& out) {
  const Matchmaker::Output output{out, orders};
  std::visit(
      [&](auto& happened) {
        using Happened = std::decay_t<decltype(happened)>;
        if constexpr (std::is_same_v<Happened, MatchRequested>) {
          matchmaker.match_requested(std::move(happened), now, output);
        } else if constexpr (std::is_same_v<Happened, RequestCancelled>) {
          matchmaker.cancelled(happened.ticket, now, output);
        } else if constexpr (std::is_same_v<Happened, WorkerConnected>) {
          matchmaker.worker_connected(happened.worker, happened.incarnation, now, output);
        } else if constexpr (std::is_same_v<Happened, WorkerDisconnected>) {
          matchmaker.worker_disconnected(happened.worker, now, output);
        } else if constexpr (std::is_same_v<Happened, WorkerSaid>) {
          if (const auto* state = std::get_if<wire::WorkerState>(&happened.message)) {
            locks.raise_floor(state->highest_counter);
          }
          matchmaker.worker_said(happened.worker, std::move(happened.message), now, output);
        } else if constexpr (std::is_same_v<Happened, PeerConnected>) {
          locks.connected(happened.peer, connected_workers(), now, granted);
        } else if constexpr (std::is_same_v<Happened, PeerDisconnected>) {
          locks.disconnected(happened.peer, now, granted);
        } else if constexpr (std::is_same_v<Happened, PeerSaid>) {
          handle_mesh(happened, now, out);
        } else if constexpr (std::is_same_v<Happened, EngineSaid>) {
          locks.engine_said(happened.group, happened.reply, now, granted);
        } else if constexpr (std::is_same_v<Happened, EngineReady>) {
          locks.engine_ready(happened.ready);
        } else {
          static_assert(std::is_same_v<Happened, TimePassed>);
          locks.tick(now, granted);
          matchmaker.set_joined(locks.joined());
          settle(now, out);
          matchmaker.time_passed(now, output);
        }
      },
      event);
}

MasterCore::MasterCore(MasterOptions options, TimePoint now)
    : impl_(std::make_unique<Impl>(options, now)) {}
MasterCore::~MasterCore() = default;
MasterCore::MasterCore(MasterCore&&) noexcept = default;
MasterCore& MasterCore::operator=(MasterCore&&) noexcept = default;

void MasterCore::step(Event&& event, TimePoint now, Actions& out) {
  impl_->handle(std::move(event), now, out);
  impl_->matchmaker.set_joined(impl_->locks.joined());
  impl_->settle(now, out);
}

TimePoint MasterCore::next_tick() const {
  return std::min(impl_->locks.next_tick(), impl_->matchmaker.next_tick());
}

void MasterCore::stop(TimePoint now, Actions& out) {
  impl_->matchmaker.stop(now, {out, impl_->orders});
  impl_->settle(now, out);
}

bool MasterCore::joined() const {
  return impl_->locks.joined() && !impl_->matchmaker.awaits_workers();
}
std::size_t MasterCore::waiting() const {
  return impl_->matchmaker.waiting();
}
const Directory& MasterCore::directory() const {
  return impl_->matchmaker.directory();
}
DirectoryNews MasterCore::take_news() {
  return impl_->matchmaker.take_news();
}
const lock::LockTable& MasterCore::locks() const {
  return impl_->locks;
}
const MasterCounters& MasterCore::counters() const {
  return impl_->matchmaker.counters();
}

}  // namespace fixkeep::master
