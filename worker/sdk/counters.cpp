#include "worker/sdk/counters.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::worker {
namespace {

SdkError no_counter(const std::string& name) {
  return {SdkCode::unknown, "not found. " + name + " Counter not found"};
}

SdkError count_out_of_range(std::int64_t count, std::int64_t capacity) {
  return {SdkCode::unknown, "out of range. Count must be within range [0,Capacity]. Found Count: " +
                                std::to_string(count) + ", Capacity: " + std::to_string(capacity)};
}

bool fits(const CounterFacts& counter) {
  return counter.count >= 0 && counter.count <= counter.capacity;
}

}  // namespace

Counters::Counters(Map counters) : counters_(std::move(counters)) {
  for (auto& [name, counter] : counters_) {
    counter.capacity = std::max<std::int64_t>(counter.capacity, 0);
    counter.count = std::clamp<std::int64_t>(counter.count, 0, counter.capacity);
  }
}

SdkResult<CounterFacts> Counters::find(const std::string& name) const {
  const auto found = counters_.find(name);
  if (found == counters_.end()) return no_counter(name);
  return found->second;
}

SdkResult<bool> Counters::update(const std::string& name, const CounterUpdate& update) {
  if (!update.capacity && !update.count && update.difference == 0) {
    return SdkError{SdkCode::unknown,
                    "invalid argument. An update of a Counter has a capacity, a count or a "
                    "countDiff"};
  }
  const auto found = counters_.find(name);
  if (found == counters_.end()) return no_counter(name);
  CounterFacts next = found->second;
  if (update.capacity) {
    if (*update.capacity < 0) {
      return SdkError{
          SdkCode::unknown,
          "out of range. Capacity must be greater than or equal to 0. Found Capacity: " +
              std::to_string(*update.capacity)};
    }
    next.capacity = *update.capacity;
  }
  if (update.count) {
    next.count = *update.count;
    if (!fits(next)) return count_out_of_range(next.count, next.capacity);
  }
  if (update.difference != 0) {
    const std::int64_t before = next.count;
    if (__builtin_add_overflow(before, update.difference, &next.count) || !fits(next)) {
      return count_out_of_range(next.count, next.capacity);
    }
  }
  next.count = std::min(next.count, next.capacity);
  return std::exchange(found->second, next) != next;
}

}  // namespace fixkeep::worker
