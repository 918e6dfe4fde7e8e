// Rules and pools that a seed draws, small enough for the judge (plan_judge.hpp) and odd enough to
// be of use: few numbers, so that many are equal, and ages on both sides of each step.
//
// Thread rule: free functions. Bounds: as many tickets as asked for. Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/random.hpp"
#include "master/rules/plan/decision.hpp"
#include "tests/support/plan_fits.hpp"

namespace fixkeep::test {

[[nodiscard]] master::plan::Rules random_rules(Random& random);
// A ticket that has waited for up to 40 s.
[[nodiscard]] master::plan::Ticket random_ticket(const master::plan::Rules& rules, TicketId id,
                                                 TimePoint now, Random& random);
[[nodiscard]] PlanCase random_case(std::size_t tickets, Random& random);

[[nodiscard]] std::string to_text(const PlanCase& c, const master::plan::Decision& decision);

}  // namespace fixkeep::test
