// Estimates the wait of a new player from recent waits of others.
//
// The Kaplan-Meier estimator also counts players without a seat: their real wait is longer than
// their wait so far. If the estimator counted only seated players, a mode that seats no player any
// more would keep its last, short estimate. Time is divided into slices. The estimate uses the
// newest slices that together contain `enough` seated players, at most slices_most slices.
//
// Thread rule: values with one owner. Bounds: slices_most slices. The error of a stored wait is at
// most a sixteenth of this wait. A wait above 70 minutes counts as 70 minutes. Errors: none.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep {

// Counts players by the length of their wait.
class WaitHistogram {
 public:
  static constexpr std::size_t buckets = 304;

  void add(Duration waited) { ++counts_[bucket_of(waited)]; }
  void add(const WaitHistogram& other);
  void clear() { counts_.fill(0); }
  [[nodiscard]] std::uint64_t operator[](std::size_t bucket) const { return counts_[bucket]; }
  [[nodiscard]] std::uint64_t count() const;

  [[nodiscard]] static std::size_t bucket_of(Duration waited);
  // The longest wait of the bucket.
  [[nodiscard]] static Duration longest_of(std::size_t bucket);

 private:
  std::array<std::uint32_t, buckets> counts_{};
};

class WaitEstimator {
 public:
  static constexpr Duration slice = std::chrono::seconds{30};
  static constexpr std::size_t slices_most = 20;
  static constexpr std::uint64_t enough = 100;

  // A percentile has no value if it is longer than any known wait.
  struct Waits {
    std::optional<Duration> p50;
    std::optional<Duration> p90;

    friend bool operator==(const Waits&, const Waits&) = default;
  };

  void seated(Duration waited, TimePoint now) { slice_at(now).seated.add(waited); }
  // Counts a player that hung up or was refused.
  void gave_up(Duration waited, TimePoint now) { slice_at(now).gave_up.add(waited); }

  // seen() returns the percentiles for the players that got a seat in the last slices_most slices.
  // seated_count() returns the number of these players.
  [[nodiscard]] Waits seen(TimePoint now) const;
  [[nodiscard]] std::uint64_t seated_count(TimePoint now) const;
  // Estimates the wait of a new player. `waiting`: how long each waiting player has waited.
  [[nodiscard]] Waits estimate(TimePoint now, const WaitHistogram& waiting) const;

 private:
  struct Slice {
    std::int64_t number = -1;  // the slice's time, divided by the length of a slice
    WaitHistogram seated;
    WaitHistogram gave_up;
  };
  [[nodiscard]] Slice& slice_at(TimePoint now);
  // Adds up the newest slices until the sum has `seated` seated players.
  [[nodiscard]] Slice sum(TimePoint now, std::uint64_t seated) const;

  std::vector<Slice> slices_;  // empty until the first wait
};

}  // namespace fixkeep
