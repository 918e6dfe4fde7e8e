#include "client-sim/load/own_lateness.hpp"

#include <algorithm>
#include <cstdint>

namespace fixkeep::client_sim {

namespace {

double ms_between(OwnLateness::Time from, OwnLateness::Time to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

void OwnLateness::tick(Time now) {
  if (now < next_) return;
  last_ms_ = ms_between(next_, now);
  for (; next_ <= now; next_ += every) all_ms_.push_back(ms_between(next_, now));
}

std::chrono::milliseconds OwnLateness::lag(Time now) const {
  const double overdue = next_ < now ? ms_between(next_, now) : 0;
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::max(overdue, last_ms_))};
}

}  // namespace fixkeep::client_sim
