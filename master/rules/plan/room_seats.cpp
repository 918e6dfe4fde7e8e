#include "master/rules/plan/room_seats.hpp"

#include <algorithm>
#include <array>

#include "common/base/newcomers.hpp"

namespace fixkeep::master::plan {
namespace {

// Returns whether the game of the room wants all members, and takes their wants off `left`.
bool fill_wants(std::vector<Want>& left, const Entry& entry, std::uint32_t team) {
  const auto fits = [team](const Want& want, const Member& member) {
    return want.fits(team, member);
  };
  return fill(left, entry.ticket->members, fits).has_value();
}

}  // namespace

void RoomSeats::load(const Rules& rules, std::span<const Room> rooms) {
  states_.clear();
  teams_.clear();
  free_ = 0;
  parts_ = 0;
  if (!rules.roles.empty()) role_seats_ = RoleCounts::seats_of(rules.roles);
  for (const Room& room : rooms) {
    State state{.room = &room, .wants = room.wants};
    state.first_team = static_cast<std::uint32_t>(teams_.size());
    state.low = room.low;
    state.high = room.high;
    for (const RoomTeam& team : room.teams) {
      state.players += team.players;
      state.free += team.free;
      state.largest = std::max(state.largest, team.free);
      Team& own = teams_.emplace_back();
      own.players = team.players;
      own.free = team.free;
      own.sum = team.sum;
      for (const std::uint8_t roles : team.roles) own.roles.add_seated(roles, rules.roles.size());
    }
    if (state.free == 0) continue;
    free_ += state.free;
    states_.push_back(state);
  }
  std::sort(states_.begin(), states_.end(), [](const State& a, const State& b) {
    if (a.room->starting != b.room->starting) return b.room->starting;
    if (a.room->since != b.room->since) return a.room->since < b.room->since;
    return a.room->id < b.room->id;
  });
  glances_.clear();
  for (const State& state : states_) glances_.push_back(glance_at(rules, state));
  blocks_.assign((states_.size() + block - 1) / block, {});
  for (std::size_t i = 0; i < blocks_.size(); ++i) glance_at_block(i);
  if (!rules.avoid) return;
  rooms_.clear();
  for (const State& state : states_) rooms_.push_back(state.room);
  apart_.load(rooms_);
}

RoomSeats::Glance RoomSeats::glance_at(const Rules& rules, const State& state) const {
  Glance glance{number_most, -number_most, ~std::uint64_t{0}, state.largest,
                1U << state.room->region};
  if (!rules.roles.empty()) {
    glance.roles = 0;
    for (std::size_t t = 0; t < state.room->teams.size(); ++t) {
      const Team& team = teams_[state.first_team + t];
      if (team.free > 0) glance.roles |= team.roles.open_to(role_seats_, rules.roles.size());
    }
  }
  if (rules.distances.empty() || state.players == 0) return glance;
  glance.low = state.low[rules.distances.front().number];
  glance.high = state.high[rules.distances.front().number];
  return glance;
}

void RoomSeats::glance_at_block(std::size_t at) {
  const std::size_t first = at * block;
  Glance all = glances_[first];
  for (std::size_t i = first; i < std::min(first + block, glances_.size()); ++i) {
    const Glance& one = glances_[i];
    all.low = std::max(all.low, one.low);
    all.high = std::min(all.high, one.high);
    all.roles |= one.roles;
    all.largest = std::max(all.largest, one.largest);
    all.regions |= one.regions;
  }
  blocks_[at] = all;
}

RoomSeats::Needs RoomSeats::needs_of(const Rules& rules, const Entry& entry) {
  Needs needs;
  const bool has_place = !rules.distances.empty();
  if (has_place) needs.place = entry.means[rules.distances.front().number];
  // A missing limit becomes 2 * number_most: wide enough for all numbers, but small enough that
  // sums do not overflow.
  needs.limit = has_place ? std::min(entry.limits[0], 2 * number_most) : 2 * number_most;
  if (!rules.roles.empty()) {
    for (const Member& member : entry.ticket->members) {
      needs.roles |= std::uint64_t{1} << (member.roles % 64U);
    }
  }
  needs.size = entry.size;
  needs.regions = entry.reach;
  return needs;
}

bool RoomSeats::refuses(const Glance& glance, const Needs& needs) {
  return glance.largest < needs.size || (glance.regions & needs.regions) == 0 ||
         (needs.roles & ~glance.roles) != 0 || glance.low < needs.place - needs.limit ||
         glance.high > needs.place + needs.limit || glance.high - glance.low > needs.limit;
}

bool RoomSeats::takes(const Rules& rules, const State& state, const Entry& entry) const {
  if (entry.size > state.largest || (entry.reach >> state.room->region & 1U) == 0) return false;
  for (std::size_t d = 0; d < rules.distances.size() && state.players > 0; ++d) {
    const std::size_t number = rules.distances[d].number;
    const std::int64_t low = std::min(state.low[number], entry.means[number]);
    const std::int64_t high = std::max(state.high[number], entry.means[number]);
    if (high - low > entry.limits[d]) return false;
  }
  return true;
}

// Returns whether the sums of the teams remain close enough or become closer.
bool RoomSeats::balances(const Rules& rules, const State& state, std::uint32_t team,
                         const Entry& entry) const {
  if (!rules.teams || !rules.teams->number) return true;
  std::int64_t low = no_limit;
  std::int64_t high = -no_limit;
  std::int64_t low_then = no_limit;
  std::int64_t high_then = -no_limit;
  for (std::uint32_t t = 0; t < state.room->teams.size(); ++t) {
    const std::int64_t sum = teams_[state.first_team + t].sum;
    const std::int64_t then = t == team ? sum + entry.ticket->sums[*rules.teams->number] : sum;
    low = std::min(low, sum);
    high = std::max(high, sum);
    low_then = std::min(low_then, then);
    high_then = std::max(high_then, then);
  }
  const std::int64_t gap = high_then - low_then;
  return gap <= rules.teams->difference || gap < high - low;
}

// Returns the team with the fewest players among the teams that can take all members.
std::optional<std::uint32_t> RoomSeats::team_for(const Rules& rules, const State& state,
                                                 const Entry& entry) {
  const auto count = static_cast<std::uint32_t>(state.room->teams.size());
  std::array<std::uint32_t, teams_most> order{};
  for (std::uint32_t t = 0; t < count; ++t) order[t] = t;
  std::sort(order.begin(), order.begin() + count, [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t left = teams_[state.first_team + a].players;
    const std::uint32_t right = teams_[state.first_team + b].players;
    return left != right ? left < right : a < b;
  });
  for (std::uint32_t i = 0; i < count; ++i) {
    Team& team = teams_[state.first_team + order[i]];
    if (team.free < entry.size || !balances(rules, state, order[i], entry)) continue;
    auto wants = state.wants;
    if (!wants.empty() && !fill_wants(wants, entry, order[i])) continue;
    if (!rules.roles.empty() && !team.roles.add(*entry.ticket, role_seats_, rules.roles.size())) {
      continue;
    }
    return order[i];
  }
  return std::nullopt;
}

void RoomSeats::seat(const Rules& rules, State& state, const Entry& entry, std::uint32_t team) {
  for (std::size_t n = 0; n < rules.numbers.size(); ++n) {
    const std::int64_t mean = entry.means[n];
    state.low[n] = state.players == 0 ? mean : std::min(state.low[n], mean);
    state.high[n] = state.players == 0 ? mean : std::max(state.high[n], mean);
  }
  if (!state.wants.empty()) fill_wants(state.wants, entry, team);
  Team& own = teams_[state.first_team + team];
  own.players += entry.size;
  own.free -= entry.size;
  if (rules.teams && rules.teams->number) own.sum += entry.ticket->sums[*rules.teams->number];
  state.players += entry.size;
  state.free -= entry.size;
  free_ -= entry.size;
  state.largest = 0;
  for (std::size_t t = 0; t < state.room->teams.size(); ++t) {
    state.largest = std::max(state.largest, teams_[state.first_team + t].free);
  }
}

std::optional<std::uint32_t> RoomSeats::find_team(const Rules& rules, const Entry& entry,
                                                  std::size_t room) {
  parts_ += parts_of_look / 8;
  if (!takes(rules, states_[room], entry)) return std::nullopt;
  if (rules.avoid && apart_.keeps_out(room)) return std::nullopt;
  parts_ += parts_of_look;
  return team_for(rules, states_[room], entry);
}

std::optional<RoomSeats::Found> RoomSeats::find(const Rules& rules, const Entry& entry) {
  if (free_ < entry.size) return std::nullopt;
  if (rules.avoid) parts_ += apart_.ask(entry) * parts_of_look / 4;
  const Needs needs = needs_of(rules, entry);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    ++parts_;
    if (refuses(blocks_[b], needs)) continue;
    const std::size_t end = std::min((b + 1) * block, states_.size());
    for (std::size_t i = b * block; i < end; ++i) {
      ++parts_;
      if (refuses(glances_[i], needs)) continue;
      if (const auto team = find_team(rules, entry, i)) return Found{i, *team};
    }
  }
  return std::nullopt;
}

Fill RoomSeats::seat_in(const Rules& rules, const Entry& entry, Found found) {
  State& state = states_[found.room];
  seat(rules, state, entry, found.team);
  if (rules.avoid) apart_.add(entry, static_cast<std::uint32_t>(found.room));
  glances_[found.room] = glance_at(rules, state);
  glance_at_block(found.room / block);
  last_ = found.room;
  parts_ += parts_of_look;
  return {entry.ticket->id, state.room->id, found.team};
}

std::optional<Fill> RoomSeats::fill(const Rules& rules, const Waiting& waiting, Rank rank) {
  const auto found = find(rules, waiting[rank]);
  if (!found) return std::nullopt;
  return seat_in(rules, waiting[rank], *found);
}

std::optional<Fill> RoomSeats::fill_same(const Rules& rules, const Waiting& waiting, Rank rank) {
  const Entry& entry = waiting[rank];
  parts_ += 4;
  if (refuses(glances_[last_], needs_of(rules, entry))) return std::nullopt;
  if (rules.avoid) parts_ += apart_.ask(entry) * parts_of_look / 4;
  const auto team = find_team(rules, entry, last_);
  if (!team) return std::nullopt;
  return seat_in(rules, entry, {last_, *team});
}

bool RoomSeats::takes(const Rules& rules, const Waiting& waiting, Rank rank) {
  const Entry& entry = waiting[rank];
  const auto found = find(rules, entry);
  if (!found) return false;
  if (!rules.roles.empty()) {
    Team& team = teams_[states_[found->room].first_team + found->team];
    team.roles.drop(*entry.ticket, rules.roles.size());
  }
  return true;
}

}  // namespace fixkeep::master::plan
