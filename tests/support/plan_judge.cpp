#include "tests/support/plan_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace fixkeep::test {
namespace {

using namespace master::plan;

class Judge {
 public:
  Judge(const PlanCase& c, const Decision& decision) : c_(c), decision_(decision) {
    for (const Ticket& ticket : c.tickets) waiting_[ticket.id] = &ticket;
    for (const Room& room : c.rooms) rooms_[room.id] = {room, TicketTeams(room.teams.size())};
    refused();
    fills();
    orders();
  }

  std::vector<std::string> run(bool whole) {
    needed();
    tight();
    if (whole) live();
    passes();
    return std::move(wrong_);
  }

  std::vector<TicketId> passed() const {
    std::vector<TicketId> found;
    for (const auto& [id, ticket] : waiting_) {
      if (std::any_of(orders_.begin(), orders_.end(),
                      [&, own = ticket](const auto& order) { return passes_over(order, *own); })) {
        found.push_back(id);
      }
    }
    return found;
  }

  std::vector<Room> rooms() const {
    std::vector<Room> all;
    for (const auto& [id, live] : rooms_) {
      all.push_back(live.room);
      for (const TicketSet& team : live.joined) {
        for (const Ticket* ticket : team) {
          for (const Member& member : ticket->members) all.back().players.push_back(member.player);
        }
      }
    }
    return all;
  }

 private:
  struct Made {
    TicketSet set;
    std::size_t region = 0;
  };

  template <class... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    wrong_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  const Ticket* take(TicketId id) {
    const auto found = waiting_.find(id);
    if (found == waiting_.end()) {
      say("J4: ticket {} is placed twice, or nobody knows it", id.number());
      return nullptr;
    }
    const Ticket* ticket = found->second;
    waiting_.erase(found);
    return ticket;
  }

  bool never(const Ticket& ticket) const {
    const std::uint32_t team = c_.rules.teams ? c_.rules.teams->size : c_.rules.size.most;
    if (ticket.members.size() > c_.rules.party || ticket.members.size() > team) return true;
    if (c_.rules.latency) {
      bool some = false;
      for (std::size_t r = 0; r < c_.rules.latency->regions.size(); ++r) {
        some = some || (ticket.latency_ms[r] != unmeasured &&
                        ticket.latency_ms[r] <= c_.rules.latency->steps.back().most);
      }
      if (!some) return true;
    }
    const auto plays_none = [&](const Member& member) {
      for (std::size_t role = 0; role < c_.rules.roles.size(); ++role) {
        if ((member.roles >> role & 1) != 0) return false;
      }
      return !c_.rules.roles.empty();
    };
    return std::any_of(ticket.members.begin(), ticket.members.end(), plays_none);
  }

  void refused() {
    for (const Reason& reason : decision_.refused) {
      const Ticket* ticket = take(reason.ticket);
      if (ticket != nullptr && !never(*ticket)) {
        say("ticket {} is refused, though it could be matched one day", reason.ticket.number());
      }
    }
    for (const auto& [id, ticket] : waiting_) {
      if (never(*ticket)) say("ticket {} can never be matched, and is not told", id.number());
    }
  }

  void fills() {
    for (const Fill& fill : decision_.fills) {
      const Ticket* ticket = take(fill.ticket);
      const auto room = rooms_.find(fill.room);
      if (ticket == nullptr) continue;
      nobody_older_fits(*ticket);
      if (room == rooms_.end() || fill.team >= room->second.room.teams.size() ||
          !room_takes(c_, room->second, *ticket) ||
          !team_takes(c_, room->second, *ticket, fill.team)) {
        say("J1: room {} does not take ticket {}", fill.room, fill.ticket.number());
        continue;
      }
      seat(c_, room->second, *ticket, fill.team);
    }
  }

  void nobody_older_fits(const Ticket& ticket) {
    for (const auto& [id, other] : waiting_) {
      if (!is_older(*other, ticket) || never(*other)) continue;
      for (const auto& [room, live] : rooms_) {
        if (takes(c_, live, *other)) {
          say("J5: ticket {} fits room {}, and a younger one is put into a room", id.number(),
              room);
        }
      }
    }
  }

  void orders() {
    for (std::size_t i = 0; i < decision_.orders.size(); ++i) {
      const Order& order = decision_.orders[i];
      Made made{{}, order.region};
      TicketTeams teams(c_.rules.teams ? c_.rules.teams->count : 1);
      for (std::uint32_t p = order.first; p < order.first + order.count; ++p) {
        const Placed& placed = decision_.placed.at(p);
        const Ticket* ticket = take(placed.ticket);
        if (ticket == nullptr) continue;
        made.set.push_back(ticket);
        teams.at(placed.team).push_back(ticket);
      }
      if (made.set.empty()) continue;
      if (!size_may_start(c_, made.set)) say("J1: order {} has a size that may not start", i);
      if (!distances_hold(c_, made.set)) say("J1: order {} is too wide", i);
      if (players_of(made.set) != order.players) say("order {} does not say its players", i);
      if (size_may_start(c_, made.set) && distances_hold(c_, made.set) &&
          !may_meet(c_, made.set, order.region)) {
        say("J1: order {} has somebody too far away, or to be avoided", i);
      }
      if (!teams_are_fair(c_, teams)) say("J1: order {} has no fair teams", i);
      orders_.push_back(std::move(made));
    }
  }

  void needed() {
    for (const Made& made : orders_) {
      for (const Ticket* ticket : made.set) {
        for (const auto& [id, live] : rooms_) {
          if (takes(c_, live, *ticket)) say("J2: ticket {} fits room {}", ticket->id.number(), id);
        }
      }
    }
  }

  void tight() {
    for (std::size_t a = 0; a < orders_.size(); ++a) {
      for (std::size_t b = a + 1; b < orders_.size(); ++b) {
        TicketSet both = orders_[a].set;
        both.insert(both.end(), orders_[b].set.begin(), orders_[b].set.end());
        if (set_fits(c_, both)) say("J3: orders {} and {} could be one room", a, b);
      }
    }
  }

  void live() {
    std::vector<const Ticket*> left;
    for (const auto& [id, ticket] : waiting_) {
      if (never(*ticket)) continue;
      left.push_back(ticket);
      for (const auto& [room, one] : rooms_) {
        if (takes(c_, one, *ticket)) say("J5: ticket {} fits room {}", id.number(), room);
      }
    }
    for (std::size_t mask = 1; mask < std::size_t{1} << left.size(); ++mask) {
      TicketSet set;
      for (std::size_t i = 0; i < left.size(); ++i) {
        if ((mask >> i & 1U) != 0) set.push_back(left[i]);
      }
      if (!size_may_start(c_, set) || !set_fits(c_, set)) continue;
      say("J5: tickets of mask {:x}, the first of them {}, wait in vain", mask,
          set.front()->id.number());
      return;
    }
  }

  bool passes_over(const Made& made, const Ticket& ticket) const {
    for (std::size_t i = 0; i < made.set.size(); ++i) {
      if (!is_older(ticket, *made.set[i])) continue;
      if (made.set[i]->members.size() != ticket.members.size()) continue;
      TicketSet instead = made.set;
      instead[i] = &ticket;
      if (set_fits_in(c_, instead, made.region)) return true;
    }
    return false;
  }

  void passes() {
    for (const TicketId id : passed()) {
      if (std::find(decision_.passed.begin(), decision_.passed.end(), id) ==
          decision_.passed.end()) {
        say("J5: ticket {} is passed over, and is not told", id.number());
      }
    }
  }

  const PlanCase& c_;
  const Decision& decision_;
  std::map<TicketId, const Ticket*> waiting_;
  std::map<std::uint64_t, LiveRoom> rooms_;
  std::vector<Made> orders_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> judge_plan(const PlanCase& plan_case, const Decision& decision,
                                    bool whole) {
  return Judge{plan_case, decision}.run(whole);
}

std::vector<TicketId> passed_over(const PlanCase& plan_case, const Decision& decision) {
  return Judge{plan_case, decision}.passed();
}

std::vector<Room> rooms_after(const PlanCase& plan_case, const Decision& decision) {
  return Judge{plan_case, decision}.rooms();
}

}  // namespace fixkeep::test
