#include "master/core/pools/loans.hpp"

namespace fixkeep::master {

std::optional<Loans::Claims> Loans::lend(FencingToken hold, MasterId holder, TimePoint now) {
  FencingToken& newest = newest_[holder];
  if (hold <= newest) return std::nullopt;
  newest = hold;
  Claims lent;
  for (auto& [id, loan] : claims_) {
    if (loan && now < loan->until) continue;
    loan = Loan{hold, holder, now + longest};
    lent.push_back(id);
  }
  return lent;
}

bool Loans::seated(FencingToken hold, TicketId id) {
  const auto at = claims_.find(id);
  if (at == claims_.end() || !at->second || at->second->hold != hold) return false;
  claims_.erase(at);
  return true;
}

template <class Ends>
Loans::Claims Loans::end(Ends ends) {
  Claims ended;
  for (auto& [id, loan] : claims_) {
    if (!loan || !ends(*loan)) continue;
    loan.reset();
    ended.push_back(id);
  }
  return ended;
}

Loans::Claims Loans::close(FencingToken hold) {
  return end([&](const Loan& loan) { return loan.hold == hold; });
}

Loans::Claims Loans::link_broke(MasterId holder) {
  newest_.erase(holder);
  return end([&](const Loan& loan) { return loan.holder == holder; });
}

bool Loans::lent(TicketId id) const {
  const auto at = claims_.find(id);
  return at != claims_.end() && at->second.has_value();
}

}  // namespace fixkeep::master
