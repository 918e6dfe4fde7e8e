// Looks for players whom a plan has left out though they make a room, in pools that are too large
// for the judge (plan_judge.hpp): from each ticket that waits on, a set grows by one ticket after
// the other, in several orders, until it may start.
//
// It shares no line with the planner. What it finds is a fault; what it does not find may be one
// all the same. Thread rule: free functions. Bounds: some hundreds of tickets. Errors: none.
#pragma once

#include <cstddef>
#include <string>

#include "master/rules/plan/decision.hpp"
#include "tests/support/plan_fits.hpp"

namespace fixkeep::test {

// Tickets that wait on and make a room, by number: "3 17 240"; no text if there are none.
[[nodiscard]] std::string left_out(const PlanCase& plan_case,
                                   const master::plan::Decision& decision);

// So many rooms a plain greedy makes: each ticket, the oldest first, takes those whom it may.
[[nodiscard]] std::size_t greedy_rooms(const PlanCase& plan_case);

}  // namespace fixkeep::test
