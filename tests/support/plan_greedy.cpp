#include "tests/support/plan_greedy.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

namespace fixkeep::test {
namespace {

using namespace master::plan;

// Whether more tickets may come to these.
bool may_grow(const PlanCase& any_size, const TicketSet& set, std::size_t region) {
  if (!may_meet(any_size, set, region)) return false;
  if (any_size.rules.teams) return true;  // judged with the whole set
  std::vector<std::uint8_t> players;
  for (const Ticket* ticket : set) {
    for (const Member& member : ticket->members) players.push_back(member.roles);
  }
  return roles_suffice(any_size.rules, players);
}

class Greedy {
 public:
  explicit Greedy(const PlanCase& c) : c_(c), any_size_(c) {
    any_size_.rules.size.least = any_size_.rules.size.best = 1;
    for (const Ticket& ticket : c.tickets) {
      for (const Member& member : ticket.members) ++players_of_[member.roles];
    }
  }

  // A set that may start, with this ticket and others of `all`.
  TicketSet grow(const Ticket& first, const TicketSet& all) const {
    for (const bool rare_first : {false, true}) {
      TicketSet others = all;
      std::stable_sort(others.begin(), others.end(), [&](const Ticket* a, const Ticket* b) {
        return key(first, *a, rare_first) < key(first, *b, rare_first);
      });
      const std::size_t regions = c_.rules.latency ? c_.rules.latency->regions.size() : 1;
      for (std::size_t region = 0; region < regions; ++region) {
        TicketSet set = grow_in(first, others, region);
        if (!set.empty()) return set;
      }
    }
    return {};
  }

 private:
  std::int64_t key(const Ticket& first, const Ticket& other, bool rare_first) const {
    if (rare_first) return players_of_.at(other.members.front().roles);
    std::int64_t apart = 0;
    for (std::size_t n = 0; n < c_.rules.numbers.size(); ++n) {
      apart += std::abs(first.sums[n] - other.sums[n]);
    }
    return apart;
  }

  TicketSet grow_in(const Ticket& first, const TicketSet& others, std::size_t region) const {
    TicketSet set{&first};
    if (!may_grow(any_size_, set, region)) return {};
    for (const Ticket* other : others) {
      if (size_may_start(c_, set) && set_fits_in(c_, set, region)) return set;
      if (other == &first) continue;
      set.push_back(other);
      if (!may_grow(any_size_, set, region)) set.pop_back();
    }
    if (size_may_start(c_, set) && set_fits_in(c_, set, region)) return set;
    return {};
  }

  const PlanCase& c_;
  PlanCase any_size_;
  std::map<std::uint8_t, std::int64_t> players_of_;
};

}  // namespace

std::string left_out(const PlanCase& plan_case, const Decision& decision) {
  std::set<TicketId> gone;
  for (const Fill& fill : decision.fills) gone.insert(fill.ticket);
  for (const Placed& placed : decision.placed) gone.insert(placed.ticket);
  for (const Reason& reason : decision.refused) gone.insert(reason.ticket);
  TicketSet left;
  for (const Ticket& ticket : plan_case.tickets) {
    if (!gone.contains(ticket.id)) left.push_back(&ticket);
  }
  const Greedy greedy{plan_case};
  for (const Ticket* ticket : left) {
    std::string text;
    for (const Ticket* one : greedy.grow(*ticket, left)) {
      text += (text.empty() ? "" : " ") + std::to_string(one->id.number());
    }
    if (!text.empty()) return text;
  }
  return "";
}

std::size_t greedy_rooms(const PlanCase& plan_case) {
  TicketSet left;
  for (const Ticket& ticket : plan_case.tickets) left.push_back(&ticket);
  std::stable_sort(left.begin(), left.end(),
                   [](const Ticket* a, const Ticket* b) { return is_older(*a, *b); });
  const Greedy greedy{plan_case};
  std::size_t rooms = 0;
  while (!left.empty()) {
    TicketSet set = greedy.grow(*left.front(), left);
    rooms += set.empty() ? 0 : 1;
    set.push_back(left.front());
    std::erase_if(left, [&](const Ticket* one) {
      return std::find(set.begin(), set.end(), one) != set.end();
    });
  }
  return rooms;
}

}  // namespace fixkeep::test
