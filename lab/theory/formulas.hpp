// formulas_of() returns the formulas in the paper of a lock of the mesh: the messages of a hold,
// and the synchronization delay. The delay is the time from a release to the next grant if masters
// wait.
//
// A formula is a value. If the paper gives only an upper bound, the formula is this bound. Delays
// are in flights. Thread rule: free functions without state. Errors: a lock without a formula has
// empty texts.
#pragma once

#include <cstddef>
#include <string>

namespace fixkeep::lab_theory {

struct Formula {
  std::string text;  // empty: no formula is known
  double value = 0;
  bool bound = false;  // at most `value`

  // True if `measured` is within 2 % of the formula, at most 2 % above a bound, or has no formula.
  [[nodiscard]] bool agrees(double measured) const;
};

struct Formulas {
  Formula light;  // messages of a hold without contention
  Formula heavy;  // messages of a hold if all masters always wait
  Formula delay;  // synchronization delay
  std::string source;
  std::string note;  // why the count of this implementation differs from the paper
};

[[nodiscard]] Formulas formulas_of(const std::string& strategy, std::size_t masters);

}  // namespace fixkeep::lab_theory
