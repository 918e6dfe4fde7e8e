// The highest possible counters of tokens by now: higher ones from a node are not believed.
//
// A counter grows by one with a grant and no group is granted a lock every microsecond. Honest
// nodes thus stay below the number of microseconds since 1970 and the bound grows faster than any
// counter. A liar wastes numbers but never the last one.
//
// A node may repeat a lie that it heard. Each step thus allows more than the one before. Workers
// are believed up to one hour ahead and masters up to two. A worker takes orders up to three. The
// hours are room for clocks that differ.
//
// Fault model: any node lies; clocks differ by less than an hour. Thread rule: free functions.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/wire/messages.hpp"

namespace fixkeep::wire {

struct CounterBounds {
  std::uint64_t said_by_worker = 0;  // told by a worker to a master
  std::uint64_t said_by_master = 0;  // told by a master to another
  std::uint64_t ordered = 0;         // ordered by a master, of a worker
};
[[nodiscard]] CounterBounds counter_bounds(std::chrono::system_clock::time_point now);

// The highest token that a worker says it has seen becomes one that can be.
void bound_counters(Report& report, std::uint64_t most);

// Whether no token of the message is beyond.
[[nodiscard]] bool counters_within(const Order& order, std::uint64_t most);
[[nodiscard]] bool counters_within(const BetweenMasters& message, std::uint64_t most);

}  // namespace fixkeep::wire
