#include "master/http/match/company.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/printable.hpp"
#include "common/wire/limits.hpp"
#include "master/rules/plan/brings.hpp"

namespace fixkeep::master {
namespace {

MatchProblem wrong_company(std::string detail) {
  return {"invalid-request", "The match request is not valid", std::move(detail)};
}

constexpr std::uint32_t all_roles = ~0U;

std::string role_names(const plan::Rules& rules, std::uint32_t roles = all_roles) {
  std::string names;
  for (std::size_t r = 0; r < rules.roles.size(); ++r) {
    if ((roles >> r & 1U) != 0) names.append(names.empty() ? "" : ", ").append(rules.roles[r].name);
  }
  return names;
}

// Returns a problem if no team can ever seat the party, which plays in one team. Hall's theorem: a
// team can seat the party if each set of roles has enough seats for the players that play only
// these roles.
std::optional<MatchProblem> too_many_of_a_role(const std::vector<std::uint8_t>& played,
                                               const plan::Rules& rules) {
  for (std::uint32_t set = 1; set < 1U << rules.roles.size(); ++set) {
    std::uint32_t seats = 0;
    for (std::size_t r = 0; r < rules.roles.size(); ++r) {
      if ((set >> r & 1U) != 0) seats += rules.roles[r].seats;
    }
    const auto players = std::count_if(played.begin(), played.end(),
                                       [&](std::uint32_t roles) { return (roles & ~set) == 0; });
    if (players <= seats) continue;
    return wrong_company(
        fmt::format("party_roles: {} of the party play nothing but {}, for which a team has {} {}",
                    players, role_names(rules, set), seats, seats == 1 ? "seat" : "seats"));
  }
  return std::nullopt;
}

// Returns the roles in the list. Returns nothing if the list is missing or empty, or contains
// something that is no role of the mode.
std::optional<std::uint8_t> roles_in(const std::optional<std::vector<PlainValue>>& list,
                                     const plan::Rules& rules) {
  if (!list || list->empty()) return std::nullopt;
  std::uint32_t roles = 0;
  for (const PlainValue& value : *list) {
    const auto* name = std::get_if<std::string>(&value);
    const auto role = std::find_if(rules.roles.begin(), rules.roles.end(), [&](const auto& each) {
      return name != nullptr && each.name == *name;
    });
    if (role == rules.roles.end()) return std::nullopt;
    roles |= 1U << (role - rules.roles.begin());
  }
  return static_cast<std::uint8_t>(roles);
}

void read_party_roles(const MatchMembers& members, const plan::Rules& rules, MatchBody& match,
                      const Complain& complain) {
  if (!members[Member::party_roles]) return;
  const auto& given = members.party_roles;
  bool fine = given && given->size() < wire::limits::party;
  for (std::size_t i = 0; fine && i < given->size(); ++i) {
    const auto& [player, list] = (*given)[i];
    const auto roles = roles_in(list, rules);
    fine = roles.has_value();
    if (fine) match.party_roles[PlayerId{player}] = *roles;
  }
  if (fine) return;
  complain(Member::party_roles,
           fmt::format("must have for each of fewer than {} players a list of one or more of: {}",
                       wire::limits::party, role_names(rules)));
}

void read_avoided(const MatchMembers& members, MatchBody& match, const Complain& complain) {
  const auto& given = members.avoid;
  bool fine = given && given->size() <= plan::avoided_most;
  for (std::size_t i = 0; fine && i < given->size(); ++i) {
    const auto* text = std::get_if<std::string>(&(*given)[i]);
    fine = text != nullptr && !text->empty() && text->size() <= wire::limits::id_bytes &&
           is_printable(*text);
    if (fine) match.avoid.emplace_back(*text);
  }
  if (fine) return;
  complain(Member::avoid,
           fmt::format("must be a list of at most {} player ids", plan::avoided_most));
}

}  // namespace

void refuse_company(const MatchMembers& members, const Mode& mode, const Complain& complain) {
  const bool roles = mode.rules && !mode.rules->roles.empty();
  for (const Member member : {Member::roles, Member::party_roles}) {
    if (roles || !members[member]) continue;
    complain(member, "is not for this mode: it has no roles, as GET /v1/modes says");
  }
  if (members[Member::avoid] && !(mode.rules && mode.rules->avoid)) {
    complain(Member::avoid, "is not for this mode: avoid_most of GET /v1/modes is 0");
  }
}

void read_company(const MatchMembers& members, const plan::Rules& rules, MatchBody& match,
                  const Complain& complain) {
  if (!rules.roles.empty()) {
    const auto own = roles_in(members.roles, rules);
    if (!own) complain(Member::roles, "must be a list of one or more of: " + role_names(rules));
    match.brings.roles = own.value_or(0);
    read_party_roles(members, rules, match, complain);
  }
  if (rules.avoid && members[Member::avoid]) read_avoided(members, match, complain);
}

std::optional<MatchProblem> write_brings(MatchBody& body) {
  wire::Claim& claim = body.claim;
  const auto comes = [&](const PlayerId& player) {
    return std::find(claim.party.begin(), claim.party.end(), player) != claim.party.end();
  };
  for (const auto& [player, roles] : body.party_roles) {
    if (comes(player)) continue;
    return wrong_company("party_roles must name players of the party, without the caller");
  }
  for (const PlayerId& player : body.avoid) {
    if (player == claim.player || comes(player)) {
      return wrong_company("avoid must not name the caller or its party");
    }
    body.brings.avoids.push_back(plan::avoidable(player));
  }
  claim.brings = plan::to_text(body.brings, *body.rules);
  std::vector<std::uint8_t> played{body.brings.roles};
  for (const PlayerId& player : claim.party) {
    plan::Brings own = body.brings;
    const auto named = body.party_roles.find(player);
    if (named != body.party_roles.end()) own.roles = named->second;
    played.push_back(own.roles);
    if (!body.party_roles.empty()) claim.party_brings.push_back(plan::to_text(own, *body.rules));
  }
  return too_many_of_a_role(played, *body.rules);
}

}  // namespace fixkeep::master
