#include "master/rules/plan/draft.hpp"

#include <algorithm>

namespace fixkeep::master::plan {
namespace {

// Applies `change` to the count of each set that contains all roles of the member.
void each_set_with(auto& counts, std::uint8_t roles, std::size_t count, const auto& change) {
  for (std::size_t set = 1; set < std::size_t{1} << count; ++set) {
    if ((roles & ~set) == 0) change(counts[set]);
  }
}

// Index: a set of roles. Element: bit m is set if all roles of m (a set, too) are in this set.
constexpr auto subsets = [] {
  std::array<std::uint64_t, std::size_t{1} << roles_most> all{};
  for (std::size_t set = 0; set < all.size(); ++set) {
    for (std::size_t part = 0; part < all.size(); ++part) {
      if ((part & ~set) == 0) all[set] |= std::uint64_t{1} << part;
    }
  }
  return all;
}();

}  // namespace

bool avoids_one_of(const Entry& entry, const Entry& other) {
  if (!entry.heeds) return false;
  const auto& members = other.ticket->members;
  return std::any_of(members.begin(), members.end(), [&](const Member& member) {
    const auto& avoided = entry.ticket->avoids;
    return std::find(avoided.begin(), avoided.end(), member.player) != avoided.end();
  });
}

bool avoids_somebody_in(const Entry& entry, const Room& room) {
  const auto& avoided = entry.ticket->avoids;
  return entry.heeds && std::find_first_of(avoided.begin(), avoided.end(), room.players.begin(),
                                           room.players.end()) != avoided.end();
}

bool is_avoided_in(const Room& room, const Entry& entry) {
  const auto& members = entry.ticket->members;
  return std::any_of(members.begin(), members.end(), [&](const Member& member) {
    return std::find(room.avoided.begin(), room.avoided.end(), member.player) != room.avoided.end();
  });
}

bool avoid_each_other(const Entry& a, const Entry& b) {
  return avoids_one_of(a, b) || avoids_one_of(b, a);
}

RoleCounts::Seats RoleCounts::seats_of(const std::vector<Role>& roles) {
  Seats seats{};
  for (std::size_t set = 0; set < seats.size(); ++set) {
    for (std::size_t role = 0; role < roles.size(); ++role) {
      if ((set >> role & 1U) != 0) seats[set] += roles[role].seats;
    }
  }
  return seats;
}

void RoleCounts::add_seated(std::uint8_t roles, std::size_t count) {
  each_set_with(counts_, roles, count, [](std::uint32_t& players) { ++players; });
}

bool RoleCounts::add(const Ticket& ticket, const Seats& seats, std::size_t roles) {
  for (const Member& member : ticket.members) add_seated(member.roles, roles);
  for (std::size_t set = 1; set < std::size_t{1} << roles; ++set) {
    if (counts_[set] <= seats[set]) continue;
    drop(ticket, roles);
    return false;
  }
  return true;
}

std::uint64_t RoleCounts::open_to(const Seats& seats, std::size_t roles) const {
  std::uint64_t open = ~std::uint64_t{0};
  for (std::size_t set = 1; set < std::size_t{1} << roles; ++set) {
    if (counts_[set] > seats[set]) return 0;
    if (counts_[set] == seats[set]) open &= ~subsets[set];
  }
  return open;
}

void RoleCounts::drop(const Ticket& ticket, std::size_t roles) {
  for (const Member& member : ticket.members) {
    each_set_with(counts_, member.roles, roles, [](std::uint32_t& count) { --count; });
  }
}

void Draft::begin(const Rules& rules, const Waiting& waiting) {
  seated_.clear();
  spans_.clear();
  players_ = 0;
  std::fill_n(heads_.begin(), rules.team_count(), 0U);
  std::fill_n(sums_.begin(), rules.team_count(), 0);
  if (rules.roles.empty()) return;
  role_seats_ = &waiting.role_seats();
  for (std::uint32_t team = 0; team < rules.team_count(); ++team) roles_[team].clear();
}

std::optional<Draft::Span> Draft::with(const Rules& rules, const Entry& entry) const {
  Span span;
  for (std::size_t d = 0; d < rules.distances.size(); ++d) {
    const std::int64_t number = entry.means[rules.distances[d].number];
    span.low[d] = span.high[d] = number;
    span.limit[d] = entry.limits[d];
    if (spans_.empty()) continue;
    const Span& before = spans_.back();
    span.low[d] = std::min(before.low[d], number);
    span.high[d] = std::max(before.high[d], number);
    span.limit[d] = rules.distances[d].widening == Widening::both
                        ? std::min(before.limit[d], entry.limits[d])
                        : before.limit[d];
    if (span.high[d] - span.low[d] > span.limit[d]) return std::nullopt;
  }
  return span;
}

Draft::Added Draft::add(const Rules& rules, const Waiting& waiting, Rank rank, std::uint32_t team) {
  const Entry& entry = waiting[rank];
  if (players_ + entry.size > rules.size.most) return Added::not_at_all;
  const auto span = with(rules, entry);
  if (!span) return Added::not_at_all;
  if (rules.avoid) {
    for (const Seated& other : seated_) {
      if (avoid_each_other(entry, waiting[other.rank])) return Added::not_at_all;
    }
  }
  if (heads_[team] + entry.size > rules.team_size()) return Added::not_to_team;
  if (!rules.roles.empty() && !roles_[team].add(*entry.ticket, *role_seats_, rules.roles.size())) {
    return Added::not_to_team;
  }
  seated_.push_back({rank, team});
  spans_.push_back(*span);
  players_ += entry.size;
  heads_[team] += entry.size;
  if (rules.teams && rules.teams->number) sums_[team] += entry.ticket->sums[*rules.teams->number];
  return Added::yes;
}

void Draft::drop(const Rules& rules, const Waiting& waiting) {
  const Seated last = seated_.back();
  const Entry& entry = waiting[last.rank];
  seated_.pop_back();
  spans_.pop_back();
  players_ -= entry.size;
  heads_[last.team] -= entry.size;
  if (rules.teams && rules.teams->number) {
    sums_[last.team] -= entry.ticket->sums[*rules.teams->number];
  }
  if (!rules.roles.empty()) roles_[last.team].drop(*entry.ticket, rules.roles.size());
}

bool Draft::is_whole(const Rules& rules) const {
  if (!rules.teams) return true;
  const auto heads_end = heads_.begin() + rules.teams->count;
  if (std::any_of(heads_.begin(), heads_end, [&](auto heads) { return heads != heads_[0]; })) {
    return false;
  }
  const auto [low, high] = std::minmax_element(sums_.begin(), sums_.begin() + rules.teams->count);
  return *high - *low <= rules.teams->difference;
}

}  // namespace fixkeep::master::plan
