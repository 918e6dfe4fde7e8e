#include "master/core/matchmaker.hpp"

#include <algorithm>
#include <string>

#include "common/base/assert.hpp"
#include "master/core/matchmaker_internals.hpp"

namespace fixkeep::master {
namespace {

// Requests of one player that may wait at once, each for something else than the others.
constexpr std::size_t most_claims_of_player = 16;

Duration retry_after(Refusal reason) {
  using std::chrono::seconds;
  switch (reason) {
    case Refusal::not_joined: return seconds{1};
    case Refusal::queue_full: return seconds{1};
    case Refusal::no_capacity: return seconds{5};
    case Refusal::boot_failed: return seconds{2};
    case Refusal::too_many_rooms: return seconds{5};
    case Refusal::wait_timeout: return seconds{1};
    case Refusal::lock_timeout: return seconds{1};
    case Refusal::lock_unavailable: return seconds{2};
    case Refusal::party_too_large: return seconds{0};
    case Refusal::already_seated: return seconds{5};
    case Refusal::stopping: return seconds{1};
  }
  return seconds{1};
}

}  // namespace

void Matchmaker::Impl::attach(ClaimNumber number, TicketId ticket, TimePoint deadline) {
  Waiting& waiting = claims_.at(number);
  waiting.tickets.push_back(ticket);
  ++waiting.group->tickets;
  tickets_.add(ticket, number, deadline);
}

void Matchmaker::Impl::match(MatchRequested&& request, Step& step) {
  ++counters_.requested;
  std::optional<Refusal> refusal;
  if (stopping_)
    refusal = Refusal::stopping;
  else if (request.claim.seats() > request.capacity)
    refusal = Refusal::party_too_large;
  else if (tickets_.size() >= options_.waiting_requests)
    refusal = Refusal::queue_full;
  const Group* known = groups_.find(request.group);
  if (!refusal && known != nullptr && known->tickets >= options_.waiting_requests_per_group) {
    refusal = Refusal::queue_full;
  }
  if (claims_.players().claims_of(hash_of(request.claim.player)) >= most_claims_of_player) {
    refusal = Refusal::queue_full;
  }
  if (refusal) {
    ++counters_.refused;
    step.out.emplace_back(Refused{request.ticket, *refusal, retry_after(*refusal)});
    return;
  }
  Group& group = groups_.find_or_make(request.group);
  // A mode's capacity may change with the configuration of a rolling upgrade; claims that wait
  // already must still fit, so while there are any it does not shrink.
  group.mode = std::move(request.mode);
  group.capacity =
      group.members == 0 ? request.capacity : std::max(group.capacity, request.capacity);
  groups_.mark(group);

  const auto waits = claims_.same(group, request.claim);
  if (waits) {
    ++counters_.same_seat_again;
    attach(*waits, request.ticket, request.deadline);
    return;
  }
  const ClaimNumber number = claims_.add(group, std::move(request.claim));
  Waiting& waiting = claims_.at(number);
  waiting.client = std::move(request.client);
  waiting.one_seat_per = request.one_seat_per;
  attach(number, request.ticket, request.deadline);
  place(number, step);
}

void Matchmaker::Impl::drop_ticket(TicketId ticket) {
  Waiting& waiting = claims_.at(tickets_.claim_of(ticket).value());
  std::erase(waiting.tickets, ticket);
  --waiting.group->tickets;
  tickets_.remove(ticket);
}

void Matchmaker::Impl::refuse(TicketId ticket, Refusal reason, Step& step) {
  drop_ticket(ticket);
  ++counters_.refused;
  step.out.emplace_back(Refused{ticket, reason, retry_after(reason)});
}

void Matchmaker::Impl::refuse_claim(ClaimNumber number, Refusal reason, Step& step) {
  const std::vector<TicketId> tickets = claims_.at(number).tickets;
  for (const TicketId ticket : tickets) refuse(ticket, reason, step);
}

void Matchmaker::Impl::withdraw(ClaimNumber number, Step& step) {
  Waiting& waiting = claims_.at(number);
  groups_.mark(*waiting.group);
  switch (waiting.place) {
    case ClaimPlace::asked:
    case ClaimPlace::ordered: return;  // the answer finds nobody, and the seats are given back
    case ClaimPlace::nowhere:
    case ClaimPlace::queued:
    case ClaimPlace::pinned:
    case ClaimPlace::parked: break;
    case ClaimPlace::reserved: release_seats(waiting.room, waiting, step); break;
  }
  claims_.erase(number);
}

void Matchmaker::Impl::cancel(TicketId ticket, Step& step) {
  const auto number = tickets_.claim_of(ticket);
  if (!number) return;
  ++counters_.cancelled;
  drop_ticket(ticket);
  if (claims_.at(*number).tickets.empty()) withdraw(*number, step);
}

Refusal Matchmaker::Impl::reason_of(const Waiting& waiting) const {
  if (waiting.place == ClaimPlace::parked) return Refusal::already_seated;
  if (waiting.boots_failed > 0) return Refusal::boot_failed;
  if (waiting.place == ClaimPlace::reserved) return Refusal::wait_timeout;
  if (!joined_) return Refusal::not_joined;
  if (waiting.group->no_capacity) return Refusal::no_capacity;
  const auto& failed = waiting.group->lock_failed;
  if (!failed) return Refusal::wait_timeout;
  return *failed == lock::LostReason::engine_failure ? Refusal::lock_unavailable
                                                     : Refusal::lock_timeout;
}

void Matchmaker::Impl::expire_tickets(Step& step) {
  while (const TicketId* due = tickets_.due(step.now)) {
    const ClaimNumber number = tickets_.claim_of(*due).value();
    refuse(TicketId{*due}, reason_of(claims_.at(number)), step);
    if (claims_.at(number).tickets.empty()) withdraw(number, step);
  }
}

void Matchmaker::Impl::stop(Step& step) {
  stopping_ = true;
  while (const TicketId* due = tickets_.due(TimePoint::max())) {
    const ClaimNumber number = tickets_.claim_of(*due).value();
    refuse(TicketId{*due}, Refusal::stopping, step);
    if (claims_.at(number).tickets.empty()) withdraw(number, step);
  }
  for (Group* group : groups_.holding()) look(*group, step);
}

void Matchmaker::Impl::finish(Step& step) {
  groups_.wake(directory_.capacity_generation());
  check_parked(step);
  do {
    groups_.run_marked([&](Group& group) {
      place_claims(group, step);
      while (advance(group, step)) place_claims(group, step);
    });
  } while (check_parked(step));
}

// --- the outer shell -----------------------------------------------------------------------------

Matchmaker::Matchmaker(MatchmakerOptions options, TimePoint now)
    : impl_(std::make_unique<Impl>(options, now)) {}
Matchmaker::~Matchmaker() = default;
Matchmaker::Matchmaker(Matchmaker&&) noexcept = default;
Matchmaker& Matchmaker::operator=(Matchmaker&&) noexcept = default;

void Matchmaker::match_requested(MatchRequested&& request, TimePoint now, Output out) {
  Impl::Step step{now, out.actions, out.locks};
  impl_->match(std::move(request), step);
  impl_->finish(step);
}

void Matchmaker::cancelled(TicketId ticket, TimePoint now, Output out) {
  Impl::Step step{now, out.actions, out.locks};
  impl_->cancel(ticket, step);
  impl_->finish(step);
}

void Matchmaker::worker_connected(const WorkerId& worker, Incarnation incarnation, TimePoint now,
                                  Output out) {
  Impl::Step step{now, out.actions, out.locks};
  impl_->worker_up(worker, incarnation, step);
  impl_->finish(step);
}

void Matchmaker::worker_disconnected(const WorkerId& worker, TimePoint now, Output out) {
  Impl::Step step{now, out.actions, out.locks};
  impl_->worker_down(WorkerId{worker}, step);
  impl_->finish(step);
}

void Matchmaker::worker_said(const WorkerId& worker, wire::Message&& message, TimePoint now,
                             Output out) {
  Impl::Step step{now, out.actions, out.locks};
  impl_->worker_said(worker, std::move(message), step);
  impl_->finish(step);
}

void Matchmaker::lock_granted(LockGranted&& grant, TimePoint now, Output out) {
  Impl::Step step{now, out.actions, out.locks};
  impl_->granted(std::move(grant), step);
  impl_->finish(step);
}

void Matchmaker::locks_lost(const std::vector<LockLost>& losses, TimePoint now, Output out) {
  Impl::Step step{now, out.actions, out.locks};
  for (const LockLost& loss : losses) impl_->lost(loss.group, loss.reason, step);
  impl_->finish(step);
}

bool Matchmaker::settled() const {
  return !impl_->awaited_.just_started();
}

void Matchmaker::time_passed(TimePoint now, Output out) {
  Impl::Step step{now, out.actions, out.locks};
  impl_->awaited_.time_passed(now);
  impl_->expire_tickets(step);
  impl_->expire_questions(step);
  impl_->groups_.mark_due(now);
  impl_->finish(step);
}

void Matchmaker::stop(TimePoint now, Output out) {
  Impl::Step step{now, out.actions, out.locks};
  impl_->stop(step);
  impl_->finish(step);
}

void Matchmaker::expect_workers(const std::vector<WorkerId>& workers, TimePoint now) {
  for (const WorkerId& worker : workers) {
    if (impl_->directory_.find(worker) == nullptr) impl_->awaited_.named_by_peer(worker, now);
  }
}

void Matchmaker::set_joined(bool joined) {
  impl_->joined_ = joined;
}

TimePoint Matchmaker::next_tick() const {
  return std::min({impl_->tickets_.next_deadline(), impl_->questions_.next_expiry(),
                   impl_->groups_.next_mark(), impl_->claims_.next_check(),
                   impl_->awaited_.next_tick()});
}

std::size_t Matchmaker::waiting() const {
  return impl_->tickets_.size();
}
std::size_t Matchmaker::groups() const {
  return impl_->groups_.size();
}
const Directory& Matchmaker::directory() const {
  return impl_->directory_;
}
DirectoryNews Matchmaker::take_news() {
  return impl_->directory_.take_news();
}
const MasterCounters& Matchmaker::counters() const {
  return impl_->counters_;
}

}  // namespace fixkeep::master
