#include "master/rules/plan/explain.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>
#include <vector>

#include "master/rules/plan/draft.hpp"

namespace fixkeep::master::plan {
namespace {

using At = std::optional<TimePoint>;  // null: never

bool is_sooner(At a, At b) {
  return a && (!b || *a < *b);
}

// Returns the time at which a ticket's own limit reaches `value`.
At when_wide(const Steps& steps, std::int64_t value, TimePoint since) {
  const auto step = std::find_if(steps.begin(), steps.end(),
                                 [&](const Step& each) { return each.most >= value; });
  return step == steps.end() ? At{} : At{since + step->after};
}

// The rules that refuse one other ticket or room now. `nearest`: the rule that will refuse for the
// longest time.
struct Verdict {
  std::array<bool, refusers_most> refused{};
  std::uint32_t many = 0;
  Explanation::Nearest nearest;

  void refuse(std::size_t by, std::int64_t beyond, At at) {
    refused[by] = true;
    if (++many > 1 && !is_sooner(nearest.at, at)) return;
    nearest.by = static_cast<Refuser>(by);
    nearest.beyond = beyond;
    nearest.at = at;
  }
  void refuse(Refuser by, std::int64_t beyond, At at) {
    refuse(static_cast<std::size_t>(by), beyond, at);
  }
};

// Returns whether `a`, and `b` if it is not null, find roles. `counts`: the players with seats.
bool fit_roles(const Rules& rules, const RoleCounts::Seats& seats, const Entry& a, const Entry* b,
               RoleCounts counts = {}) {
  return counts.add(*a.ticket, seats, rules.roles.size()) &&
         (b == nullptr || counts.add(*b->ticket, seats, rules.roles.size()));
}

class Telling {
 public:
  Telling(const Rules& rules, const Waiting& waiting, Rank own, TimePoint now,
          std::uint32_t regions);

  void look_at_ticket(Rank rank);
  void look_at_room(const Room& room);
  void look_for_missing();
  [[nodiscard]] const Explanation& told() const { return told_; }

 private:
  struct There {  // players in one region that may share a room with the ticket
    std::uint32_t players = 0;
    TimePoint oldest = TimePoint::max();
    std::array<std::uint32_t, roles_most> plays{};
  };

  void find_widest();
  void refuse_distance(Verdict& verdict, Rank rank) const;
  void refuse_region(Verdict& verdict, const Entry& other) const;
  void refuse_avoided(Verdict& verdict, const Entry& other) const;
  void refuse_at_room(Verdict& verdict, const Room& room) const;
  void refuse_in_teams(Verdict& verdict, const Room& room) const;
  [[nodiscard]] bool balances(const Room& room, std::size_t team) const;
  void count(const Verdict& verdict, bool room);
  void join(There& there, const Entry& other) const;

  const Rules& rules_;
  const Waiting& waiting_;
  Rank own_;
  TimePoint now_;
  const Entry& entry_;
  std::uint32_t open_;  // regions in which rooms can start
  RoleCounts::Seats role_seats_{};
  // For each distance rule: the limit of the oldest ticket whose limit includes this ticket.
  std::array<std::int64_t, numbers_most> widest_{};
  std::array<There, regions_most> there_{};
  std::uint32_t fewest_ = 0;  // number of rules that refuse the nearest ticket
  Explanation told_;
};

Telling::Telling(const Rules& rules, const Waiting& waiting, Rank own, TimePoint now,
                 std::uint32_t regions)
    : rules_(rules),
      waiting_(waiting),
      own_(own),
      now_(now),
      entry_(waiting[own]),
      open_(rules.latency ? regions : ~0U) {
  role_seats_ = RoleCounts::seats_of(rules.roles);
  told_.regions_full = entry_.regions & ~open_;
  find_widest();
  // This ticket counts in every region. In a region where it may not play yet, it remains alone:
  // look_at_ticket() adds no other ticket there.
  for (There& there : there_) join(there, entry_);
}

void Telling::find_widest() {
  for (std::size_t d = 0; d < rules_.distances.size(); ++d) {
    const std::size_t number = rules_.distances[d].number;
    Rank rank = 0;
    while (rank < own_ && std::abs(waiting_[rank].means[number] - entry_.means[number]) >
                              waiting_[rank].limits[d]) {
      ++rank;
    }
    widest_[d] = waiting_[rank].limits[d];
  }
}

void Telling::refuse_distance(Verdict& verdict, Rank rank) const {
  const Entry& other = waiting_[rank];
  const Entry& older = rank < own_ ? other : entry_;
  const Entry& newer = rank < own_ ? entry_ : other;
  for (std::size_t d = 0; d < rules_.distances.size(); ++d) {
    const DistanceRule& rule = rules_.distances[d];
    const bool both = rule.widening == Widening::both;
    const std::int64_t apart = std::abs(other.means[rule.number] - entry_.means[rule.number]);
    const std::int64_t limit = both ? newer.limits[d] : std::max(older.limits[d], widest_[d]);
    if (apart <= limit) continue;
    const Ticket& whose = both ? *newer.ticket : *older.ticket;
    verdict.refuse(d, apart - limit, when_wide(rule.steps, apart, whose.since));
  }
}

// Both tickets must reach one open region. The verdict is about the region that they reach first.
void Telling::refuse_region(Verdict& verdict, const Entry& other) const {
  if (!rules_.latency || (entry_.regions & other.regions & open_) != 0) return;
  const Steps& steps = rules_.latency->steps;
  At first;
  std::int64_t least = no_limit;
  for (std::size_t r = 0; r < rules_.latency->regions.size(); ++r) {
    if ((open_ >> r & 1U) == 0) continue;
    At at = TimePoint::min();
    std::int64_t beyond = 0;
    for (const Entry* each : {&entry_, &other}) {
      const std::uint16_t measured = each->ticket->latency_ms[r];
      const auto own =
          measured == unmeasured ? At{} : when_wide(steps, measured, each->ticket->since);
      at = at && own ? At{std::max(*at, *own)} : At{};
      beyond = std::max(beyond, measured - limit_at(steps, now_ - each->ticket->since));
    }
    if (!is_sooner(at, first) && (at != first || beyond >= least)) continue;
    first = at;
    least = beyond;
  }
  verdict.refuse(Refuser::latency, first ? least : 0, first);
}

void Telling::refuse_avoided(Verdict& verdict, const Entry& other) const {
  if (!rules_.avoid || !avoid_each_other(entry_, other)) return;
  At at = TimePoint::min();
  for (const auto& [one, two] : {std::pair{&entry_, &other}, std::pair{&other, &entry_}}) {
    if (!avoids_one_of(*one, *two)) continue;
    at = rules_.avoid->until == Duration::max() || !at
             ? At{}
             : At{std::max(*at, one->ticket->since + rules_.avoid->until)};
  }
  verdict.refuse(Refuser::avoid, 0, at);
}

void Telling::look_at_ticket(Rank rank) {
  if (rank == own_) return;
  const Entry& other = waiting_[rank];
  Verdict verdict;
  refuse_distance(verdict, rank);
  refuse_region(verdict, other);
  const std::uint32_t largest = std::max(entry_.size, other.size);
  if (entry_.size + other.size > rules_.size.most || largest > rules_.team_size()) {
    verdict.refuse(Refuser::size, 0, {});
  }
  // Checks roles only without teams: if there are teams, the two tickets can be in different teams.
  if (!rules_.roles.empty() && !rules_.teams && !fit_roles(rules_, role_seats_, entry_, &other)) {
    verdict.refuse(Refuser::roles, 0, {});
  }
  refuse_avoided(verdict, other);
  ++told_.tickets;
  count(verdict, false);
  if (verdict.many > 0) return;
  ++told_.meets;
  for (std::uint32_t left = entry_.regions & other.regions & open_; left != 0; left &= left - 1) {
    join(there_[static_cast<std::size_t>(std::countr_zero(left))], other);
  }
}

bool Telling::balances(const Room& room, std::size_t team) const {
  if (!rules_.teams || !rules_.teams->number) return true;
  std::vector<std::int64_t> sums;
  for (const RoomTeam& each : room.teams) sums.push_back(each.sum);
  const auto gap = [&] {
    const auto [low, high] = std::minmax_element(sums.begin(), sums.end());
    return *high - *low;
  };
  const std::int64_t before = gap();
  sums[team] += entry_.ticket->sums[*rules_.teams->number];
  return gap() <= rules_.teams->difference || gap() < before;
}

// If no team of the room accepts the ticket, names the rule at fault: `size` if no team has enough
// free seats, otherwise `teams` if no team with enough seats would be balanced, otherwise `roles`.
void Telling::refuse_in_teams(Verdict& verdict, const Room& room) const {
  bool seats = false;
  bool balanced = false;
  for (std::size_t t = 0; t < room.teams.size(); ++t) {
    if (room.teams[t].free < entry_.size) continue;
    seats = true;
    if (!balances(room, t)) continue;
    balanced = true;
    RoleCounts seated;
    for (const auto roles : room.teams[t].roles) seated.add_seated(roles, rules_.roles.size());
    if (rules_.roles.empty() || fit_roles(rules_, role_seats_, entry_, nullptr, seated)) return;
  }
  verdict.refuse(!seats ? Refuser::size : !balanced ? Refuser::teams : Refuser::roles, 0, {});
}

void Telling::refuse_at_room(Verdict& verdict, const Room& room) const {
  const auto taken = [](const RoomTeam& team) { return team.players > 0; };
  const bool inside = std::any_of(room.teams.begin(), room.teams.end(), taken);
  const TimePoint since = entry_.ticket->since;
  for (std::size_t d = 0; inside && d < rules_.distances.size(); ++d) {
    const DistanceRule& rule = rules_.distances[d];
    const std::int64_t mean = entry_.means[rule.number];
    const std::int64_t apart =
        std::max(room.high[rule.number], mean) - std::min(room.low[rule.number], mean);
    if (apart <= entry_.limits[d]) continue;
    verdict.refuse(d, apart - entry_.limits[d], when_wide(rule.steps, apart, since));
  }
  if (rules_.latency && (entry_.regions >> room.region & 1U) == 0) {
    const std::uint16_t measured = entry_.ticket->latency_ms[room.region];
    const Steps& steps = rules_.latency->steps;
    const At at = measured == unmeasured ? At{} : when_wide(steps, measured, since);
    verdict.refuse(Refuser::latency, at ? measured - limit_at(steps, now_ - since) : 0, at);
  }
  if (!rules_.avoid) return;
  if (is_avoided_in(room, entry_)) {
    verdict.refuse(Refuser::avoid, 0, {});
  } else if (avoids_somebody_in(entry_, room)) {
    const bool ends = rules_.avoid->until != Duration::max();
    verdict.refuse(Refuser::avoid, 0, ends ? At{since + rules_.avoid->until} : At{});
  }
}

void Telling::look_at_room(const Room& room) {
  if (!room.wants.empty()) return;  // its game wants certain players
  const auto free = [](const RoomTeam& team) { return team.free > 0; };
  if (std::none_of(room.teams.begin(), room.teams.end(), free)) return;
  Verdict verdict;
  refuse_at_room(verdict, room);
  refuse_in_teams(verdict, room);
  ++told_.rooms;
  count(verdict, true);
}

void Telling::count(const Verdict& verdict, bool room) {
  if (verdict.many == 0) return;
  for (std::size_t by = 0; by < refusers_most; ++by) {
    auto& refused = told_.refused[by];
    if (verdict.refused[by]) ++(room ? refused.rooms : refused.tickets);
  }
  Explanation::Nearest nearest = verdict.nearest;
  nearest.room = room;
  const auto order = [](const Explanation::Nearest& each, std::uint32_t many) {
    return std::tuple{each.at.value_or(TimePoint::max()), many, each.by, each.beyond};
  };
  if (told_.nearest && order(*told_.nearest, fewest_) <= order(nearest, verdict.many)) return;
  told_.nearest = nearest;
  fewest_ = verdict.many;
}

void Telling::join(There& there, const Entry& other) const {
  there.players += other.size;
  there.oldest = std::min(there.oldest, other.ticket->since);
  for (const Member& member : other.ticket->members) {
    for (std::size_t r = 0; r < rules_.roles.size(); ++r) {
      there.plays[r] += member.roles >> r & 1U;
    }
  }
}

void Telling::look_for_missing() {
  std::uint32_t seats = 0;  // seats of all roles
  for (const Role& role : rules_.roles) seats += role.seats * rules_.team_count();
  told_.players_missing = rules_.size.best;
  told_.roles_missing.fill(rules_.size.best);
  const std::size_t regions = rules_.latency ? rules_.latency->regions.size() : 1;
  for (std::size_t region = 0; region < regions; ++region) {
    const There& there = there_[region];
    const bool waited = now_ - there.oldest >= rules_.size.after;
    const std::uint32_t needed = waited ? rules_.size.least : rules_.size.best;
    const std::uint32_t missing = needed - std::min(needed, there.players);
    told_.players_missing = std::min(told_.players_missing, missing);
    if (there.players >= rules_.size.least && missing > 0) {
      const TimePoint at = there.oldest + rules_.size.after;
      told_.enough_at = std::min(told_.enough_at.value_or(at), at);
    }
    for (std::size_t r = 0; r < rules_.roles.size(); ++r) {
      const std::uint32_t others = seats - rules_.roles[r].seats * rules_.team_count();
      const std::uint32_t wanted = needed - std::min(needed, others);
      told_.roles_missing[r] =
          std::min(told_.roles_missing[r], wanted - std::min(wanted, there.plays[r]));
    }
  }
  std::fill(told_.roles_missing.begin() + static_cast<std::ptrdiff_t>(rules_.roles.size()),
            told_.roles_missing.end(), 0U);
  if (told_.players_missing == 0) told_.enough_at.reset();
}

}  // namespace

std::string_view to_string(Refuser refuser) {
  switch (refuser) {
    case Refuser::latency: return "latency";
    case Refuser::size: return "size";
    case Refuser::teams: return "teams";
    case Refuser::roles: return "roles";
    case Refuser::avoid: return "avoid";
    case Refuser::distance: break;
  }
  return "distance";
}

Explanation explain(const Rules& rules, const Waiting& waiting, std::span<const Room> rooms,
                    Rank ticket, TimePoint now, std::uint32_t regions) {
  Telling telling{rules, waiting, ticket, now, regions};
  for (Rank rank = 0; rank < waiting.size(); ++rank) telling.look_at_ticket(rank);
  for (const Room& room : rooms) telling.look_at_room(room);
  telling.look_for_missing();
  return telling.told();
}

}  // namespace fixkeep::master::plan
