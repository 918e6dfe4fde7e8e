#include "master/core/master_core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "master/core/parts.hpp"

namespace fixkeep::master {
namespace {

constexpr std::size_t least_awake = 16;
// Limit on groups that one event wakes. The next tick is due immediately and wakes more groups. If
// no worker can start its room, a group falls asleep again and the next group can try.
constexpr std::size_t most_woken = 1024;
// Period of ticks while workers are awaited. If none is awaited, it is half a `long_pause`. A late
// tick shows how long this master was held up. Without these ticks, a master that is held up while
// nothing else is due would not notice it.
constexpr Duration beat = std::chrono::milliseconds{100};
// A master that was held up for this long may have lost its links by that.
constexpr Duration long_pause = std::chrono::seconds{1};

}  // namespace

struct MasterCore::Impl : MasterParts {
  Impl(const MasterOptions& chosen, LockOrders* outside, TimePoint now)
      : MasterParts(chosen, now),
        keeps_locks(outside == nullptr),
        orders(keeps_locks ? own_orders : *outside) {
    keep_beat(now);
    if (!keeps_locks) requests.set_unjoined({});
  }

  void on(MatchRequested&& event, Step& step);
  void on(RequestCancelled&& event, Step& step) {
    requests.cancel(event.ticket, step);
    finish(step);
  }
  void on(WhyAsked&& event, Step& step);
  void on(SeatsLeft&& event, Step& step) {
    seating.seats_left(event, step.now);
    leaves.left(std::move(event), step);
    finish(step);
  }
  void on(WorkerConnected&& event, Step& step) {
    links.connected(event.worker, event.incarnation, step);
    finish(step);
  }
  void on(WorkerDisconnected&& event, Step& step) {
    links.disconnected(event.worker, step);
    finish(step);
  }
  void on(WorkerSaid&& event, Step& step);
  void on(PeerConnected&& event, Step& step);
  void on(PeerDisconnected&& event, Step& step);
  void on(PeerSaid&& event, Step& step);
  void on(EngineSaid&& event, Step& step) {
    locks.engine_said(event.group, event.reply, step.now, said);
  }
  void on(EngineReady&& event, Step&) { locks.engine_ready(event.ready); }
  void on(MastersListed&& event, Step& step);
  void on(ModesRead&& event, Step& step);
  void on(TimePassed&& event, Step& step);

  // Calls change(step). Then sends the orders to the locks and records the actions.
  void run(TimePoint now, Actions& out, auto change) {
    noted = out.size();
    Step step{now, out, orders};
    change(step);
    exchange(step);
    note_actions(out);
  }

  // Runs the groups that the event has marked, then the groups that these groups mark, until no
  // mark is left.
  void finish(Step& step) {
    std::size_t checks = Seating::most_checks;
    std::size_t wakes = most_woken;
    wake(wakes);
    seating.check_parked(checks, step);
    do {
      groups.run_marked([&](Group& group) {
        do {
          if (seat_requests.ask_rooms(group, step)) holds.seats_asked(group, step);
          warm.look_at(group, step.now);
        } while (holds.advance(group, step));
        if (group.is_pool() && group.unused()) pools.forget(group.key);
      });
    } while (seating.check_parked(checks, step) || warm.look(step.now) || wake(wakes));
    go_on_at = wakes == 0 ? step.now : TimePoint::max();
    keep_beat(step.now);
  }

  void keep_beat(TimePoint now) {
    const bool waits = out_of_sight.any() || awaited.any();  // workers are awaited
    const bool alone = !waits && directory.workers().empty();
    const TimePoint next = now + (waits ? beat : long_pause / 2);
    beats_at = alone ? TimePoint::max() : std::min(beats_at, next);
  }

  // Wakes sleeping groups until as many groups wait for their lock or have it as rooms can start.
  // At least `least_awake` groups may wait for locks, because some of them find seats in existing
  // rooms. Wakes at most `left` groups, and reduces `left` by their number.
  bool wake(std::size_t& left) {
    if (!groups.anybody_sleeps()) return false;
    const std::size_t most = std::max(directory.startable_rooms(), least_awake);
    const std::size_t woken = groups.wake(directory.capacity_generation(),
                                          std::min(left, most - std::min(most, groups.trying())));
    left -= woken;
    return woken > 0;
  }

  // Sends orders to the locks and their results to the groups until no orders and no results are
  // left.
  void exchange(Step& step);
  void perform(AcquireLock&& order, TimePoint now) { locks.acquire(order.group, now, said); }
  void perform(AbandonLock&& order, TimePoint now) { locks.abandon(order.group, now, said); }
  void perform(ReleaseLock&& order, TimePoint now) {
    locks.release(order.group, order.highest, value_of(order), now, said);
  }
  void deliver(lock::SendToPeer&& action, Step& step) {
    step.out.emplace_back(SendToPeer{action.to, std::move(action.message)});
  }
  void deliver(lock::KeyGranted&& action, Step& step) {
    granted(grant_of(std::move(action)), step);
  }
  void deliver(lock::KeyLost&&, Step&) {}  // exchange() reports all losses together
  void deliver(lock::OrderEngine&& action, Step& step) { step.out.emplace_back(std::move(action)); }
  void granted(LockGranted&& grant, Step& step);
  void lost(const std::vector<LockLost>& losses, Step& step);

  void note_joined() {
    if (!keeps_locks) return;
    std::optional<Refusal> reason;
    if (!locks.joined()) reason = Refusal::not_joined;
    if (locks.awaits_server()) reason = Refusal::lock_unavailable;
    requests.set_unjoined(reason);
  }
  // Records the actions that are not recorded yet.
  void note_actions(const Actions& out) { recorder.done(out, std::exchange(noted, out.size())); }
  void tell_modes(Step& step, MasterId peer) const {
    step.out.emplace_back(SendToPeer{peer, wire::ModesKnown{modes.last_read()}});
  }
  void agree_on_modes(Step& step);
  // Sets this master's rank among the connected masters. By rank, masters take turns with work that
  // one master does for all masters.
  void note_peers() {
    const auto before = std::distance(peers.begin(), peers.lower_bound(options.self));
    warm.set_rank(static_cast<std::uint32_t>(before));
  }
  // `workers` have a link to another master. Awaits the workers that this master does not know. No
  // room is ordered until these workers are known or the join grace has passed.
  void expect_workers(const std::vector<WorkerId>& workers, TimePoint now) {
    for (const WorkerId& worker : workers) {
      const bool missing = directory.find(worker) == nullptr && !quarantine.apart(worker);
      if (missing) awaited.named_by_peer(worker, now);
    }
  }

  const bool keeps_locks;                    // false: the driver keeps the locks
  LockOrders own_orders;                     // orders to `locks`
  LockOrders& orders;                        // orders to the keeper of the locks
  lock::TableActions said;                   // actions of `locks`
  std::size_t noted = 0;                     // number of noted actions in this step
  Duration late_by{};                        // sum of held_up() since the last tick
  TimePoint blameless_until{};               // links that break before this time are not counted
  bool may_wait = true;                      // a wait for late workers is allowed
  TimePoint may_wait_at = TimePoint::min();  // next permission; max() until the tick after the wait
  TimePoint hears_since = TimePoint::max();  // time of a late tick
  TimePoint go_on_at = TimePoint::max();
  TimePoint beats_at = TimePoint::max();  // max(): this master has no workers
};

// --- between the groups and their locks ----------------------------------------------------------

void MasterCore::Impl::granted(LockGranted&& grant, Step& step) {
  step.out.emplace_back(LockTaken{grant.group, grant.token});
  note_actions(step.out);
  holds.granted(std::move(grant), step);
  finish(step);
}

void MasterCore::Impl::lost(const std::vector<LockLost>& losses, Step& step) {
  for (const LockLost& loss : losses) recorder.lost(loss.group);
  for (const LockLost& loss : losses) holds.lost(loss.group, loss.reason, step);
  finish(step);
}

void MasterCore::Impl::exchange(Step& step) {
  while (keeps_locks && (!orders.empty() || !said.empty())) {
    // Results are delivered before orders: an order may need a lock that was just granted.
    lock::TableActions actions = std::exchange(said, {});
    std::vector<LockLost> losses;
    for (const lock::TableAction& action : actions) {
      const auto* gone = std::get_if<lock::KeyLost>(&action);
      if (gone != nullptr) losses.push_back({gone->key, gone->reason});
    }
    if (!losses.empty()) lost(losses, step);
    for (lock::TableAction& action : actions) {
      std::visit([&](auto& what) { deliver(std::move(what), step); }, action);
    }
    for (LockOrder& order : std::exchange(orders, {})) {
      note_actions(step.out);  // order events come before the release of the lock
      recorder.note(order);
      std::visit([&](auto& what) { perform(std::move(what), step.now); }, order);
    }
  }
}

// --- events --------------------------------------------------------------------------------------

void MasterCore::Impl::on(MatchRequested&& event, Step& step) {
  const auto claim = requests.admit(std::move(event), step);
  if (claim) seating.place(*claim, step);
  finish(step);
}

void MasterCore::Impl::on(WhyAsked&& event, Step& step) {
  const auto claim = requests.claim_of(event.ticket);
  if (!claim) return;
  lending.asked(*claim, step);
  finish(step);
}

void MasterCore::Impl::on(WorkerSaid&& event, Step& step) {
  if (const auto* state = std::get_if<wire::WorkerState>(&event.message)) {
    locks.raise_floor(state->highest_counter);
  }
  links.said(event.worker, std::move(event.message), step);
  finish(step);
}

void MasterCore::Impl::on(PeerConnected&& event, Step& step) {
  std::vector<WorkerId> workers;
  for (const auto& [id, worker] : directory.workers()) workers.push_back(id);
  locks.connected(event.peer, workers, step.now, said);
  peers.insert(event.peer);
  note_peers();
  if (modes.connected(event.peer)) tell_modes(step, event.peer);
  pools.peer_up(event.peer, step);
  if (pools.any()) finish(step);
}

void MasterCore::Impl::on(PeerDisconnected&& event, Step& step) {
  locks.disconnected(event.peer, step.now, said);
  peers.erase(event.peer);
  note_peers();
  modes.disconnected(event.peer, step.now);
  pools.peer_down(event.peer, step);
  if (pools.any()) finish(step);
}

void MasterCore::Impl::on(PeerSaid&& event, Step& step) {
  if (auto* pool = std::get_if<wire::PoolMessage>(&event.message)) {
    pools.said(event.peer, std::move(*pool), step);
    finish(step);
    return;
  }
  if (const auto* const known = std::get_if<wire::ModesKnown>(&event.message)) {
    if (modes.said(event.peer, known->hash)) tell_modes(step, event.peer);
    return agree_on_modes(step);
  }
  const auto& message = std::get<lock::MeshMessage>(event.message);
  if (const auto* hello = std::get_if<lock::MeshHello>(&message)) {
    expect_workers(hello->workers, step.now);
  }
  if (!locks.receive(event.peer, message, step.now, said)) {
    step.out.emplace_back(ClosePeerLink{event.peer});
  }
}

void MasterCore::Impl::on(MastersListed&& event, Step& step) {
  locks.list(event.others, step.now, said);
  const auto& others = event.others;
  std::erase_if(peers, [&](MasterId peer) {
    return std::find(others.begin(), others.end(), peer) == others.end();
  });
  note_peers();
  modes.list(others);
  agree_on_modes(step);
}

void MasterCore::Impl::on(ModesRead&& event, Step& step) {
  modes_read = std::move(event.modes);
  if (!modes.read(modes_read.hash)) return;
  for (const MasterId peer : peers) tell_modes(step, peer);
  agree_on_modes(step);
}

void MasterCore::Impl::agree_on_modes(Step& step) {
  if (!modes.take_effect(step.now)) return;
  const CoreModes before = std::exchange(options.modes, modes_read);
  warm.renew(options.modes.warm);
  pools.renew_shadows(before.shadows);
  for (const auto& [id, worker] : directory.workers()) {
    if (worker.known) step.out.emplace_back(SendToWorker{id, warm.keep_warm()});
  }
  step.out.emplace_back(ModesInEffect{});
  finish(step);
}

void MasterCore::Impl::on(TimePassed&&, Step& step) {
  const TimePoint now = step.now;
  locks.tick(now, said);
  note_joined();
  exchange(step);
  const bool late = late_by > Duration{0};
  // The workers have closed their links, but this master reads it only after what they sent before.
  if (std::exchange(late_by, Duration{}) >= long_pause) blameless_until = now + long_pause;
  links.set_own_fault(late || now < blameless_until);
  if (may_wait_at == TimePoint::max()) may_wait_at = now + 2 * options.worker_reply;
  if (!late && now >= may_wait_at) may_wait = true;
  if (beats_at <= now) beats_at = TimePoint::max();  // finish() sets the next
  awaited.time_passed(now);
  requests.expire(step);
  // After a late tick the master first reads the messages that have arrived. It gives up workers
  // only at the following tick, which is due immediately. `heard`: this tick is such a following
  // tick. It gives up workers even if it is late, too.
  const bool heard = hears_since != TimePoint::max();
  hears_since = late && !heard ? now : TimePoint::max();
  if (!late || heard) links.expire(step);
  groups.mark_due(now);
  agree_on_modes(step);
  finish(step);
}

// --- what drivers call ---------------------------------------------------------------------------

MasterCore::MasterCore(const MasterOptions& options, TimePoint now)
    : impl_(std::make_unique<Impl>(options, nullptr, now)) {}
MasterCore::MasterCore(const MasterOptions& options, LockOrders& locks, TimePoint now)
    : impl_(std::make_unique<Impl>(options, &locks, now)) {}
MasterCore::~MasterCore() = default;
MasterCore::MasterCore(MasterCore&&) noexcept = default;
MasterCore& MasterCore::operator=(MasterCore&&) noexcept = default;

void MasterCore::step(Event&& event, TimePoint now, Actions& out) {
  impl_->recorder.happened(event);
  impl_->run(now, out, [&](Step& step) {
    std::visit([&](auto& happened) { impl_->on(std::move(happened), step); }, event);
    impl_->note_joined();
  });
}

void MasterCore::granted(LockGranted&& grant, TimePoint now, Actions& out) {
  impl_->run(now, out, [&](Step& step) { impl_->granted(std::move(grant), step); });
}

void MasterCore::lost(const std::vector<LockLost>& losses, TimePoint now, Actions& out) {
  impl_->run(now, out, [&](Step& step) { impl_->lost(losses, step); });
}

void MasterCore::stop(TimePoint now, Actions& out) {
  impl_->run(now, out, [&](Step& step) {
    impl_->requests.stop(step);
    impl_->leaves.stop(step);
    impl_->holds.stop(step);
    impl_->finish(step);
  });
}

// Workers on the same machine may have been held up too, so the master waits for them. After such a
// wait, a second wait is not allowed for a while: otherwise a master that is often late would only
// wait.
void MasterCore::held_up(Duration late) {
  impl_->late_by += late;
  impl_->links.set_own_fault(true);
  const bool waits = std::exchange(impl_->may_wait, false);
  if (waits) impl_->may_wait_at = TimePoint::max();
  const Duration with_workers = late + (waits ? impl_->options.worker_reply : Duration{});
  impl_->questions.held_up(with_workers);
  impl_->claims.held_up(with_workers);
  impl_->awaited.held_up(late, with_workers);
  impl_->holds.held_up(late);
  impl_->out_of_sight.held_up(late);
}

bool MasterCore::take_pool_work() {
  return impl_->pools.pace().take_worked();
}
void MasterCore::pool_work_took(Duration took, TimePoint now) {
  impl_->pools.pace().worked(took, now);
}

TimePoint MasterCore::next_tick() const {
  return std::min({impl_->locks.next_tick(), impl_->go_on_at, impl_->hears_since, impl_->beats_at,
                   impl_->requests.next_deadline(), impl_->questions.next_expiry(),
                   impl_->groups.next_mark(), impl_->claims.next_check(),
                   impl_->awaited.next_tick(), impl_->links.next_tick(), impl_->warm.next_tick(),
                   impl_->modes.next_tick()});
}

bool MasterCore::joined() const {
  return impl_->locks.joined() && !impl_->awaited.just_started();
}
std::size_t MasterCore::waiting() const {
  return impl_->requests.waiting();
}
std::optional<WaitingGroup> MasterCore::waits_for(TicketId ticket) const {
  return impl_->requests.waits_for(ticket);
}
std::optional<WhyWaits> MasterCore::why(TicketId ticket) const {
  return impl_->requests.why(ticket);
}
std::optional<PoolClaim> MasterCore::pool_claim(TicketId ticket) const {
  return impl_->requests.pool_claim(ticket);
}
std::size_t MasterCore::groups() const {
  return impl_->groups.size();
}
std::uint64_t MasterCore::claim_looks() const {
  return impl_->claims.looks();
}
events::KeptBack MasterCore::kept_back(const GroupKey& group) const {
  return impl_->recorder.kept_back(group);
}
MatchState MasterCore::match(const GroupKey& group, TimePoint now) const {
  const Group* waits = impl_->groups.find(group);
  const Room* room = room_of_match(impl_->directory, group);
  return {room,
          room == nullptr && impl_->seating.has_ended(group),
          impl_->seating.mode_of_ended(group),
          impl_->out_of_sight.any_of(group, now),
          impl_->results.of_match(group),
          waits != nullptr && waits->standing->no_capacity};
}
const Directory& MasterCore::directory() const {
  return impl_->directory;
}
std::vector<Quarantine::Stay> MasterCore::quarantined() const {
  return impl_->quarantine.stays();
}
DirectoryNews MasterCore::take_news() {
  return impl_->directory.take_news();
}
void MasterCore::record_events(bool wanted) {
  impl_->recorder.listen(wanted);
}
events::Happenings MasterCore::take_events() {
  return impl_->recorder.take();
}
const ModesAgreement& MasterCore::modes() const {
  return impl_->modes;
}
const lock::LockTable& MasterCore::locks() const {
  return impl_->locks;
}
const MasterCounters& MasterCore::counters() const {
  return impl_->counters;
}

}  // namespace fixkeep::master
