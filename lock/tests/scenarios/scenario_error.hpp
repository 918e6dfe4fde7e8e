// Says what is wrong with a scenario, for all runners of scenarios. Thread rule: values.
#pragma once

#include <stdexcept>
#include <string>

namespace fixkeep::scenarios {

struct ScenarioError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool condition, const std::string& otherwise) {
  if (!condition) throw ScenarioError(otherwise);
}

}  // namespace fixkeep::scenarios
