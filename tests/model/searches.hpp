// The searches of the model checker as text: tests/model/*.txt have a line for each.
//
//   lock NAME, OPTION, …          what the searches after it explore, and what they all have
//   Suite.test [at least N]       the searches below it; they have so many states together
//     all of N: OPTION, …         explores everything, in fewer states than N: nothing is wrong
//     first N: OPTION, …          the same of the first N states
//     WHAT within N: OPTION, …    finds that WHAT is wrong, by N steps at most. With the rules that
//                                 OPTION leaves out, nothing is wrong in the first 100k states.
//
// N may end in k. An option is a member of Budget with its number (`link losses 1`), a member that
// is a switch (`connected`), or one of these:
//   no RULE                       leaves out a rule of the lock (lock/core/rule_names.hpp), or
//                                 of those around it: ordered links, lists told, basis, hints
//                                 passed on, hints kept, orders named, fenced or awaited
//   majority                      the quorum; otherwise the grid
//   lists 12 123 23               the masters that m1, m2, m3 list at their start
//   become 12 12 -                and at some time after it, where `-` stays as it is
//   # …                           is a comment
//
// A quarter of these states is explored unless the environment has FIXKEEP_SEARCH=whole, as
// scripts/test.sh sets it where what is searched has changed, and .ci/night always: then "all of"
// that stays below its quarter is complete, and is not held to it.
//
// Thread rule: free functions. Errors: std::runtime_error says what is wrong in which line.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

#include "tests/model/budget.hpp"

namespace fixkeep::model {

struct SearchCase {
  std::string text;  // its line
  Budget budget;
  Budget whole;           // the same with all rules
  std::string wrong;      // what is found; nothing: all holds
  std::size_t most = 0;   // states; with `wrong`: steps
  bool complete = false;  // the budget is small enough to see everything
  bool without = false;   // `whole` is another one than `budget`
};

struct SearchTest {
  std::string suite;
  std::string name;
  std::size_t least_states = 0;
  std::vector<SearchCase> cases;
};

[[nodiscard]] std::vector<SearchTest> read_searches(std::istream& text);

[[nodiscard]] bool searches_are_whole();

// Prints what was found, and fails the running test where that is something else than it says.
void run(const SearchTest& test, bool whole = searches_are_whole());

}  // namespace fixkeep::model
