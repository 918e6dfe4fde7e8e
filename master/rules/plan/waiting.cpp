#include "master/rules/plan/waiting.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <numeric>

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

}  // namespace

void Waiting::load(const Rules& rules, const TicketPool& pool, TimePoint now) {
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

std::int64_t Waiting::place_of(const Rules& rules, Rank rank) const {
  return rules.distances.empty() ? 0 : entries_[rank].means[rules.distances.front().number];
}

// A size that cannot be part of a whole team, with whatever others there are, is never looked at: a
// pool of parties of three alone makes no team of five.
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

void Waiting::list(const Rules& rules, Rank first) {
  classify(rules);
  by_place_.resize(entries_.size());
  std::iota(by_place_.begin(), by_place_.end(), Rank{0});
  std::sort(by_place_.begin(), by_place_.end(), [&](Rank a, Rank b) {
    const auto left = place_of(rules, a);
    const auto right = place_of(rules, b);
    return left != right ? left < right : a < b;
  });
  const std::size_t regions = rules.latency ? rules.latency->regions.size() : 1;
  lists_.assign(regions * sizes_.size(), {});
  const auto each_list = [&](Rank rank, const auto& visit) {
    for (std::uint32_t left = entries_[rank].regions; left != 0; left &= left - 1) {
      const auto region = static_cast<std::size_t>(std::countr_zero(left));
      visit(lists_[region * sizes_.size() + entries_[rank].size_class]);
    }
  };
  for (Rank rank = first; rank < entries_.size(); ++rank) {
    Entry& entry = entries_[rank];
    entry.listed = !entry.taken && arrangeable_[entry.size_class] != 0;
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

// The first place from `at` on whose ticket is listed, or `end`.
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

// The place behind the last one before `at` whose ticket is listed, or `begin`.
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
  const std::int64_t place = place_of(rules, anchor);
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (sizes_[c] + entries_[anchor].size > rules.size.most || arrangeable_[c] == 0) continue;
    const List list = lists_[region * sizes_.size() + c];
    const auto at = std::lower_bound(
        listed_.begin() + list.begin, listed_.begin() + list.end, place,
        [&](Rank rank, std::int64_t wanted) { return place_of(rules, rank) < wanted; });
    const auto middle = static_cast<std::uint32_t>(at - listed_.begin());
    Hand hand{middle, middle, sizes_[c], 0, list};
    hand.left = backward(middle, list.begin);
    hand.right = forward(middle, list.end);
    hands_.push_back(hand);
  }
}

std::uint64_t Waiting::gather(const Rules& rules, Rank anchor, std::uint32_t region,
                              std::vector<Rank>& out) {
  static constexpr std::uint32_t a_few = 6;
  out.clear();
  open_hands(rules, anchor, region);
  const std::int64_t place = place_of(rules, anchor);
  const bool both = !rules.distances.empty() && rules.distances.front().widening == Widening::both;
  const std::int64_t limit = rules.distances.empty() ? no_limit : entries_[anchor].limits[0];
  std::uint64_t looks = hands_.size();
  while (true) {
    Hand* nearest = nullptr;
    bool to_left = false;
    std::int64_t distance = no_limit;
    Rank rank = 0;
    const auto offer = [&](Hand& hand, bool left, Rank other) {
      const std::int64_t other_place = place_of(rules, other);
      const std::int64_t apart = left ? place - other_place : other_place - place;
      if (nearest != nullptr && (apart > distance || (apart == distance && other > rank))) return;
      nearest = &hand;
      to_left = left;
      distance = apart;
      rank = other;
    };
    for (Hand& hand : hands_) {
      if (hand.many >= 2 * rules.size.most / hand.size + a_few) continue;
      if (hand.left > hand.list.begin) offer(hand, true, listed_[hand.left - 1]);
      if (hand.right < hand.list.end) offer(hand, false, listed_[hand.right]);
    }
    if (nearest == nullptr || distance > limit) return looks;
    ++looks;
    if (to_left) {
      nearest->left = backward(nearest->left - 1, nearest->list.begin);
    } else {
      nearest->right = forward(nearest->right + 1, nearest->list.end);
    }
    if (both && distance > entries_[rank].limits[0]) continue;
    ++nearest->many;
    out.push_back(rank);
  }
}

}  // namespace fixkeep::master::plan
