#include "master/rules/plan/search.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace fixkeep::master::plan {

const std::vector<Seated>& Search::find(const Task& task, std::span<const Rank> ranks) {
  task_ = task;
  ranks_ = ranks;
  best_.clear();
  best_players_ = 0;
  looks_ = 0;
  rest_.assign(ranks.size() + 1, 0);
  for (std::size_t i = ranks.size(); i > 0; --i) {
    rest_[i - 1] = rest_[i] + (*task.waiting)[ranks[i - 1]].size;
  }
  most_ = std::min(task.rules->size.most, seated_by_roles());
  possible_ = sizes_suffice();
  if (!possible_) return best_;
  draft_.begin(*task.rules, *task.waiting);
  add(0);
  return best_;
}

// Returns whether the anchor and other candidates can fill a team of a size with which a room may
// start. Considers only the sizes of the tickets, and most_: the most players that can find roles.
bool Search::sizes_suffice() const {
  const Rules& rules = *task_.rules;
  const auto is_of_use = [&](std::uint32_t team) {
    const std::uint32_t players = team * rules.team_count();
    return players > task_.least && players <= most_ && rules.may_start(players, task_.oldest);
  };
  std::uint32_t largest = rules.team_size();
  while (largest > 0 && !is_of_use(largest)) --largest;
  if (largest == 0) return false;
  std::bitset<seats_most + 1> reached;
  reached.set((*task_.waiting)[ranks_[0]].size);
  for (std::size_t i = 1; i < ranks_.size(); ++i) {
    reached |= reached << (*task_.waiting)[ranks_[i]].size;
  }
  for (std::uint32_t team = 1; team <= largest; ++team) {
    if (reached[team] && is_of_use(team)) return true;
  }
  return false;
}

// Returns an upper bound for players that find roles. Players whose roles are all in one set get at
// most the seats of this set.
std::uint32_t Search::seated_by_roles() const {
  const Rules& rules = *task_.rules;
  std::uint32_t most = rest_[0];
  if (rules.roles.empty()) return most;
  RoleCounts counts;
  for (const Rank rank : ranks_) {
    for (const Member& member : (*task_.waiting)[rank].ticket->members) {
      counts.add_seated(member.roles, rules.roles.size());
    }
  }
  const RoleCounts::Seats& seats = task_.waiting->role_seats();
  for (std::size_t set = 1; set < std::size_t{1} << rules.roles.size(); ++set) {
    const std::uint32_t players = counts.players(set);
    most = std::min(most, rest_[0] - players + std::min(players, seats[set] * rules.team_count()));
  }
  return most;
}

bool Search::done() const {
  return best_players_ == most_ / task_.rules->team_count() * task_.rules->team_count() ||
         looks_ >= task_.looks || (task_.all && best_players_ > 0);
}

void Search::note() {
  const Rules& rules = *task_.rules;
  const std::uint32_t players = draft_.players();
  if (players <= std::max(best_players_, task_.least)) return;
  if (task_.all && draft_.seated().size() != ranks_.size()) return;
  if (!rules.may_start(players, task_.oldest) || !draft_.is_whole(rules)) return;
  best_ = draft_.seated();
  best_players_ = players;
}

void Search::extend(std::size_t from) {
  note();
  const std::uint32_t teams = task_.rules->team_count();
  const std::size_t end = task_.all ? std::min(from + 1, ranks_.size()) : ranks_.size();
  for (std::size_t i = from; i < end && !done(); ++i) {
    const std::uint32_t reach = (draft_.players() + rest_[i]) / teams * teams;
    if (std::min(reach, most_) <= std::max(best_players_, task_.least)) return;
    add(i);
  }
}

// Tries the candidate in each team, the smallest first. If several teams are empty, tries only one
// of these.
void Search::add(std::size_t index) {
  const std::uint32_t teams = task_.rules->team_count();
  std::array<std::uint32_t, teams_most> order{};
  std::uint32_t count = 0;
  bool empty = false;
  for (std::uint32_t team = 0; team < teams; ++team) {
    if (draft_.heads(team) == 0) {
      if (empty) continue;
      empty = true;
    }
    order[count++] = team;
  }
  std::sort(order.begin(), order.begin() + count, [&](std::uint32_t a, std::uint32_t b) {
    if (draft_.heads(a) != draft_.heads(b)) return draft_.heads(a) < draft_.heads(b);
    if (draft_.sum(a) != draft_.sum(b)) return draft_.sum(a) < draft_.sum(b);
    return a < b;
  });
  for (std::uint32_t t = 0; t < count; ++t) {
    ++looks_;
    const auto added = draft_.add(*task_.rules, *task_.waiting, ranks_[index], order[t]);
    if (added == Draft::Added::not_at_all) return;
    if (added == Draft::Added::not_to_team) continue;
    extend(index + 1);
    draft_.drop(*task_.rules, *task_.waiting);
    if (done()) return;
  }
}

}  // namespace fixkeep::master::plan
