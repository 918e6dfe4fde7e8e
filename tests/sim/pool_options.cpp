// Runs whose groups are pools: limits widen until everybody may play with everybody, and alone.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "master/rules/plan/brings.hpp"
#include "tests/sim/options.hpp"

namespace fixkeep::sim {
namespace {

constexpr std::int64_t ratings = 400;

}  // namespace

namespace {

// Two or three teams of equally many, and in half of the runs of about equal sums.
void draw_teams(Random& random, Options& drawn, master::plan::Rules& rules) {
  master::plan::TeamRule teams;
  teams.count = static_cast<std::uint32_t>(random.between(2, 3));
  teams.size = static_cast<std::uint32_t>(random.between(1, teams.count == 2 ? 3 : 2));
  if (random.chance(0.5)) {
    teams.number = 0;
    teams.difference = random.between(ratings / 8, ratings);
  }
  drawn.capacity = teams.count * teams.size;
  rules.teams = teams;
}

// Two roles, and players who avoid others for a time.
void draw_company(Random random, master::plan::Rules& rules) {
  if (random.chance(0.35)) {
    const std::uint32_t seats = rules.team_size();
    const auto healers = static_cast<std::uint32_t>(random.between(1, seats));
    rules.roles = {{"healer", healers}, {"fighter", std::max(seats - healers, 1U)}};
  }
  if (random.chance(0.35)) {
    rules.avoid = master::plan::AvoidRule{Duration{random.between(500'000, 4'000'000)}};
  }
}

std::uint64_t mixed_of(const PlayerId& player) {
  std::uint64_t mixed = 7;
  for (const char c : player.text()) mixed = mixed * 31 + static_cast<unsigned char>(c);
  return mixed * 0x9e3779b97f4a7c15U;
}

}  // namespace

Options draw_pool_options(std::uint64_t seed) {
  Options drawn = draw_options(seed);
  Random random{seed ^ 0x9001U};
  drawn.follows = 0;  // a request for a room is not for pools yet
  drawn.matches = 0;  // the judges of pools know pools alone
  drawn.no_backfill = 0;
  drawn.groups = static_cast<std::uint32_t>(random.between(1, 2));
  drawn.capacity = static_cast<std::uint32_t>(random.between(2, 8));
  auto rules = std::make_shared<master::plan::Rules>();
  rules->numbers = {"rating"};
  if (random.chance(0.35)) draw_teams(random, drawn, *rules);
  drawn.parties = random.chance(0.5) ? random.unit() * 0.4 : 0;
  const auto widening =
      random.chance(0.3) ? master::plan::Widening::both : master::plan::Widening::older;
  rules->distances = {{0,
                       {{Duration{0}, random.between(0, 60)},
                        {Duration{random.between(200'000, 1'500'000)}, random.between(61, 150)},
                        {Duration{3'000'000}, master::plan::no_limit}},
                       widening}};
  rules->size.most = rules->size.best = drawn.capacity;
  if (random.chance(0.5)) rules->size.best = std::max(drawn.capacity / 2, 1U);
  rules->size.least = 1;
  if (rules->teams) rules->size.least = rules->teams->count;
  if (random.chance(0.2)) {
    rules->size.least = std::max(rules->size.least,
                                 static_cast<std::uint32_t>(random.between(1, rules->size.best)));
  }
  rules->size.best = std::max(rules->size.best, rules->size.least);
  rules->size.after = Duration{random.between(500'000, 4'000'000)};
  rules->party = std::min(rules->team_size(), 4U);
  draw_company(Random{seed ^ 0xc0ffeeU}, *rules);
  drawn.rules = std::move(rules);
  return drawn;
}

std::uint8_t roles_of(const PlayerId& player, bool asks, const master::plan::Rules& rules) {
  const auto all = static_cast<std::uint8_t>((1U << rules.roles.size()) - 1U);
  const std::uint64_t draw = mixed_of(player) >> 20U;
  if (rules.roles.empty() || !asks || draw % 3 == 0) return all;
  return static_cast<std::uint8_t>(1U << draw % rules.roles.size());
}

std::vector<PlayerId> avoided_by(const PlayerId& player) {
  const std::uint64_t draw = mixed_of(player) >> 30U;
  std::vector<PlayerId> avoided;
  for (std::uint64_t i = 0; i < draw % 3; ++i) {
    PlayerId other{"p" + std::to_string((draw >> (5 + 7 * i)) % 24)};
    if (other != player) avoided.push_back(std::move(other));
  }
  return avoided;
}

std::string brings_of(const wire::Claim& claim, const master::plan::Rules& rules) {
  master::plan::Brings brings;
  brings.numbers[0] = static_cast<std::int64_t>(mixed_of(claim.player) % ratings);
  brings.roles = roles_of(claim.player, true, rules);
  for (const PlayerId& player : avoided_by(claim.player)) {
    const auto& party = claim.party;
    if (std::find(party.begin(), party.end(), player) != party.end()) continue;
    brings.avoids.push_back(master::plan::avoidable(player));
  }
  return master::plan::to_text(brings, rules);
}

void write_brings(wire::Claim& claim, const master::plan::Rules& rules) {
  claim.brings = brings_of(claim, rules);
  if (rules.roles.empty()) return;
  auto brings = master::plan::parse_brings(claim.brings, rules).value();
  for (const PlayerId& player : claim.party) {
    brings.roles = roles_of(player, false, rules);
    claim.party_brings.push_back(master::plan::to_text(brings, rules));
  }
}

}  // namespace fixkeep::sim
