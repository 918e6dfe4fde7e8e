#include "master/http/statistics.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::master {

void MatchStatistics::renew(const std::vector<Mode>& modes) {
  std::vector<OfMode> before = std::exchange(modes_, {});
  for (const Mode& mode : modes) {
    const auto known = std::ranges::find(before, mode.name, &OfMode::mode);
    modes_.push_back(known != before.end() ? std::move(*known)
                                           : OfMode{.mode = mode.name,
                                                    .outcomes = {{seated, 0}, {cancelled, 0}},
                                                    .seated = {},
                                                    .refused = {},
                                                    .cancelled = {}});
  }
}

DurationHistogram MatchStatistics::seated_in_all_modes() const {
  DurationHistogram all;
  for (const OfMode& of_mode : modes_) all.add(of_mode.seated);
  return all;
}

void MatchStatistics::ended(std::size_t mode, std::string_view outcome, Duration took) {
  OfMode& counted = modes_[mode];
  --counted.waiting;
  ++counted.outcomes[outcome];
  auto& durations = outcome == seated      ? counted.seated
                    : outcome == cancelled ? counted.cancelled
                                           : counted.refused;
  durations.add(took);
}

}  // namespace fixkeep::master
