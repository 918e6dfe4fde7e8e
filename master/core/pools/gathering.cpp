#include "master/core/pools/gathering.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace fixkeep::master {

void Gathering::begin(FencingToken hold, const std::vector<MasterId>& masters) {
  *this = {};
  hold_ = hold;
  for (const MasterId master : masters) {
    const std::size_t place = answers_.size();
    answers_[master].place = place;
  }
}

bool Gathering::keeps_to_protocol(const Answer& answer, const ClaimsPart& part) const {
  if (answer.whole || part.index != answer.parts) return false;
  if (part.claims.size() > ClaimsPart::part_most) return false;
  std::set<TicketId> ids;
  return std::all_of(part.claims.begin(), part.claims.end(), [&](const LentClaim& claim) {
    const bool fresh = ids.insert(claim.ticket.id).second;
    return fresh && !answer.tickets.contains(claim.ticket.id) && claim.waited >= Duration{0} &&
           !claim.ticket.members.empty();
  });
}

Gathering::Heard Gathering::heard(MasterId from, ClaimsPart&& part, TimePoint now) {
  const auto at = answers_.find(from);
  if (part.hold != hold_ || at == answers_.end()) return Heard::ignored;
  Answer& answer = at->second;
  if (!keeps_to_protocol(answer, part)) return Heard::broken;
  ++answer.parts;
  answer.whole = part.last;
  for (LentClaim& claim : part.claims) {
    if (count_ + 1 >= plan::tickets_most) break;
    const TicketId own = claim.ticket.id;
    const TicketId planned{(answer.place + 1) * plan::tickets_most + answer.tickets.size()};
    claim.ticket.id = planned;
    claim.ticket.since = now - claim.waited;
    lenders_[planned] = {
        from, own, std::move(claim.claim), std::move(claim.avoid), claim.asked, claim.ticket.since};
    answer.tickets.emplace(own, std::move(claim.ticket));
    ++count_;
  }
  return Heard::counted;
}

void Gathering::gone(MasterId master) {
  const auto at = answers_.find(master);
  if (at == answers_.end()) return;
  count_ -= at->second.tickets.size();
  for (const auto& [own, ticket] : at->second.tickets) lenders_.erase(ticket.id);
  answers_.erase(at);
}

void Gathering::give_up_waiting() {
  for (auto at = answers_.begin(); at != answers_.end();) {
    const MasterId master = at->first;
    const bool whole = (at++)->second.whole;
    if (!whole) gone(master);
  }
}

bool Gathering::complete() const {
  return std::all_of(answers_.begin(), answers_.end(),
                     [](const auto& answer) { return answer.second.whole; });
}

bool Gathering::counts(MasterId master) const {
  const auto at = answers_.find(master);
  return at != answers_.end() && at->second.whole;
}

plan::TicketPool Gathering::tickets() const {
  plan::TicketPool pool;
  for (const auto& [master, answer] : answers_) {
    for (const auto& [id, ticket] : answer.tickets) pool.insert(ticket);
  }
  return pool;
}

bool Gathering::anybody_asked() const {
  return std::any_of(lenders_.begin(), lenders_.end(),
                     [](const auto& each) { return each.second.asked; });
}

const Gathering::Lender& Gathering::lender(TicketId planned) const {
  return lenders_.at(planned);
}

plan::Cursor Gathering::cursor(const Lender& earlier) const {
  const auto answer = answers_.find(earlier.master);
  if (answer == answers_.end()) return {earlier.since, TicketId{}};
  const auto at = answer->second.tickets.find(earlier.ticket);
  if (at == answer->second.tickets.end()) return {earlier.since, TicketId{}};
  return {at->second.since, at->second.id};
}

}  // namespace fixkeep::master
