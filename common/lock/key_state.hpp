// One key of a LockTable: its machine, what the caller wants of it, and when that ends.
// Thread rule: values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "common/base/time.hpp"
#include "common/lock/any_machine.hpp"
#include "common/lock/lock_table.hpp"

namespace fixkeep::lock {

struct KeyState {
  AnyMachine machine;
  Want want = Want::nothing;
  TimePoint since;                     // of `want`
  TimePoint deadline;                  // of the wait or the lease; when idle, of the sweep
  TimePoint alarm = TimePoint::max();  // the machine's own timer

  [[nodiscard]] bool forgettable() const {
    return std::visit([](const auto& seen) { return seen.forgettable(); }, machine);
  }
};

template <class Question>
auto ask(const AnyMachine& machine, Question question) {
  return std::visit(question, machine);
}

// A full table looks at so many keys for one to forget before it gives up: a bound on the work that
// a flood of keys can cause.
inline constexpr std::size_t eviction_candidates = 64;

// Bucket i of a histogram counts times below 2^i microseconds, the last one all others too.
inline constexpr std::size_t histogram_buckets = 32;

inline void count(std::vector<std::uint64_t>& histogram, Duration time) {
  const auto microseconds = static_cast<std::uint64_t>(std::max<Duration::rep>(time.count(), 0));
  ++histogram[std::min<std::size_t>(std::bit_width(microseconds), histogram_buckets - 1)];
}

}  // namespace fixkeep::lock
