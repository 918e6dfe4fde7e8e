// The rules of the mesh locks by name. Scenarios, searches and lab/web leave them out by these
// names. Thread rule: constants. Errors: none.
#pragma once

#include <array>
#include <string_view>

#include "lock/core/rules.hpp"

namespace fixkeep::lock {

struct NamedRule {
  std::string_view name;
  bool Rules::*rule;
};

inline constexpr std::array<NamedRule, 19> named_rules{{
    {"hello", &Rules::hello},
    {"split fence", &Rules::split_fence},
    {"rounds", &Rules::rounds},
    {"gated reset", &Rules::gated_reset},
    {"all answers", &Rules::all_answers},
    {"first", &Rules::first},
    {"late answer", &Rules::late_answer},
    {"deferral", &Rules::deferral},
    {"given back", &Rules::given_back},
    {"one vote", &Rules::one_vote},
    {"vote kept", &Rules::vote_kept},
    {"restart wait", &Rules::restart_wait},
    {"both paths", &Rules::both_paths},
    {"lease wait", &Rules::lease_wait},
    {"own coordinator", &Rules::own_coordinator},
    {"promise kept", &Rules::promise_kept},
    {"lost pass", &Rules::lost_pass},
    {"new token fence", &Rules::new_token_fence},
    {"token ends", &Rules::token_ends},
}};

static_assert(sizeof(Rules) == named_rules.size(), "every rule is a bool and has a name");

// False: there is no such rule.
inline bool leave_out(std::string_view name, Rules& rules) {
  for (const auto& [known, rule] : named_rules) {
    if (known == name) rules.*rule = false;
    if (known == name) return true;
  }
  return false;
}

}  // namespace fixkeep::lock
