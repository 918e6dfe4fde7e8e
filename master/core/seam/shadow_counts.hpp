// These counts compare the shadow rules of a mode with the live rules. The counts grow when the
// live plan seats a claim.
//
// Thread rule: values. Bounds: plan::numbers_most numbers. A sum wraps at 2^64, like any counter.
// Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/duration_histogram.hpp"
#include "common/base/wait_estimator.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

struct ShadowCounts {
  struct Rules {
    WaitHistogram waits;       // waits of claims, from the request to the decision that seats them
    DurationHistogram waited;  // the same waits, as durations
    // Sums over the claims that both plans seat: for each number, the highest minus the lowest
    // value in the claim's room.
    std::array<std::uint64_t, plan::numbers_most> spread{};
  };

  std::vector<std::string> numbers;  // names of the numbers, in the order of `spread`
  std::uint64_t plans = 0;           // plans with the shadow rules
  std::uint64_t unfinished = 0;      // plans with too many claims, so some were left out
  // Each claim that the live plan has seated counts in one of these three: the shadow plan has
  // seated the claim earlier, in the same decision, or not yet. live.waits contains all three,
  // shadow.waits the first two.
  std::uint64_t earlier = 0;
  std::uint64_t same_decision = 0;
  std::uint64_t not_yet = 0;
  Rules live;
  Rules shadow;

  [[nodiscard]] std::uint64_t by_both() const { return earlier + same_decision; }
  [[nodiscard]] std::uint64_t seated() const { return by_both() + not_yet; }
};

}  // namespace fixkeep::master
