// What the tests of the rules share: a header that breaks no rule, and the rules of findings.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <vector>

#include "tests/tidy/rules.hpp"

namespace fixkeep::tidy {

inline const std::string header_start = "// A header.\n#pragma once\n";

using Rules = std::vector<std::string>;

[[nodiscard]] inline Rules rules_of(const std::vector<Finding>& findings) {
  Rules rules;
  for (const auto& finding : findings) rules.push_back(finding.rule);
  return rules;
}

}  // namespace fixkeep::tidy
