#include "common/obs/log_limit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fixkeep::obs {

std::optional<std::uint64_t> LogLimit::admit(std::string_view kind, TimePoint now) {
  auto found = kinds_.find(kind);
  if (found == kinds_.end()) {
    if (kinds_.size() >= options_.kinds) make_room();
    found = kinds_.try_emplace(std::string{kind}, Kind{now, now, options_.interval}).first;
  }
  Kind& known = found->second;
  if (now - known.since >= known.interval) begin_next(known, now);
  known.asked = now;
  if (known.lines++ < options_.burst) return std::exchange(known.left_out, 0);
  ++known.left_out;
  return std::nullopt;
}

std::vector<LogLimit::Summary> LogLimit::summaries(TimePoint now) {
  std::vector<Summary> result;
  for (auto next = kinds_.begin(); next != kinds_.end();) {
    Kind& kind = next->second;
    if (kind.left_out > 0 && now - kind.since >= kind.interval) {
      result.push_back({next->first, std::exchange(kind.left_out, 0)});
      // The summary counts as a line: it begins the next interval.
      begin_next(kind, now);
      kind.lines = options_.burst;
    }
    const bool ended = kind.left_out == 0 && now - kind.asked >= options_.longest_interval;
    next = ended ? kinds_.erase(next) : std::next(next);
  }
  if (of_others_ > 0) result.push_back({"others", std::exchange(of_others_, 0)});
  return result;
}

void LogLimit::begin_next(Kind& kind, TimePoint now) const {
  const bool ended = now - kind.asked >= options_.longest_interval;
  kind.interval =
      ended ? options_.interval : std::min(2 * kind.interval, options_.longest_interval);
  kind.since = now;
  kind.lines = 0;
}

void LogLimit::make_room() {
  const auto oldest = std::min_element(
      kinds_.begin(), kinds_.end(),
      [](const auto& a, const auto& b) { return a.second.since < b.second.since; });
  of_others_ += oldest->second.left_out;
  kinds_.erase(oldest);
}

std::string more_like_it(std::uint64_t left_out) {
  if (left_out == 0) return {};
  return " (and " + std::to_string(left_out) + " more like it)";
}

}  // namespace fixkeep::obs
