#include "master/rules/plan/decision.hpp"

namespace fixkeep::master::plan {

std::string_view to_string(Why why) {
  switch (why) {
    case Why::too_few: return "too-few";
    case Why::no_arrangement: return "no-arrangement";
    case Why::party_too_large: return "party-too-large";
    case Why::no_region: return "no-region";
    case Why::no_role: return "no-role";
  }
  return "";
}

void Decision::clear() {
  fills.clear();
  orders.clear();
  placed.clear();
  refused.clear();
  reasons.clear();
  passed.clear();
  next.reset();
  work = 0;
}

}  // namespace fixkeep::master::plan
