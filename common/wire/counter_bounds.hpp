// The counters of tokens can have got so far by now: what a node says of them is believed up to
// there.
//
// A counter grows by one with a grant, and no group is granted a lock every microsecond. So no
// honest node has got further than the number of microseconds since 1970, and the bound moves away
// faster than anybody counts: a liar costs the cluster numbers, and never the last one.
//
// Who hears a lie may repeat it, so each step is given more than the one before: what a worker says
// is believed up to one hour ahead, what a master says up to two, and a worker takes orders up to
// three. The hours are room for clocks that differ.
//
// Fault model: any node lies; clocks differ by less than an hour. Thread rule: free functions.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/wire/messages.hpp"

namespace fixkeep::wire {

struct CounterBounds {
  std::uint64_t said_by_worker = 0;  // to a master
  std::uint64_t said_by_master = 0;  // to another
  std::uint64_t ordered = 0;         // by a master, of a worker
};
[[nodiscard]] CounterBounds counter_bounds(std::chrono::system_clock::time_point now);

// The highest token that a worker says it has seen becomes one that can be.
void bound_counters(Report& report, std::uint64_t most);

// Whether no token of the message is beyond.
[[nodiscard]] bool counters_within(const Order& order, std::uint64_t most);
[[nodiscard]] bool counters_within(const BetweenMasters& message, std::uint64_t most);

}  // namespace fixkeep::wire
