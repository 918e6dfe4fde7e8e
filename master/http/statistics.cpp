#include "master/http/statistics.hpp"

namespace fixkeep::master {

MatchStatistics::MatchStatistics(const std::vector<Mode>& modes) {
  modes_.reserve(modes.size());
  for (const Mode& mode : modes) {
    modes_.push_back({.mode = mode.name,
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
