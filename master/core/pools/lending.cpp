#include "master/core/pools/lending.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "master/core/pools/explanations.hpp"
#include "master/core/seam/each_player.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {
namespace {

constexpr std::size_t beside_claim = 192;  // limit on a LentClaim's bytes without its claim

bool is_overdue(TimePoint lent_at, TimePoint now) {
  return now >= lent_at + Loans::longest;
}

}  // namespace

bool Lending::Pool::overdue(TimePoint now) const {
  return std::any_of(lent_at.begin(), lent_at.end(),
                     [&](const auto& each) { return is_overdue(each.second, now); });
}

// --- messages from a holder ----------------------------------------------------------------------

std::vector<wire::ClaimsPart> Lending::lend(const wire::Gather& gather, MasterId holder,
                                            TimePoint now) {
  std::vector<wire::ClaimsPart> parts{{gather.pool, gather.hold, 0, true, {}}};
  Group* group = groups_.find(gather.pool);
  if (group == nullptr || !group->is_pool()) return parts;
  Pool& pool = pools_[gather.pool];
  for (const ClaimNumber number : group->claims->queue.in_order()) pool.loans.add(TicketId{number});
  const auto lent = pool.loans.lend(gather.hold, holder, now);
  if (!lent) {
    for (const ClaimNumber each : group->claims->queue.in_order())
      pool.loans.remove(TicketId{each});
    // Nothing was lent. The waiting claims count as planned until `pace` is over. Otherwise the
    // pool would be due, and this group would acquire the lock again immediately.
    pool.planned_inserts = group->claims->queue.inserts();
    look_again(pool, *group, now + pace);
    return parts;
  }
  std::erase_if(pool.lent_at, [&](const auto& each) { return is_overdue(each.second, now); });
  pool.lent_at[gather.hold] = now;
  groups_.mark_at(now + Loans::longest, *group);
  pool.planned_inserts = group->claims->queue.inserts();
  pool.seat_freed = false;
  pool.again_at = TimePoint::max();
  std::map<TicketId, std::uint32_t> passed;
  std::size_t bytes = 0;
  std::size_t untold = 0;
  for (const TicketId id : *lent) {
    Waiting& waiting = claims_.at(id.number());
    const std::size_t more = bytes_of(waiting.claim) + beside_claim;
    if (parts.back().claims.size() == wire::limits::lent_claims || bytes + more > message_bytes) {
      parts.back().last = false;
      parts.push_back({gather.pool, gather.hold, parts.back().index + 1, true, {}});
      bytes = 0;
    }
    bytes += more;
    const auto before = pool.passed.find(id);
    if (before != pool.passed.end()) passed.insert(*before);
    parts.back().claims.push_back(
        {id.number(), waiting.claim,
         std::chrono::duration_cast<std::chrono::milliseconds>(now - waiting.askers->since),
         before == pool.passed.end() ? 0 : before->second, waiting.seats->avoid,
         std::exchange(waiting.told.change().asked, false) ||
             (waiting.told->why == nullptr && untold++ < told_unasked)});
    claims_.lend(id.number());
  }
  pool.passed = std::move(passed);
  groups_.mark(*group);  // the group may no longer need its lock
  return parts;
}

void Lending::seated(const wire::ClaimsSeated& seated, Step& step) {
  const auto at = pools_.find(seated.pool);
  for (std::size_t i = 0; i < seated.claims.size(); ++i) {
    const std::uint64_t number = seated.claims[i];
    const bool counts = claims_.find(number) != nullptr && at != pools_.end() &&
                        at->second.loans.seated(seated.hold, TicketId{number});
    if (!counts) {
      give_back(number, seated, step);
      continue;
    }
    broken_.erase({seated.hold.master, number});  // a holder repeats its earlier messages first
    const wire::RoomHint hint{seated.room, seated.mode, seated.capacity, 1, std::nullopt};
    // The directory may still show a warm room under this id, or no room. The message then counts
    // as a hint: the room was given to the pool.
    const Room* room = directory_.find(seated.room);
    const bool known =
        (room != nullptr && room->group == seated.pool) || directory_.hint(seated.pool, hint);
    if (known) {
      const Reservation reservation{seated.reservation, at->second.lent_at.at(seated.hold),
                                    seated.granted_at, seated.reserved_for,
                                    seated.teams.empty() ? 0 : seated.teams[i]};
      seating_.reserved(number, seated.room, reservation, true, step);
    } else {
      // Gives the seats back, because the room is gone or this master has no link to its worker.
      const Waiting& waiting = claims_.at(number);
      lost_seats_.give_back(seated.room, players_of(waiting.claim), seated.reservation, step);
      seating_.lost(number, step);
    }
  }
}

// Gives back the seats of a claim that is not on loan to the message's hold. If the message is a
// repetition, the claim keeps its seats.
void Lending::give_back(ClaimNumber number, const wire::ClaimsSeated& seated, Step& step) {
  const auto broken = broken_.extract({seated.hold.master, number});
  const Waiting* waiting = claims_.find(number);
  std::vector<PlayerId> players;
  if (waiting != nullptr) {
    if (waiting->seats->reserved.id == seated.reservation) return;
    players = players_of(waiting->claim);
  } else if (!broken.empty()) {
    players = std::move(broken.mapped().players);
  }
  if (!players.empty()) {
    lost_seats_.give_back(seated.room, std::move(players), seated.reservation, step);
  }
}

void Lending::return_all(const Loans::Claims& claims, Step& step) {
  for (const TicketId id : claims) seating_.not_served(id.number(), step);
}

void Lending::closed(const wire::CloseLoan& close, Step& step) {
  const auto at = pools_.find(close.pool);
  Group* group = groups_.find(close.pool);
  if (at == pools_.end() || group == nullptr) return;
  Pool& pool = at->second;
  const auto lent_at = pool.lent_at.extract(close.hold);
  for (const std::uint64_t number : close.passed) {
    if (pool.loans.lent(TicketId{number})) ++pool.passed[TicketId{number}];
  }
  for (const wire::Explained& each : close.explained) {
    if (!pool.loans.lent(TicketId{each.number})) continue;
    Told& told = claims_.at(each.number).told.change();
    told.why = std::make_shared<const wire::Explained>(each);
    told.at = step.now;
  }
  const Loans::Claims waiting = pool.loans.close(close.hold);
  if (waiting.empty()) return;
  for (const TicketId id : waiting) pool.loans.remove(id);
  // Looks for limits that widen after the time of the loan: such a limit may have widened since the
  // holder decided.
  const TimePoint next = close.again ? step.now : widens(*group, waiting, lent_at.mapped());
  pool.again_at = std::min(pool.again_at, std::max(next, step.now + pace));
  const std::uint64_t before = group->claims->queue.inserts();
  return_all(waiting, step);
  pool.planned_inserts += group->claims->queue.inserts() - before;
  groups_.mark(*group);
  if (pool.again_at != TimePoint::max()) groups_.mark_at(pool.again_at, *group);
}

TimePoint Lending::widens(const Group& group, const Loans::Claims& claims, TimePoint now) const {
  TimePoint first = TimePoint::max();
  for (const TicketId id : claims) {
    const TimePoint since = claims_.at(id.number()).askers->since;
    const auto next = plan::next_change(*group.rooms->rules, now - since);
    if (next) first = std::min(first, since + *next);
  }
  return first;
}

void Lending::link_broke(MasterId holder, Step& step) {
  std::erase_if(broken_, [&](const auto& each) { return each.second.until <= step.now; });
  for (auto& [key, pool] : pools_) {
    const Loans::Claims waiting = pool.loans.link_broke(holder);
    for (const TicketId id : waiting) {
      pool.loans.remove(id);
      if (broken_.size() == most_broken) continue;
      broken_[{holder, id.number()}] = {players_of(claims_.at(id.number()).claim),
                                        step.now + ToldSeats::kept};
    }
    std::erase_if(pool.lent_at, [&](const auto& each) { return each.first.master == holder; });
    return_all(waiting, step);
  }
}

void Lending::asked(ClaimNumber number, Step& step) {
  Waiting& waiting = claims_.at(number);
  if (!waiting.group->is_pool()) return;
  waiting.told.change().asked = true;
  const auto at = pools_.find(waiting.group->key);
  const bool fresh = waiting.told->why && step.now < waiting.told->at + explaining_pace;
  if (fresh || at == pools_.end()) return;
  look_again(at->second, *waiting.group, step.now + pace);
}

void Lending::look_again(Pool& pool, Group& group, TimePoint at) {
  pool.again_at = std::min(pool.again_at, at);
  groups_.mark_at(pool.again_at, group);
}

// --- when a pool is due --------------------------------------------------------------------------

bool Lending::due(const Group& group, TimePoint now) const {
  const auto at = pools_.find(group.key);
  if (at != pools_.end() && at->second.overdue(now)) return true;
  if (group.claims->queue.empty()) return false;
  if (at == pools_.end()) return true;
  const Pool& pool = at->second;
  return pool.seat_freed || group.claims->queue.inserts() != pool.planned_inserts ||
         now >= pool.again_at;
}

void Lending::seat_freed(const GroupKey& key) {
  const auto at = pools_.find(key);
  if (at != pools_.end()) at->second.seat_freed = true;
}

}  // namespace fixkeep::master
