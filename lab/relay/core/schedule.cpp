#include "lab/relay/core/schedule.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::relay {

namespace {

constexpr std::size_t segment_bytes = 1460;  // Ethernet's 1500 without the headers
constexpr Duration least_timeout = std::chrono::milliseconds{200};
constexpr int most_doublings = 6;

}  // namespace

Duration opening_time(const Conditions& conditions) {
  return 3 * conditions.delay;
}

// Returns how long losses delay these bytes. Segments lost together are retransmitted together, so
// only the longest wait counts.
Duration Schedule::stall(std::size_t bytes) {
  if (conditions_.loss <= 0) return Duration::zero();
  auto longest = Duration::zero();
  const auto timeout = std::max(least_timeout, 2 * conditions_.delay);
  const auto segments = (bytes + segment_bytes - 1) / segment_bytes;
  for (std::size_t segment = 0; segment < segments; ++segment) {
    auto wait = timeout;
    auto stalled = Duration::zero();
    for (int again = 0; again <= most_doublings && random_.chance(conditions_.loss); ++again) {
      stalled += wait;
      wait *= 2;
    }
    longest = std::max(longest, stalled);
  }
  return longest;
}

TimePoint Schedule::due(TimePoint now, std::size_t bytes) {
  auto delay = conditions_.delay;
  if (conditions_.jitter > Duration::zero()) {
    const auto most = conditions_.jitter.count();
    delay += Duration{random_.between(-most, most)};
  }
  return std::max(now, now + delay + stall(bytes));
}

void Schedule::arrive(TimePoint now, std::string_view bytes) {
  if (ending_ || bytes.empty()) return;
  waiting_bytes_ += bytes.size();
  waiting_.push_back({due(now, bytes.size()), std::string{bytes}, std::nullopt});
}

void Schedule::end(TimePoint now, Ending ending) {
  if (ending_ == ending || ending_ == Ending::reset) return;
  ending_ = ending;
  waiting_.push_back({due(now, 1), {}, ending});
}

std::optional<TimePoint> Schedule::next() const {
  if (waiting_.empty() || conditions_.cut == cut_) return {};
  return waiting_.front().due;
}

Departure Schedule::take(TimePoint now) {
  Departure leaving;
  while (!leaving.ending && next() && *next() <= now) {
    auto& first = waiting_.front();
    waiting_bytes_ -= first.bytes.size();
    if (leaving.bytes.empty()) {
      leaving.bytes = std::move(first.bytes);
    } else {
      leaving.bytes += first.bytes;
    }
    leaving.ending = first.ending;
    waiting_.pop_front();
  }
  return leaving;
}

}  // namespace fixkeep::relay
