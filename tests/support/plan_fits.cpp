#include "tests/support/plan_fits.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace fixkeep::test {

using namespace master::plan;

namespace {

std::int64_t limit_now(const Steps& steps, Duration age) {
  std::int64_t limit = -1;
  for (const Step& step : steps) {
    if (age >= step.after) limit = step.most;
  }
  return limit;
}

std::int64_t mean(const Ticket& ticket, std::size_t number) {
  const auto count = static_cast<std::int64_t>(ticket.members.size());
  std::int64_t mean = ticket.sums[number] / count;
  while (mean * count > ticket.sums[number]) --mean;
  return mean;
}

bool may_play_in(const PlanCase& c, const Ticket& ticket, std::size_t region) {
  if (!c.rules.latency) return region == 0;
  if (region >= c.rules.latency->regions.size()) return false;
  const auto measured = ticket.latency_ms[region];
  return measured != unmeasured &&
         measured <= limit_now(c.rules.latency->steps, c.now - ticket.since);
}

bool avoids(const PlanCase& c, const Ticket& ticket, PlayerHash player) {
  if (!c.rules.avoid || c.now - ticket.since >= c.rules.avoid->until) return false;
  return std::count(ticket.avoids.begin(), ticket.avoids.end(), player) > 0;
}

bool in_peace(const PlanCase& c, const Ticket& a, const Ticket& b) {
  for (const Member& member : b.members) {
    if (avoids(c, a, member.player)) return false;
  }
  for (const Member& member : a.members) {
    if (avoids(c, b, member.player)) return false;
  }
  return true;
}

// Gives each player in turn each of its roles.
bool some_roles_suffice(const std::vector<std::uint8_t>& players, std::size_t at,
                        std::vector<std::uint32_t>& free) {
  if (at == players.size()) return true;
  for (std::size_t role = 0; role < free.size(); ++role) {
    if ((players[at] >> role & 1) == 0 || free[role] == 0) continue;
    --free[role];
    const bool fine = some_roles_suffice(players, at + 1, free);
    ++free[role];
    if (fine) return true;
  }
  return false;
}

std::int64_t gap_of(const std::vector<std::int64_t>& sums) {
  const auto [low, high] = std::minmax_element(sums.begin(), sums.end());
  return *high - *low;
}

}  // namespace

bool roles_suffice(const Rules& rules, const std::vector<std::uint8_t>& players) {
  if (rules.roles.empty()) return true;
  std::vector<std::uint32_t> free;
  for (const Role& role : rules.roles) free.push_back(role.seats);
  return some_roles_suffice(players, 0, free);
}

bool is_older(const Ticket& a, const Ticket& b) {
  return std::pair{a.since, a.id} < std::pair{b.since, b.id};
}

std::uint32_t players_of(const TicketSet& set) {
  std::uint32_t players = 0;
  for (const Ticket* ticket : set) players += static_cast<std::uint32_t>(ticket->members.size());
  return players;
}

namespace {

bool team_roles(const PlanCase& c, const TicketSet& team) {
  std::vector<std::uint8_t> players;
  for (const Ticket* ticket : team) {
    for (const Member& member : ticket->members) players.push_back(member.roles);
  }
  return roles_suffice(c.rules, players);
}

}  // namespace

bool teams_are_fair(const PlanCase& c, const TicketTeams& teams) {
  std::set<std::uint32_t> heads;
  std::set<std::int64_t> sums;
  for (const TicketSet& team : teams) {
    if (!team_roles(c, team)) return false;
    heads.insert(players_of(team));
    std::int64_t sum = 0;
    for (const Ticket* ticket : team) {
      if (c.rules.teams && c.rules.teams->number) sum += ticket->sums[*c.rules.teams->number];
    }
    sums.insert(sum);
  }
  if (!c.rules.teams) return true;
  return heads.size() == 1 && *heads.begin() <= c.rules.teams->size &&
         *sums.rbegin() - *sums.begin() <= c.rules.teams->difference;
}

namespace {

bool some_teams_are_fair(const PlanCase& c, const TicketSet& set, std::size_t at,
                         TicketTeams& teams) {
  if (at == set.size()) return teams_are_fair(c, teams);
  for (TicketSet& team : teams) {
    team.push_back(set[at]);
    const bool fits = !c.rules.teams || players_of(team) <= c.rules.teams->size;
    const bool fine = fits && some_teams_are_fair(c, set, at + 1, teams);
    team.pop_back();
    if (fine) return true;
  }
  return false;
}

}  // namespace

bool distances_hold(const PlanCase& c, const TicketSet& set) {
  const auto by_age = [](const Ticket* a, const Ticket* b) { return is_older(*a, *b); };
  const Ticket& oldest = **std::min_element(set.begin(), set.end(), by_age);
  const Ticket& newest = **std::max_element(set.begin(), set.end(), by_age);
  for (const DistanceRule& rule : c.rules.distances) {
    const Ticket& whose = rule.widening == Widening::older ? oldest : newest;
    const std::int64_t limit = limit_now(rule.steps, c.now - whose.since);
    for (const Ticket* a : set) {
      for (const Ticket* b : set) {
        if (mean(*a, rule.number) - mean(*b, rule.number) > limit) return false;
      }
    }
  }
  return true;
}

bool size_may_start(const PlanCase& c, const TicketSet& set) {
  const SizeRule& size = c.rules.size;
  const std::uint32_t players = players_of(set);
  if (players > size.most || players < size.least) return false;
  if (players >= size.best) return true;
  return std::any_of(set.begin(), set.end(),
                     [&](const Ticket* ticket) { return c.now - ticket->since >= size.after; });
}

// All but teams and roles.
bool may_meet(const PlanCase& c, const TicketSet& set, std::size_t region) {
  if (!size_may_start(c, set) || !distances_hold(c, set)) return false;
  if (c.rules.latency && (c.regions >> region & 1U) == 0) return false;
  for (const Ticket* a : set) {
    if (!may_play_in(c, *a, region)) return false;
    for (const Ticket* b : set) {
      if (a != b && !in_peace(c, *a, *b)) return false;
    }
  }
  return true;
}

bool set_fits_in(const PlanCase& c, const TicketSet& set, std::size_t region) {
  if (!may_meet(c, set, region)) return false;
  TicketTeams teams(c.rules.teams ? c.rules.teams->count : 1);
  return some_teams_are_fair(c, set, 0, teams);
}

bool set_fits(const PlanCase& c, const TicketSet& set) {
  const std::size_t regions = c.rules.latency ? c.rules.latency->regions.size() : 1;
  for (std::size_t region = 0; region < regions; ++region) {
    if (set_fits_in(c, set, region)) return true;
  }
  return false;
}

namespace {

// Takes the members, one after the other, off the wants of their room.
bool are_wanted(std::vector<Want>& wants, const Ticket& ticket, std::size_t team) {
  const bool any = wants.empty();
  for (const Member& member : ticket.members) {
    const auto want = std::find_if(wants.begin(), wants.end(), [&](const Want& each) {
      const bool same_team = !each.team || *each.team == team;
      const bool same_role = each.roles == 0 || (each.roles & member.roles) == each.roles;
      return each.players > 0 && same_team && same_role;
    });
    if (want == wants.end()) return any;
    --want->players;
  }
  return true;
}

}  // namespace

bool team_takes(const PlanCase& c, const LiveRoom& live, const Ticket& ticket, std::size_t team) {
  const auto size = static_cast<std::uint32_t>(ticket.members.size());
  if (live.room.teams[team].free < size) return false;
  auto wants = live.room.wants;
  if (!are_wanted(wants, ticket, team)) return false;
  if (c.rules.teams && c.rules.teams->number) {
    std::vector<std::int64_t> sums;
    for (const RoomTeam& one : live.room.teams) sums.push_back(one.sum);
    const std::int64_t before = gap_of(sums);
    sums[team] += ticket.sums[*c.rules.teams->number];
    if (gap_of(sums) > c.rules.teams->difference && gap_of(sums) >= before) return false;
  }
  std::vector<std::uint8_t> players = live.room.teams[team].roles;
  TicketSet all = live.joined[team];
  all.push_back(&ticket);
  for (const Ticket* one : all) {
    for (const Member& member : one->members) players.push_back(member.roles);
  }
  return roles_suffice(c.rules, players);
}

bool room_takes(const PlanCase& c, const LiveRoom& live, const Ticket& ticket) {
  if (!may_play_in(c, ticket, live.room.region)) return false;
  std::uint32_t inside = 0;
  for (const RoomTeam& team : live.room.teams) inside += team.players;
  for (const DistanceRule& rule : c.rules.distances) {
    if (inside == 0) break;
    const std::int64_t own = mean(ticket, rule.number);
    const std::int64_t spread =
        std::max(own, live.room.high[rule.number]) - std::min(own, live.room.low[rule.number]);
    if (spread > limit_now(rule.steps, c.now - ticket.since)) return false;
  }
  for (const PlayerHash player : live.room.players) {
    if (avoids(c, ticket, player)) return false;
  }
  for (const Member& member : ticket.members) {
    if (std::count(live.room.avoided.begin(), live.room.avoided.end(), member.player) > 0) {
      return false;
    }
  }
  for (const TicketSet& team : live.joined) {
    for (const Ticket* other : team) {
      if (!in_peace(c, ticket, *other)) return false;
    }
  }
  return true;
}

bool takes(const PlanCase& c, const LiveRoom& live, const Ticket& ticket) {
  if (!room_takes(c, live, ticket)) return false;
  for (std::size_t team = 0; team < live.room.teams.size(); ++team) {
    if (team_takes(c, live, ticket, team)) return true;
  }
  return false;
}

void seat(const PlanCase& c, LiveRoom& live, const Ticket& ticket, std::size_t at) {
  RoomTeam& team = live.room.teams[at];
  std::uint32_t inside = 0;
  for (const RoomTeam& one : live.room.teams) inside += one.players;
  for (std::size_t n = 0; n < c.rules.numbers.size(); ++n) {
    const std::int64_t own = mean(ticket, n);
    live.room.low[n] = inside == 0 ? own : std::min(own, live.room.low[n]);
    live.room.high[n] = inside == 0 ? own : std::max(own, live.room.high[n]);
  }
  const auto size = static_cast<std::uint32_t>(ticket.members.size());
  team.players += size;
  team.free -= size;
  if (c.rules.teams && c.rules.teams->number) team.sum += ticket.sums[*c.rules.teams->number];
  live.joined[at].push_back(&ticket);
  are_wanted(live.room.wants, ticket, at);
}

}  // namespace fixkeep::test
