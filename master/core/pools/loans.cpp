#include "master/core/pools/loans.hpp"

namespace fixkeep::master {

std::optional<Loans::Lending> Loans::lend(FencingToken hold, MasterId holder) {
  if (hold <= newest_) return std::nullopt;
  newest_ = hold;
  Lending lending;
  for (auto& [id, claim] : claims_) {
    if (claim.loan) continue;
    claim.loan = Loan{hold, holder};
    lending.claims.push_back(id);
    lending.doubtful = lending.doubtful || claim.doubtful;
  }
  return lending;
}

bool Loans::seated(FencingToken hold, TicketId id) {
  const auto at = claims_.find(id);
  if (at == claims_.end() || !at->second.loan || at->second.loan->hold != hold) return false;
  claims_.erase(at);
  return true;
}

void Loans::close(FencingToken hold, bool counted) {
  for (auto& [id, claim] : claims_) {
    if (!claim.loan || claim.loan->hold != hold) continue;
    claim.loan.reset();
    if (counted) claim.doubtful = false;
  }
}

void Loans::link_broke(MasterId holder) {
  for (auto& [id, claim] : claims_) {
    if (claim.loan && claim.loan->holder == holder) claim = {std::nullopt, true};
  }
}

bool Loans::lent(TicketId id) const {
  const auto at = claims_.find(id);
  return at != claims_.end() && at->second.loan.has_value();
}

}  // namespace fixkeep::master
