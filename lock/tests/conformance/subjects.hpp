// The strategies that the suite runs over.
#pragma once

#include <vector>

#include "lock/tests/conformance/conformance.hpp"

namespace fixkeep::conformance {

[[nodiscard]] inline std::vector<Subject> subjects(bool engines_only) {
  std::vector<Subject> all;
  for (const auto& strategy : lock::strategies) {
    if (strategy.family == lock::Family::none) continue;
#ifdef FIXKEEP_KUBERNETES_LEASE
    if (strategy.name != "kubernetes-lease") continue;
#else
    // conformance_lock_lease has it: it needs a kube-apiserver.
    if (strategy.name == "kubernetes-lease") continue;
#endif
    if (engines_only && strategy.family != lock::Family::engine) continue;
    all.push_back({std::string{strategy.name}});
    if (strategy.name == "maekawa") {
      all.push_back({std::string{strategy.name}, lock::Quorum::majority});
    }
  }
  return all;
}

}  // namespace fixkeep::conformance

#define SUBJECTS(suite)                                                                     \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::ValuesIn(subjects(/*engines_only=*/false)), \
                           [](const auto& each) { return each.param.name(); })
#define ENGINE_SUBJECTS(suite)                                                             \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::ValuesIn(subjects(/*engines_only=*/true)), \
                           [](const auto& each) { return each.param.name(); })
