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

std::optional<Duration> next_change(const Rules& rules, Duration age) {
  std::optional<Duration> first;
  const auto offer = [&](std::optional<Duration> at) {
    if (at && *at > age && (!first || *at < *first)) first = at;
  };
  for (const DistanceRule& rule : rules.distances) offer(next_step(rule.steps, age));
  if (rules.latency) offer(next_step(rules.latency->steps, age));
  if (rules.size.least < rules.size.best) offer(rules.size.after);
  if (rules.avoid && rules.avoid->until < Duration::max()) offer(rules.avoid->until);
  return first;
}

}  // namespace fixkeep::master::plan
