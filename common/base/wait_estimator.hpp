// Estimates how long somebody who comes now will wait, by how long others have waited lately.
//
// The estimate is that of Kaplan and Meier: a player who gave up, or waits still, has shown only
// that it takes longer than that. Without them a mode in which nobody gets a seat any more would
// look as quick as the last ones that got one. It goes back over as many minutes as it takes to
// have seen `enough` players who got their seats, and no further than slices_most.
//
// Thread rule: values, one owner. Bounds: slices_most slices; waits are told to one part in
// sixteen, and those beyond an hour count as one. Errors: none.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep {

// It counts how many have waited for how long.
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

  // Nothing: it takes longer than anybody knows.
  struct Waits {
    std::optional<Duration> p50;
    std::optional<Duration> p90;

    friend bool operator==(const Waits&, const Waits&) = default;
  };

  void seated(Duration waited, TimePoint now) { slice_at(now).seated.add(waited); }
  // It has hung up, or was refused.
  void gave_up(Duration waited, TimePoint now) { slice_at(now).gave_up.add(waited); }

  // It tells how long those players waited that got a seat in the last slices_most slices, and how
  // many they were.
  [[nodiscard]] Waits seen(TimePoint now) const;
  [[nodiscard]] std::uint64_t seated_count(TimePoint now) const;
  // The estimate is for somebody who comes now. `waiting`: how long those who wait have waited.
  [[nodiscard]] Waits estimate(TimePoint now, const WaitHistogram& waiting) const;

 private:
  struct Slice {
    std::int64_t number = -1;  // of all time
    WaitHistogram seated;
    WaitHistogram gave_up;
  };
  [[nodiscard]] Slice& slice_at(TimePoint now);
  // Adds up the newest slices until so many got a seat.
  [[nodiscard]] Slice sum(TimePoint now, std::uint64_t seated) const;

  std::vector<Slice> slices_;  // empty until somebody has waited
};

}  // namespace fixkeep
