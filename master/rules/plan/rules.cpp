#include "master/rules/plan/rules.hpp"

namespace fixkeep::master::plan {

std::int64_t limit_at(const Steps& steps, Duration age) {
  std::int64_t limit = 0;
  for (const Step& step : steps) {
    if (step.after > age) break;
    limit = step.most;
  }
  return limit;
}

std::optional<Duration> next_step(const Steps& steps, Duration age) {
  for (const Step& step : steps) {
    if (step.after > age) return step.after;
  }
  return std::nullopt;
}

}  // namespace fixkeep::master::plan
