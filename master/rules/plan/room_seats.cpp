#include "master/rules/plan/room_seats.hpp"

#include <algorithm>
#include <array>

namespace fixkeep::master::plan {

void RoomSeats::load(const Rules& rules, std::span<const Room> rooms) {
  states_.clear();
  teams_.clear();
  joined_.clear();
  free_ = 0;
  if (!rules.roles.empty()) role_seats_ = RoleCounts::seats_of(rules.roles);
  for (const Room& room : rooms) {
    State state{.room = &room};
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
}

RoomSeats::Glance RoomSeats::glance_at(const Rules& rules, const State& state) {
  Glance glance{number_most, -number_most, state.largest, state.room->region};
  if (rules.distances.empty() || state.players == 0) return glance;
  glance.low = state.low[rules.distances.front().number];
  glance.high = state.high[rules.distances.front().number];
  return glance;
}

bool RoomSeats::takes(const Rules& rules, const Waiting& waiting, const State& state,
                      const Entry& entry) const {
  if (entry.size > state.largest || (entry.regions >> state.room->region & 1U) == 0) return false;
  for (std::size_t d = 0; d < rules.distances.size() && state.players > 0; ++d) {
    const std::size_t number = rules.distances[d].number;
    const std::int64_t low = std::min(state.low[number], entry.means[number]);
    const std::int64_t high = std::max(state.high[number], entry.means[number]);
    if (high - low > entry.limits[d]) return false;
  }
  if (!rules.avoid) return true;
  if (avoids_somebody_in(entry, *state.room) || is_avoided_in(*state.room, entry)) return false;
  return std::none_of(joined_.begin(), joined_.end(), [&](const Joined& other) {
    return other.room == state.room && avoid_each_other(entry, waiting[other.rank]);
  });
}

// Whether the sums of the teams stay close enough, or come closer than they are.
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

// The team with the fewest players that can take all members.
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

std::optional<Fill> RoomSeats::fill_room(const Rules& rules, const Waiting& waiting, Rank rank,
                                         State& state) {
  const Entry& entry = waiting[rank];
  if (!takes(rules, waiting, state, entry)) return std::nullopt;
  const auto team = team_for(rules, state, entry);
  if (!team) return std::nullopt;
  seat(rules, state, entry, *team);
  if (rules.avoid) joined_.push_back({state.room, rank});
  return Fill{entry.ticket->id, state.room->id, *team};
}

std::optional<Fill> RoomSeats::fill(const Rules& rules, const Waiting& waiting, Rank rank) {
  const Entry& entry = waiting[rank];
  if (free_ < entry.size) return std::nullopt;
  const bool has_place = !rules.distances.empty();
  const std::int64_t place = has_place ? entry.means[rules.distances.front().number] : 0;
  // Wide enough for all numbers, and no wider, so that sums do not overflow.
  const std::int64_t limit =
      has_place ? std::min(entry.limits[0], 2 * number_most) : 2 * number_most;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Glance& glance = glances_[i];
    if (glance.largest < entry.size || glance.low < place - limit || glance.high > place + limit ||
        glance.high - glance.low > limit || (entry.regions >> glance.region & 1U) == 0) {
      continue;
    }
    const auto fill = fill_room(rules, waiting, rank, states_[i]);
    if (!fill) continue;
    last_ = i;
    glances_[i] = glance_at(rules, states_[i]);
    return fill;
  }
  return std::nullopt;
}

std::optional<Fill> RoomSeats::fill_same(const Rules& rules, const Waiting& waiting, Rank rank) {
  const auto fill = fill_room(rules, waiting, rank, states_[last_]);
  if (fill) glances_[last_] = glance_at(rules, states_[last_]);
  return fill;
}

}  // namespace fixkeep::master::plan
