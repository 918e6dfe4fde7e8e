#include "master/core/pools/claim_brings.hpp"

namespace fixkeep::master {

bool add_members(const wire::Claim& claim, const plan::Brings& brings, const plan::Rules& rules,
                 plan::Ticket& ticket) {
  const auto add = [&](const PlayerId& player, const plan::Brings& own) {
    ticket.members.push_back({plan::avoidable(player), own.roles});
    for (std::size_t i = 0; i < rules.numbers.size(); ++i) {
      ticket.sums.at(i) += brings.numbers.at(i);
    }
  };
  add(claim.player, brings);
  for (std::size_t i = 0; i < claim.party.size(); ++i) {
    const auto own = claim.party_brings.empty() ? std::optional{brings}
                                                : plan::parse_brings(claim.party_brings[i], rules);
    if (!own) return false;
    add(claim.party[i], *own);
  }
  return true;
}

std::string seat_text(const std::string& text, const plan::Rules& rules,
                      std::optional<std::uint32_t> team, bool heeds) {
  auto brings = plan::parse_brings(text, rules);
  if (!brings) return text;
  brings->team = team.value_or(brings->team);
  brings->latency_ms.reset();
  if (!heeds) brings->avoids.clear();
  return plan::to_text(*brings, rules);
}

}  // namespace fixkeep::master
