// The highest possible counter of a token at present. A node that sends a higher counter is not
// believed.
//
// A counter grows by one with each grant, and no group gets a grant every microsecond. Thus the
// counters of honest nodes are below the number of microseconds since 1970, and this bound grows
// faster than any counter. A node that lies can waste numbers, but there are always enough numbers
// left.
//
// An honest node may repeat a lie that it received. Thus each further receiver accepts more:
// masters accept one hour ahead from workers and two hours from masters; workers accept three hours
// in orders. These hours also allow for different clocks.
//
// Fault model: any node lies; clocks differ by less than an hour. Thread rule: free functions.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/wire/messages.hpp"

namespace fixkeep::wire {

struct CounterBounds {
  std::uint64_t said_by_worker = 0;  // sent from worker to master
  std::uint64_t said_by_master = 0;  // sent from master to master
  std::uint64_t ordered = 0;         // in orders from master to worker
};
[[nodiscard]] CounterBounds counter_bounds(std::chrono::system_clock::time_point now);

// Reduces the highest counter in a worker's report to at most `most`.
void bound_counters(Report& report, std::uint64_t most);

// True if no token of the message has a counter above `most`.
[[nodiscard]] bool counters_within(const Order& order, std::uint64_t most);
[[nodiscard]] bool counters_within(const BetweenMasters& message, std::uint64_t most);

}  // namespace fixkeep::wire
