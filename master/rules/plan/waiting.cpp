#include "master/rules/plan/waiting.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <numeric>

#include "master/rules/plan/draft.hpp"

namespace fixkeep::master::plan {
namespace {

std::uint32_t regions_of(const Rules& rules, const Ticket& ticket, Duration age) {
  if (!rules.latency) return 1;
  const std::int64_t limit = limit_at(rules.latency->steps, age);
  std::uint32_t mask = 0;
  for (std::size_t r = 0; r < rules.latency->regions.size(); ++r) {
    const std::uint16_t measured = ticket.latency_ms[r];
    if (measured != unmeasured && measured <= limit) mask |= std::uint32_t{1} << r;
  }
  return mask;
}

std::uint8_t roles_of(const Rules& rules, const Ticket& ticket) {
  if (rules.roles.empty()) return 1;
  std::uint32_t mask = 0;
  for (const Member& member : ticket.members) mask |= member.roles;
  return static_cast<std::uint8_t>(mask & ((1U << rules.roles.size()) - 1U));
}

// Returns whether both tickets find roles in one room. With several teams, they may be in different
// teams: then only `b` is checked, without `a`.
bool share_roles(const Rules& rules, const RoleCounts::Seats& seats, const Entry& a,
                 const Entry& b) {
  if (rules.roles.empty()) return true;
  RoleCounts counts;
  const auto add = [&](const Entry& entry) {
    return counts.add(*entry.ticket, seats, rules.roles.size());
  };
  if (rules.team_count() == 1) return add(a) && add(b);
  return add(b);
}

}  // namespace

void Waiting::load(const Rules& rules, const TicketPool& pool, TimePoint now) {
  if (!rules.roles.empty()) role_seats_ = RoleCounts::seats_of(rules.roles);
  entries_.clear();
  pool.each([&](const Ticket& ticket) {
    Entry& entry = entries_.emplace_back();
    entry.ticket = &ticket;
  });
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    if (a.ticket->since != b.ticket->since) return a.ticket->since < b.ticket->since;
    return a.ticket->id < b.ticket->id;
  });
  for (Entry& entry : entries_) {
    const Ticket& ticket = *entry.ticket;
    const Duration age = now - ticket.since;
    entry.size = static_cast<std::uint32_t>(ticket.members.size());
    entry.regions = regions_of(rules, ticket, age);
    entry.reach = ticket.no_backfill ? 0 : entry.regions;
    entry.roles = roles_of(rules, ticket);
    entry.heeds = rules.avoid && age < rules.avoid->until && !ticket.avoids.empty();
    for (std::size_t n = 0; n < rules.numbers.size(); ++n) { entry.means[n] = mean_of(ticket, n); }
    for (std::size_t d = 0; d < rules.distances.size(); ++d) {
      entry.limits[d] = limit_at(rules.distances[d].steps, age);
    }
  }
}

void Waiting::keep_regions(std::uint32_t regions) {
  for (Entry& entry : entries_) entry.regions &= regions;
}

void Waiting::take(Rank rank) {
  entries_[rank].taken = true;
  entries_[rank].listed = false;
}

void Waiting::set_seatable(Rank rank) {
  entries_[rank].seatable = true;
  entries_[rank].listed = false;
}

std::int64_t Waiting::place_of(const Rules& rules, Rank rank) const {
  if (!rules.distances.empty()) return entries_[rank].means[rules.distances.front().number];
  return rules.teams && rules.teams->number ? entries_[rank].means[*rules.teams->number] : 0;
}

// A size that other sizes cannot complete to a whole team is never visited. For example, parties of
// three alone make no team of five.
void Waiting::classify(const Rules& rules) {
  std::array<std::uint32_t, seats_most + 1> counts{};
  for (const Entry& entry : entries_) {
    if (!entry.taken) ++counts[std::min(entry.size, seats_most)];
  }
  sizes_.clear();
  for (std::uint32_t size = 1; size <= seats_most; ++size) {
    if (counts[size] > 0) sizes_.push_back(size);
  }
  for (Entry& entry : entries_) {
    const auto at = std::lower_bound(sizes_.begin(), sizes_.end(), entry.size);
    entry.size_class = static_cast<std::uint32_t>(at - sizes_.begin());
  }
  const std::uint32_t teams = rules.team_count();
  arrangeable_.assign(sizes_.size() + 1, 0);
  for (std::size_t own = 0; own < sizes_.size(); ++own) {
    if (sizes_[own] > rules.team_size()) continue;
    std::bitset<seats_most + 1> reached;
    reached.set(sizes_[own]);
    for (std::size_t other = 0; other < sizes_.size(); ++other) {
      std::uint32_t left = counts[sizes_[other]] - (other == own ? 1 : 0);
      left = std::min(left, rules.team_size() / sizes_[other]);
      for (; left > 0; --left) reached |= reached << sizes_[other];
    }
    for (std::uint32_t team = 1; team <= rules.team_size(); ++team) {
      const std::uint32_t players = team * teams;
      if (reached[team] && players >= rules.size.least && players <= rules.size.most) {
        arrangeable_[own] = 1;
      }
    }
  }
}

void Waiting::sort_kinds() {
  static constexpr std::size_t masks = std::size_t{1} << roles_most;
  static constexpr std::uint32_t unknown = ~0U;
  kinds_.clear();
  kind_of_.assign((sizes_.size() + 1) * masks, unknown);
  for (Entry& entry : entries_) {
    std::uint32_t& kind = kind_of_[entry.size_class * masks + entry.roles];
    if (kind == unknown) {
      kind = static_cast<std::uint32_t>(kinds_.size());
      kinds_.push_back({entry.size_class, entry.roles});
    }
    entry.kind = kind;
  }
}

void Waiting::list(const Rules& rules, Rank first) {
  classify(rules);
  sort_kinds();
  by_place_.resize(entries_.size());
  std::iota(by_place_.begin(), by_place_.end(), Rank{0});
  std::sort(by_place_.begin(), by_place_.end(), [&](Rank a, Rank b) {
    const auto left = place_of(rules, a);
    const auto right = place_of(rules, b);
    return left != right ? left < right : a < b;
  });
  const std::size_t regions = rules.latency ? rules.latency->regions.size() : 1;
  lists_.assign(regions * kinds_.size(), {});
  const auto each_list = [&](Rank rank, const auto& visit) {
    for (std::uint32_t left = entries_[rank].regions; left != 0; left &= left - 1) {
      const auto region = static_cast<std::size_t>(std::countr_zero(left));
      visit(lists_[region * kinds_.size() + entries_[rank].kind]);
    }
  };
  for (Rank rank = first; rank < entries_.size(); ++rank) {
    Entry& entry = entries_[rank];
    entry.listed = !entry.taken && !entry.seatable && arrangeable_[entry.size_class] != 0;
    if (entry.listed) each_list(rank, [](List& list) { ++list.end; });
  }
  std::uint32_t total = 0;
  for (List& list : lists_) {
    const std::uint32_t count = list.end;
    list.begin = list.end = total;
    total += count;
  }
  listed_.resize(total);
  for (const Rank rank : by_place_) {
    if (entries_[rank].listed) each_list(rank, [&](List& list) { listed_[list.end++] = rank; });
  }
  next_.resize(total);
  prev_.resize(total);
  std::iota(next_.begin(), next_.end(), std::uint32_t{0});
  std::iota(prev_.begin(), prev_.end(), std::uint32_t{0});
}

// Returns the first index from `at` with a listed ticket, or `end`.
std::uint32_t Waiting::forward(std::uint32_t at, std::uint32_t end) {
  std::uint32_t found = at;
  while (found < end && !entries_[listed_[found]].listed) {
    found = next_[found] == found ? found + 1 : next_[found];
  }
  while (at < found) {
    const std::uint32_t then = next_[at] == at ? at + 1 : next_[at];
    next_[at] = found;
    at = then;
  }
  return found;
}

// Returns the index after the last listed ticket before `at`, or `begin`.
std::uint32_t Waiting::backward(std::uint32_t at, std::uint32_t begin) {
  std::uint32_t found = at;
  while (found > begin && !entries_[listed_[found - 1]].listed) {
    found = prev_[found - 1] == found - 1 ? found - 1 : prev_[found - 1];
  }
  while (at > found) {
    const std::uint32_t then = prev_[at - 1] == at - 1 ? at - 1 : prev_[at - 1];
    prev_[at - 1] = found;
    at = then;
  }
  return found;
}

void Waiting::open_hands(const Rules& rules, Rank anchor, std::uint32_t region) {
  hands_.clear();
  counts_.assign(sizes_.size() + 1, {});
  const std::int64_t place = place_of(rules, anchor);
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const Kind kind = kinds_[k];
    const List list = lists_[region * kinds_.size() + k];
    if (list.begin == list.end || arrangeable_[kind.size_class] == 0) continue;
    if (sizes_[kind.size_class] + entries_[anchor].size > rules.size.most) continue;
    const auto at = std::lower_bound(
        listed_.begin() + list.begin, listed_.begin() + list.end, place,
        [&](Rank rank, std::int64_t wanted) { return place_of(rules, rank) < wanted; });
    const auto middle = static_cast<std::uint32_t>(at - listed_.begin());
    Hand hand{middle, middle, kind.size_class, kind.roles, list};
    hand.left = backward(middle, list.begin);
    hand.right = forward(middle, list.end);
    if (!aim(rules, place, hand)) continue;
    // All single players in a list have the same roles, so one of them is checked for all.
    const Entry& some = entries_[hand.rank];
    if (some.size > 1 || share_roles(rules, role_seats_, entries_[anchor], some))
      hands_.push_back(hand);
  }
}

bool Waiting::aim(const Rules& rules, std::int64_t place, Hand& hand) const {
  const bool left = hand.left > hand.list.begin;
  const bool right = hand.right < hand.list.end;
  if (!left && !right) return false;
  hand.distance = no_limit;
  if (left) {
    hand.to_left = true;
    hand.rank = listed_[hand.left - 1];
    hand.distance = place - place_of(rules, hand.rank);
  }
  if (!right) return true;
  const Rank other = listed_[hand.right];
  const std::int64_t apart = place_of(rules, other) - place;
  if (left && (apart > hand.distance || (apart == hand.distance && other > hand.rank))) return true;
  hand.to_left = false;
  hand.rank = other;
  hand.distance = apart;
  return true;
}

bool Waiting::may_meet(const Rules& rules, const Entry& anchor, const Entry& other) const {
  for (std::size_t d = 0; d < rules.distances.size(); ++d) {
    const DistanceRule& rule = rules.distances[d];
    const std::int64_t limit = rule.widening == Widening::both
                                   ? std::min(anchor.limits[d], other.limits[d])
                                   : anchor.limits[d];
    const std::int64_t apart = anchor.means[rule.number] - other.means[rule.number];
    if (std::max(apart, -apart) > limit) return false;
  }
  if (rules.avoid && avoid_each_other(anchor, other)) return false;
  if (rules.teams && rules.teams->number && rules.teams->size == 1) {
    const std::int64_t apart =
        anchor.means[*rules.teams->number] - other.means[*rules.teams->number];
    if (std::max(apart, -apart) > rules.teams->difference) return false;
  }
  return other.size == 1 || share_roles(rules, role_seats_, anchor, other);
}

// Returns whether, for each role in hand.roles, enough tickets of the hand's size were gathered.
// `times`: see gather().
bool Waiting::has_enough(const Rules& rules, const Hand& hand, std::uint32_t times) const {
  static constexpr std::uint32_t a_few = 6;
  const std::uint32_t bound = times * (2 * rules.size.most / sizes_[hand.size_class] + a_few);
  for (std::size_t role = 0; role < roles_most; ++role) {
    if ((hand.roles >> role & 1U) != 0 && counts_[hand.size_class][role] < bound) return false;
  }
  return true;
}

Waiting::Gathered Waiting::gather(const Rules& rules, Rank anchor, std::uint32_t region,
                                  std::uint32_t times, std::vector<Rank>& out) {
  out.clear();
  open_hands(rules, anchor, region);
  const std::int64_t place = place_of(rules, anchor);
  const std::int64_t limit = rules.distances.empty() ? no_limit : entries_[anchor].limits[0];
  bool all = true;
  std::uint64_t quarters = 4 * hands_.size();  // in quarters of a look: most checks fail early
  while (true) {
    const auto nearest =
        std::min_element(hands_.begin(), hands_.end(), [](const Hand& a, const Hand& b) {
          return a.distance != b.distance ? a.distance < b.distance : a.rank < b.rank;
        });
    if (nearest == hands_.end() || nearest->distance > limit) return {quarters / 4 + 1, all};
    if (has_enough(rules, *nearest, times)) {
      all = false;
      drop(*nearest);
      continue;
    }
    quarters += 1 + hands_.size() / 8;
    const Rank rank = nearest->rank;
    if (nearest->to_left) {
      nearest->left = backward(nearest->left - 1, nearest->list.begin);
    } else {
      nearest->right = forward(nearest->right + 1, nearest->list.end);
    }
    if (!aim(rules, place, *nearest)) drop(*nearest);
    const Entry& other = entries_[rank];
    if (!may_meet(rules, entries_[anchor], other)) continue;
    for (std::size_t role = 0; role < roles_most; ++role) {
      counts_[other.size_class][role] += other.roles >> role & 1U;
    }
    quarters += 3;
    out.push_back(rank);
  }
}

}  // namespace fixkeep::master::plan
