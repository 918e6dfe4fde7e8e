// Judges a plan by what must hold of it (J1 to J5 of master/rules/plan/planner.hpp), and by nothing
// of how it was made: all sets, all teams and all roles are tried. So it is slow, and for few
// tickets.
//
// Thread rule: free functions and a value. Bounds: about ten tickets that wait on. Errors: in
// words, each with the letter of the rule; no words: nothing is wrong.
#pragma once

#include <string>
#include <vector>

#include "master/rules/plan/decision.hpp"
#include "tests/support/plan_fits.hpp"

namespace fixkeep::test {

// `whole`: every ticket has been looked at, so none may wait in vain.
[[nodiscard]] std::vector<std::string> judge_plan(const PlanCase& plan_case,
                                                  const master::plan::Decision& decision,
                                                  bool whole);

// The tickets that a decision passes over, exactly as decision.hpp says.
[[nodiscard]] std::vector<TicketId> passed_over(const PlanCase& plan_case,
                                                const master::plan::Decision& decision);

// The rooms as they are when everybody who got a seat in one has taken it.
[[nodiscard]] std::vector<master::plan::Room> rooms_after(const PlanCase& plan_case,
                                                          const master::plan::Decision& decision);

}  // namespace fixkeep::test
