#include "master/core/pools/claim_brings.hpp"

#include "common/base/json_text.hpp"
#include "common/wire/limits.hpp"
#include "master/core/directory/teams.hpp"

namespace fixkeep::master {
namespace {

// For example {"rating":1500,"roles":["healer"]}.
std::string attributes_of(const plan::Brings& brings, const plan::Rules& rules) {
  std::string out;
  const auto name = [&](std::string_view text) {
    out += out.empty() ? '{' : ',';
    append_json_text(text, out);
    out += ':';
  };
  for (std::size_t i = 0; i < rules.numbers.size(); ++i) {
    name(rules.numbers[i]);
    out += std::to_string(brings.numbers.at(i));
  }
  if (!rules.roles.empty()) {
    name("roles");
    out += '[';
    for (std::size_t i = 0; i < rules.roles.size(); ++i) {
      if ((brings.roles >> i & 1U) == 0) continue;
      if (out.back() != '[') out += ',';
      append_json_text(rules.roles[i].name, out);
    }
    out += ']';
  }
  if (out.empty()) return out;
  out += '}';
  return out.size() <= wire::limits::player_attributes_bytes ? out : std::string{};
}

}  // namespace

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

std::vector<wire::MatchPlayer> lineup_of(const wire::Claim& claim, const plan::Rules& rules) {
  std::vector<wire::MatchPlayer> lineup;
  const auto add = [&](const PlayerId& player, const std::string& text) {
    const auto brings = plan::parse_brings(text, rules);
    if (!brings) return;
    const std::string team = rules.teams ? team_name(brings->team) : std::string{};
    lineup.push_back({player, team, attributes_of(*brings, rules)});
  };
  add(claim.player, claim.brings);
  for (std::size_t i = 0; i < claim.party.size(); ++i) add(claim.party[i], claim.brought_by(i));
  return lineup;
}

}  // namespace fixkeep::master
