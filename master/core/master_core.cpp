#include "master/core/master_core.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "common/wire/codec.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/matchmaker.hpp"
#include "master/core/recorder.hpp"

namespace fixkeep::master {
namespace {

MatchmakerOptions matchmaker_options(const MasterOptions& options) {
  MatchmakerOptions result;
  result.self = options.self;
  result.incarnation = options.incarnation;
  result.player_key = options.player_key;
  result.placement = options.placement;
  result.worker_reply = options.worker_reply;
  result.hold = options.locks.lease * 3 / 4;
  result.join_grace = options.locks.join_grace;
  result.await_workers = options.await_workers;
  result.out_of_sight = options.out_of_sight;
  result.room_start = options.room_start;
  result.spawn_attempts = options.spawn_attempts;
  result.waiting_requests = options.waiting_requests;
  result.waiting_requests_per_group = options.waiting_requests_per_group;
  result.starting_rooms_per_group = options.starting_rooms_per_group;
  result.starting_rooms_per_client = options.starting_rooms_per_client;
  result.rooms_per_client_per_minute = options.rooms_per_client_per_minute;
  result.rooms_per_client_burst = options.rooms_per_client_burst;
  result.warm = options.warm;
  result.shadows = options.shadows;
  result.alone = lock::find_strategy(options.locks.strategy)->family == lock::Family::none;
  return result;
}

}  // namespace

struct MasterCore::Impl {
  Impl(const MasterOptions& options, TimePoint now)
      : self(options.self),
        locks(options.locks, now),
        matchmaker(matchmaker_options(options), now),
        recorder(options.record_events) {}

  void on(MatchRequested&& event, TimePoint now, Actions& out);
  void on(RequestCancelled&& event, TimePoint now, Actions& out);
  void on(WhyAsked&& event, TimePoint now, Actions& out);
  void on(SeatLeft&& event, TimePoint now, Actions& out);
  void on(WorkerConnected&& event, TimePoint now, Actions& out);
  void on(WorkerDisconnected&& event, TimePoint now, Actions& out);
  void on(WorkerSaid&& event, TimePoint now, Actions& out);
  void on(PeerConnected&& event, TimePoint now, Actions& out);
  void on(PeerDisconnected&& event, TimePoint now, Actions& out);
  void on(PeerSaid&& event, TimePoint now, Actions& out);
  void on(EngineSaid&& event, TimePoint now, Actions& out);
  void on(EngineReady&& event, TimePoint now, Actions& out);
  void on(MastersListed&& event, TimePoint now, Actions& out);
  void on(TimePassed&& event, TimePoint now, Actions& out);

  void note_joined() {
    std::optional<Refusal> reason;
    if (locks.awaits_server()) reason = Refusal::lock_unavailable;
    if (!locks.joined() && !reason) reason = Refusal::not_joined;
    matchmaker.set_unjoined(reason);
  }
  // Notes the actions that have not been noted yet.
  void note_actions(const Actions& out) {
    recorder.done(out, std::exchange(noted, out.size()), matchmaker);
  }
  // Carries orders to the locks and what they say to the matchmaker until both have nothing left.
  void exchange(TimePoint now, Actions& out);
  void perform(AcquireLock&& order, TimePoint now);
  void perform(AbandonLock&& order, TimePoint now);
  void perform(ReleaseLock&& order, TimePoint now);
  void deliver(lock::SendToPeer&& action, TimePoint now, Actions& out);
  void deliver(lock::KeyGranted&& action, TimePoint now, Actions& out);
  void deliver(lock::KeyLost&& action, TimePoint now, Actions& out);
  void deliver(lock::OrderEngine&& action, TimePoint now, Actions& out);

  // Masters take turns by their numbers in what only one of them needs to do.
  void note_peers() {
    matchmaker.set_rank(
        static_cast<std::uint32_t>(std::distance(peers.begin(), peers.lower_bound(self))));
  }

  MasterId self;
  std::set<MasterId> peers;  // that are connected
  lock::LockTable locks;
  Matchmaker matchmaker;
  LockOrders orders;
  lock::TableActions said;  // by the locks
  Recorder recorder;
  std::size_t noted = 0;  // of the actions of this step
};

// --- between the matchmaker and the locks --------------------------------------------------------

void MasterCore::Impl::perform(AcquireLock&& order, TimePoint now) {
  locks.acquire(order.group, now, said);
}

void MasterCore::Impl::perform(AbandonLock&& order, TimePoint now) {
  locks.abandon(order.group, now, said);
}

void MasterCore::Impl::perform(ReleaseLock&& order, TimePoint now) {
  lock::LockValue value;
  value.stamp = order.stamp;
  value.fence = order.fence;
  value.uncertain = order.uncertain;
  value.bytes = wire::encode_hints(order.hints);
  locks.release(order.group, order.highest, std::move(value), now, said);
}

void MasterCore::Impl::deliver(lock::SendToPeer&& action, TimePoint, Actions& out) {
  out.emplace_back(SendToPeer{action.to, std::move(action.message)});
}

void MasterCore::Impl::deliver(lock::KeyGranted&& action, TimePoint now, Actions& out) {
  LockGranted grant;
  grant.group = std::move(action.key);
  grant.token = action.token;
  grant.fence = action.value.fence;
  grant.needs_fence = action.needs_fence;
  grant.uncertain = action.value.uncertain;
  if (!action.value.bytes.empty()) {
    // A value that cannot be read tells nothing about the rooms that its writer made.
    auto hints = wire::decode_hints(action.value.bytes);
    if (hints) {
      grant.hints = std::move(*hints);
    } else {
      grant.uncertain = true;
    }
  }
  for (const std::string& bytes : action.earlier) {
    auto hints = wire::decode_hints(bytes);
    if (!hints) {
      grant.uncertain = true;
      continue;
    }
    grant.earlier.insert(grant.earlier.end(), std::make_move_iterator(hints->begin()),
                         std::make_move_iterator(hints->end()));
  }
  out.emplace_back(LockTaken{grant.group, grant.token});
  note_actions(out);
  matchmaker.lock_granted(std::move(grant), now, {out, orders});
}

// exchange() tells of all losses together.
void MasterCore::Impl::deliver(lock::KeyLost&&, TimePoint, Actions&) {}

void MasterCore::Impl::deliver(lock::OrderEngine&& action, TimePoint, Actions& out) {
  out.emplace_back(std::move(action));
}

void MasterCore::Impl::exchange(TimePoint now, Actions& out) {
  while (!orders.empty() || !said.empty()) {
    // All that the locks said comes first: an order may be about a lock granted by then.
    lock::TableActions actions = std::exchange(said, {});
    std::vector<LockLost> losses;
    for (const lock::TableAction& action : actions) {
      const auto* lost = std::get_if<lock::KeyLost>(&action);
      if (lost == nullptr) continue;
      recorder.lost(lost->key);
      losses.push_back({lost->key, lost->reason});
    }
    if (!losses.empty()) matchmaker.locks_lost(losses, now, {out, orders});
    for (lock::TableAction& action : actions) {
      std::visit([&](auto& what) { deliver(std::move(what), now, out); }, action);
    }
    for (LockOrder& order : std::exchange(orders, {})) {
      note_actions(out);  // rooms are ordered before the lock is left
      recorder.note(order);
      std::visit([&](auto& what) { perform(std::move(what), now); }, order);
    }
  }
}

// --- events --------------------------------------------------------------------------------------

void MasterCore::Impl::on(MatchRequested&& event, TimePoint now, Actions& out) {
  matchmaker.match_requested(std::move(event), now, {out, orders});
}

void MasterCore::Impl::on(RequestCancelled&& event, TimePoint now, Actions& out) {
  matchmaker.cancelled(event.ticket, now, {out, orders});
}

void MasterCore::Impl::on(WhyAsked&& event, TimePoint now, Actions& out) {
  matchmaker.why_asked(event.ticket, now, {out, orders});
}

void MasterCore::Impl::on(SeatLeft&& event, TimePoint now, Actions& out) {
  matchmaker.seat_left(event.room, event.player, now, {out, orders});
}

void MasterCore::Impl::on(WorkerConnected&& event, TimePoint now, Actions& out) {
  matchmaker.worker_connected(event.worker, event.incarnation, now, {out, orders});
}

void MasterCore::Impl::on(WorkerDisconnected&& event, TimePoint now, Actions& out) {
  matchmaker.worker_disconnected(event.worker, now, {out, orders});
}

void MasterCore::Impl::on(WorkerSaid&& event, TimePoint now, Actions& out) {
  if (const auto* state = std::get_if<wire::WorkerState>(&event.message)) {
    locks.raise_floor(state->highest_counter);
  }
  matchmaker.worker_said(event.worker, std::move(event.message), now, {out, orders});
}

void MasterCore::Impl::on(PeerConnected&& event, TimePoint now, Actions& out) {
  std::vector<WorkerId> workers;
  for (const auto& [id, worker] : matchmaker.directory().workers()) workers.push_back(id);
  locks.connected(event.peer, workers, now, said);
  peers.insert(event.peer);
  note_peers();
  matchmaker.peer_connected(event.peer, now, {out, orders});
}

void MasterCore::Impl::on(PeerDisconnected&& event, TimePoint now, Actions& out) {
  locks.disconnected(event.peer, now, said);
  peers.erase(event.peer);
  note_peers();
  matchmaker.peer_disconnected(event.peer, now, {out, orders});
}

void MasterCore::Impl::on(PeerSaid&& event, TimePoint now, Actions& out) {
  if (auto* pool = std::get_if<wire::PoolMessage>(&event.message)) {
    matchmaker.peer_said(event.peer, std::move(*pool), now, {out, orders});
    return;
  }
  const auto& message = std::get<lock::MeshMessage>(event.message);
  if (const auto* hello = std::get_if<lock::MeshHello>(&message)) {
    matchmaker.expect_workers(hello->workers, now);
  }
  if (!locks.receive(event.peer, message, now, said)) {
    out.emplace_back(ClosePeerLink{event.peer});
  }
}

void MasterCore::Impl::on(EngineSaid&& event, TimePoint now, Actions&) {
  locks.engine_said(event.group, event.reply, now, said);
}

void MasterCore::Impl::on(EngineReady&& event, TimePoint, Actions&) {
  locks.engine_ready(event.ready);
}

void MasterCore::Impl::on(MastersListed&& event, TimePoint now, Actions&) {
  locks.list(event.others, now, said);
  const auto& others = event.others;
  std::erase_if(peers, [&](MasterId peer) {
    return std::find(others.begin(), others.end(), peer) == others.end();
  });
  note_peers();
}

void MasterCore::Impl::on(TimePassed&&, TimePoint now, Actions& out) {
  locks.tick(now, said);
  note_joined();
  exchange(now, out);
  matchmaker.time_passed(now, {out, orders});
}

MasterCore::MasterCore(MasterOptions options, TimePoint now)
    : impl_(std::make_unique<Impl>(options, now)) {}
MasterCore::~MasterCore() = default;
MasterCore::MasterCore(MasterCore&&) noexcept = default;
MasterCore& MasterCore::operator=(MasterCore&&) noexcept = default;

void MasterCore::step(Event&& event, TimePoint now, Actions& out) {
  impl_->noted = out.size();
  impl_->recorder.happened(event);
  std::visit([&](auto& happened) { impl_->on(std::move(happened), now, out); }, event);
  impl_->note_joined();
  impl_->exchange(now, out);
  impl_->note_actions(out);
}

void MasterCore::held_up(Duration late) {
  impl_->matchmaker.held_up(late);
}

TimePoint MasterCore::next_tick() const {
  return std::min(impl_->locks.next_tick(), impl_->matchmaker.next_tick());
}

bool MasterCore::take_pool_work() {
  return impl_->matchmaker.take_pool_work();
}

void MasterCore::pool_work_took(Duration took, TimePoint now) {
  impl_->matchmaker.pool_work_took(took, now);
}

void MasterCore::stop(TimePoint now, Actions& out) {
  impl_->noted = out.size();
  impl_->matchmaker.stop(now, {out, impl_->orders});
  impl_->exchange(now, out);
  impl_->note_actions(out);
}

bool MasterCore::joined() const {
  return impl_->locks.joined() && !impl_->matchmaker.awaits_workers();
}
std::size_t MasterCore::waiting() const {
  return impl_->matchmaker.waiting();
}
std::optional<WaitingGroup> MasterCore::waits_for(TicketId ticket) const {
  return impl_->matchmaker.waits_for(ticket);
}
std::optional<WhyWaits> MasterCore::why(TicketId ticket) const {
  return impl_->matchmaker.why(ticket);
}
std::optional<PoolClaim> MasterCore::pool_claim(TicketId ticket) const {
  return impl_->matchmaker.pool_claim(ticket);
}
std::uint64_t MasterCore::claim_looks() const {
  return impl_->matchmaker.claim_looks();
}
events::KeptBack MasterCore::kept_back(const GroupKey& group) const {
  return impl_->matchmaker.kept_back(group);
}
const Directory& MasterCore::directory() const {
  return impl_->matchmaker.directory();
}
std::vector<Quarantine::Stay> MasterCore::quarantined() const {
  return impl_->matchmaker.quarantined();
}
DirectoryNews MasterCore::take_news() {
  return impl_->matchmaker.take_news();
}
void MasterCore::record_events(bool wanted) {
  impl_->recorder.listen(wanted);
}
events::Happenings MasterCore::take_events() {
  return impl_->recorder.take();
}
const lock::LockTable& MasterCore::locks() const {
  return impl_->locks;
}
const MasterCounters& MasterCore::counters() const {
  return impl_->matchmaker.counters();
}

}  // namespace fixkeep::master
