#include "master/core/matchmaker.hpp"

#include <algorithm>
#include <utility>

#include "master/core/claims/claims.hpp"
#include "master/core/claims/lost_seats.hpp"
#include "master/core/claims/requests.hpp"
#include "master/core/claims/room_budget.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/groups/questions.hpp"
#include "master/core/hold/awaited_workers.hpp"
#include "master/core/links/worker_links.hpp"
#include "master/core/orders/holds.hpp"
#include "master/core/orders/out_of_sight.hpp"
#include "master/core/orders/pool_orders.hpp"
#include "master/core/orders/room_orders.hpp"
#include "master/core/orders/warm_pools.hpp"
#include "master/core/pools/lending.hpp"
#include "master/core/seam/step.hpp"
#include "master/core/seats/seat_need.hpp"
#include "master/core/seats/seat_requests.hpp"
#include "master/core/seats/seating.hpp"

namespace fixkeep::master {

namespace {

constexpr std::size_t least_awake = 16;
// Groups that one event wakes. Those beyond are woken by the next tick, which is due at once: where
// nobody can start their rooms, each falls asleep again and makes way for the next.
constexpr std::size_t most_woken = 1024;
// Ticks while workers are waited for. One that is late tells for how long this master was not
// there; of a sleep that ends before a tick was due it would know nothing.
constexpr Duration beat = std::chrono::milliseconds{100};

}  // namespace

// The parts in the order in which they stand on each other.
struct Matchmaker::Impl {
  Impl(const MatchmakerOptions& chosen, TimePoint now)
      : options(chosen),
        directory(options.placement, PlayerHasher{options.player_key}),
        awaited({options.await_workers, options.join_grace, options.worker_reply}, now),
        out_of_sight(options.out_of_sight),
        groups({options.self, options.hold, options.join_grace}) {
    keep_beat(now);
  }

  // Runs the groups that the event has marked, and those that they mark, until nothing is left.
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
    const bool waits = out_of_sight.any() || awaited.any();  // for workers
    if (!waits) beats_at = TimePoint::max();
    if (waits && beats_at == TimePoint::max()) beats_at = now + beat;
  }

  // Wakes as many groups as rooms could be started for, without those that are about to order some,
  // and a few more, since some of them are served otherwise. `left` is counted off.
  bool wake(std::size_t& left) {
    if (!groups.anybody_sleeps()) return false;
    const std::size_t most = std::max(directory.startable_rooms(), least_awake);
    const std::size_t woken = groups.wake(directory.capacity_generation(),
                                          std::min(left, most - std::min(most, groups.trying())));
    left -= woken;
    return woken > 0;
  }

  const MatchmakerOptions options;
  MasterCounters counters;
  bool was_late = false;                     // with the tick that comes next
  bool may_wait = true;                      // for workers that may have been late too
  TimePoint may_wait_at = TimePoint::min();  // again; max() until the tick after it has waited
  TimePoint hears_since = TimePoint::max();  // a tick that was late
  TimePoint go_on_at = TimePoint::max();
  TimePoint beats_at = TimePoint::max();  // while workers are waited for
  Directory directory;
  AwaitedWorkers awaited;
  OutOfSight out_of_sight;
  Quarantine quarantine;
  GroupTable groups;
  Questions questions;
  Claims claims{groups, PlayerHasher{options.player_key}};
  RoomBudget budget{options.rooms_per_client_per_minute, options.rooms_per_client_burst};
  LostSeats lost_seats{directory, claims};
  Requests requests{options, directory, groups, claims, lost_seats, budget, counters};
  Seating seating{options, directory, groups, claims, requests};
  SeatRequests seat_requests{options, directory, claims, questions, seating, counters};
  SeatNeed need{claims, questions, directory};
  WarmPools warm{options, directory, groups};
  RoomOrders orders{options, directory, groups,   claims, need,
                    warm,    questions, requests, budget, counters};
  Lending lending{directory, groups, claims, seating, lost_seats};
  PoolOrders pools{options, directory, groups,     claims,  questions,
                   orders,  lending,   lost_seats, counters};
  Holds holds{options,      directory, groups,  need,  questions, awaited,
              out_of_sight, orders,    lending, pools, counters};
  WorkerLinks links{options,
                    {directory, groups, claims, questions, awaited, out_of_sight, quarantine,
                     seating, lost_seats, seat_requests, holds, warm, lending, pools, counters}};
};

Matchmaker::Matchmaker(MatchmakerOptions options, TimePoint now)
    : impl_(std::make_unique<Impl>(options, now)) {}
Matchmaker::~Matchmaker() = default;
Matchmaker::Matchmaker(Matchmaker&&) noexcept = default;
Matchmaker& Matchmaker::operator=(Matchmaker&&) noexcept = default;

void Matchmaker::match_requested(MatchRequested&& request, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  const auto claim = impl_->requests.admit(std::move(request), step);
  if (claim) impl_->seating.place(*claim, step);
  impl_->finish(step);
}

void Matchmaker::cancelled(TicketId ticket, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  impl_->requests.cancel(ticket, step);
  impl_->finish(step);
}

void Matchmaker::why_asked(TicketId ticket, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  const auto claim = impl_->requests.claim_of(ticket);
  if (!claim) return;
  impl_->lending.asked(*claim, step);
  impl_->finish(step);
}

void Matchmaker::seat_left(const RoomId& room, const PlayerId& player, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  impl_->seating.seat_left(room, player, step);
  impl_->finish(step);
}

void Matchmaker::worker_connected(const WorkerId& worker, Incarnation incarnation, TimePoint now,
                                  Output out) {
  Step step{now, out.actions, out.locks};
  impl_->links.connected(worker, incarnation, step);
  impl_->finish(step);
}

void Matchmaker::worker_disconnected(const WorkerId& worker, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  impl_->links.disconnected(worker, step);
  impl_->finish(step);
}

void Matchmaker::worker_said(const WorkerId& worker, wire::Report&& report, TimePoint now,
                             Output out) {
  Step step{now, out.actions, out.locks};
  impl_->links.said(worker, std::move(report), step);
  impl_->finish(step);
}

void Matchmaker::peer_connected(MasterId peer, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  impl_->pools.peer_up(peer, step);
  if (impl_->pools.any()) impl_->finish(step);
}

void Matchmaker::peer_disconnected(MasterId peer, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  impl_->pools.peer_down(peer, step);
  if (impl_->pools.any()) impl_->finish(step);
}

void Matchmaker::peer_said(MasterId peer, wire::PoolMessage&& message, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  impl_->pools.said(peer, std::move(message), step);
  impl_->finish(step);
}

void Matchmaker::lock_granted(LockGranted&& grant, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  impl_->holds.granted(std::move(grant), step);
  impl_->finish(step);
}

void Matchmaker::locks_lost(const std::vector<LockLost>& losses, TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  for (const LockLost& loss : losses) impl_->holds.lost(loss.group, loss.reason, step);
  impl_->finish(step);
}

void Matchmaker::time_passed(TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  const bool late = std::exchange(impl_->was_late, false);
  impl_->links.set_own_fault(late);
  if (impl_->may_wait_at == TimePoint::max()) {
    impl_->may_wait_at = now + 2 * impl_->options.worker_reply;
  }
  if (!late && now >= impl_->may_wait_at) impl_->may_wait = true;
  if (impl_->beats_at <= now) impl_->beats_at = now + beat;
  impl_->awaited.time_passed(now);
  impl_->requests.expire(step);
  // After a late tick what has arrived meanwhile is heard before anybody is given up, at a tick
  // that comes at once and may be late itself.
  const bool heard = impl_->hears_since != TimePoint::max();
  impl_->hears_since = late && !heard ? now : TimePoint::max();
  if (!late || heard) impl_->links.expire(step);
  impl_->groups.mark_due(now);
  impl_->finish(step);
}

// Workers with a link may have been held up as well, on the same machine. A master waits for them
// half of the time at most: one that is late again and again must get on.
void Matchmaker::held_up(Duration late) {
  impl_->was_late = true;
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

bool Matchmaker::take_pool_work() {
  return impl_->pools.pace().take_worked();
}
void Matchmaker::pool_work_took(Duration took, TimePoint now) {
  impl_->pools.pace().worked(took, now);
}

void Matchmaker::stop(TimePoint now, Output out) {
  Step step{now, out.actions, out.locks};
  impl_->requests.stop(step);
  impl_->holds.stop(step);
  impl_->finish(step);
}

void Matchmaker::expect_workers(const std::vector<WorkerId>& workers, TimePoint now) {
  for (const WorkerId& worker : workers) {
    const bool missing =
        impl_->directory.find(worker) == nullptr && !impl_->quarantine.apart(worker);
    if (missing) impl_->awaited.named_by_peer(worker, now);
  }
}

bool Matchmaker::awaits_workers() const {
  return impl_->awaited.just_started();
}
void Matchmaker::set_rank(std::uint32_t rank) {
  impl_->warm.set_rank(rank);
}
void Matchmaker::set_unjoined(std::optional<Refusal> reason) {
  impl_->requests.set_unjoined(reason);
}

TimePoint Matchmaker::next_tick() const {
  return std::min({impl_->go_on_at, impl_->hears_since, impl_->beats_at,
                   impl_->requests.next_deadline(), impl_->questions.next_expiry(),
                   impl_->groups.next_mark(), impl_->claims.next_check(),
                   impl_->awaited.next_tick(), impl_->links.next_tick(), impl_->warm.next_tick()});
}

std::size_t Matchmaker::waiting() const {
  return impl_->requests.waiting();
}
std::optional<WaitingGroup> Matchmaker::waits_for(TicketId ticket) const {
  return impl_->requests.waits_for(ticket);
}
std::optional<WhyWaits> Matchmaker::why(TicketId ticket) const {
  return impl_->requests.why(ticket);
}
std::optional<PoolClaim> Matchmaker::pool_claim(TicketId ticket) const {
  return impl_->requests.pool_claim(ticket);
}
std::size_t Matchmaker::groups() const {
  return impl_->groups.size();
}
std::uint64_t Matchmaker::claim_looks() const {
  return impl_->claims.looks();
}
events::KeptBack Matchmaker::kept_back(const GroupKey& key) const {
  const Group* group = impl_->groups.find(key);
  return group == nullptr ? events::KeptBack{} : impl_->need.kept_back(*group);
}
const Directory& Matchmaker::directory() const {
  return impl_->directory;
}
std::vector<Quarantine::Stay> Matchmaker::quarantined() const {
  return impl_->quarantine.stays();
}
DirectoryNews Matchmaker::take_news() {
  return impl_->directory.take_news();
}
const MasterCounters& Matchmaker::counters() const {
  return impl_->counters;
}

}  // namespace fixkeep::master
