#include "common/base/wait_estimator.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace fixkeep {
namespace {

constexpr unsigned fine_bits = 4;
constexpr std::size_t fine = std::size_t{1} << fine_bits;

// After a wait of p50, half of the players have no seat yet; after p90, a tenth. The constants are
// slightly larger, because a product of many factors is not exact.
constexpr double half = 0.5 + 1e-9;
constexpr double tenth = 0.1 + 1e-9;

}  // namespace

std::size_t WaitHistogram::bucket_of(Duration waited) {
  const auto ms = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(waited).count()));
  if (ms < fine) return static_cast<std::size_t>(ms);
  const auto octave = static_cast<std::size_t>(std::bit_width(ms)) - fine_bits;
  const std::size_t bucket = octave * fine + ((ms >> (octave - 1)) & (fine - 1));
  return std::min(bucket, buckets - 1);
}

Duration WaitHistogram::longest_of(std::size_t bucket) {
  if (bucket < fine) return std::chrono::milliseconds{bucket};
  const std::size_t octave = bucket / fine;
  const std::uint64_t end = (fine + bucket % fine + 1) << (octave - 1);
  return std::chrono::milliseconds{end - 1};
}

void WaitHistogram::add(const WaitHistogram& other) {
  for (std::size_t i = 0; i < buckets; ++i) counts_[i] += other.counts_[i];
}

std::uint64_t WaitHistogram::count() const {
  std::uint64_t sum = 0;
  for (const std::uint32_t each : counts_) sum += each;
  return sum;
}

WaitEstimator::Slice& WaitEstimator::slice_at(TimePoint now) {
  if (slices_.empty()) slices_.resize(slices_most);
  const std::int64_t number = now.time_since_epoch() / slice;
  Slice& found = slices_[static_cast<std::size_t>(number) % slices_most];
  if (found.number != number) found = {};
  found.number = number;
  return found;
}

WaitEstimator::Slice WaitEstimator::sum(TimePoint now, std::uint64_t seated) const {
  Slice all;
  if (slices_.empty()) return all;
  const std::int64_t newest = now.time_since_epoch() / slice;
  for (std::int64_t number = newest;
       number >= 0 && number > newest - static_cast<std::int64_t>(slices_most); --number) {
    const Slice& each = slices_[static_cast<std::size_t>(number) % slices_most];
    if (each.number != number) continue;
    all.seated.add(each.seated);
    all.gave_up.add(each.gave_up);
    if (all.seated.count() >= seated) break;
  }
  return all;
}

namespace {

WaitEstimator::Waits product_limit(const WaitHistogram& seated, const WaitHistogram& gave_up,
                                   const WaitHistogram& waiting) {
  WaitEstimator::Waits waits;
  std::uint64_t left = seated.count() + gave_up.count() + waiting.count();
  double without = 1;  // share of players without a seat after the wait of `bucket`
  for (std::size_t bucket = 0; bucket < WaitHistogram::buckets && left > 0; ++bucket) {
    without *= 1 - static_cast<double>(seated[bucket]) / static_cast<double>(left);
    if (without <= half && !waits.p50) waits.p50 = WaitHistogram::longest_of(bucket);
    if (without <= tenth) {
      waits.p90 = WaitHistogram::longest_of(bucket);
      break;
    }
    left -= seated[bucket] + gave_up[bucket] + waiting[bucket];
  }
  return waits;
}

}  // namespace

WaitEstimator::Waits WaitEstimator::seen(TimePoint now) const {
  const Slice all = sum(now, std::numeric_limits<std::uint64_t>::max());
  return product_limit(all.seated, {}, {});
}

std::uint64_t WaitEstimator::seated_count(TimePoint now) const {
  return sum(now, std::numeric_limits<std::uint64_t>::max()).seated.count();
}

WaitEstimator::Waits WaitEstimator::estimate(TimePoint now, const WaitHistogram& waiting) const {
  const Slice all = sum(now, enough);
  return product_limit(all.seated, all.gave_up, waiting);
}

}  // namespace fixkeep
