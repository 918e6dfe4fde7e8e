// What the searches of all locks share: cases in which a lock has to hold, schedules that have to
// be found. Both print what they did.
// Thread rule: free functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/model/explore.hpp"
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {

struct Case {
  const char* name;
  Budget budget;
  std::size_t most_states;
  bool complete;  // the budget is small enough to see everything
};

// What was found, and the steps that lead there.
[[nodiscard]] std::string story(const Exploration& result);

// No violation in any of them; all of them together have `least_states` states.
void expect_all_hold(const std::vector<Case>& cases, std::size_t least_states);

// The search finds `what` within so many steps.
Exploration expect_found(const Budget& budget, const std::string& what, std::size_t longest_trace);

// With the variant two holders are found within so many steps; with the machine of production the
// same budget shows nothing.
void expect_found_without(Variant variant, Variant production, Budget budget,
                          std::size_t longest_trace);

// No violation within the first states.
void expect_nothing_found(const Budget& budget);

}  // namespace fixkeep::model
