// What the rules of a plan (master/rules/plan/rules.hpp) allow, by trying all teams and all roles.
// It shares no line with the planner.
//
// Thread rule: free functions. Bounds: about ten tickets. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::test {

struct PlanCase {
  master::plan::Rules rules;
  std::vector<master::plan::Ticket> tickets;
  std::vector<master::plan::Room> rooms;
  TimePoint now;
  std::uint32_t regions = ~0U;  // Budget::regions
};

using TicketSet = std::vector<const master::plan::Ticket*>;
using TicketTeams = std::vector<TicketSet>;

// Whether each of these players of a team, as Member::roles, finds a role.
[[nodiscard]] bool roles_suffice(const master::plan::Rules& rules,
                                 const std::vector<std::uint8_t>& players);
[[nodiscard]] bool is_older(const master::plan::Ticket& a, const master::plan::Ticket& b);
[[nodiscard]] std::uint32_t players_of(const TicketSet& set);
[[nodiscard]] bool size_may_start(const PlanCase& c, const TicketSet& set);
[[nodiscard]] bool distances_hold(const PlanCase& c, const TicketSet& set);
[[nodiscard]] bool teams_are_fair(const PlanCase& c, const TicketTeams& teams);
// All but teams and roles.
[[nodiscard]] bool may_meet(const PlanCase& c, const TicketSet& set, std::size_t region);
[[nodiscard]] bool set_fits_in(const PlanCase& c, const TicketSet& set, std::size_t region);
[[nodiscard]] bool set_fits(const PlanCase& c, const TicketSet& set);

// A room as its newcomers change it. All of a team find their roles together.
struct LiveRoom {
  master::plan::Room room;
  TicketTeams joined;
};

// All but teams and roles.
[[nodiscard]] bool room_takes(const PlanCase& c, const LiveRoom& live,
                              const master::plan::Ticket& ticket);
[[nodiscard]] bool team_takes(const PlanCase& c, const LiveRoom& live,
                              const master::plan::Ticket& ticket, std::size_t team);
[[nodiscard]] bool takes(const PlanCase& c, const LiveRoom& live,
                         const master::plan::Ticket& ticket);
void seat(const PlanCase& c, LiveRoom& live, const master::plan::Ticket& ticket, std::size_t at);

}  // namespace fixkeep::test
