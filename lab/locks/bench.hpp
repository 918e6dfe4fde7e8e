// Measures one lock strategy among real lock nodes on this machine.
//
// Thread rule: blocks the calling thread in a single-threaded process. Bounds: the options'.
// Errors: the figures' `failure`; earlier measurements stay.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lab/locks/figures.hpp"
#include "lab/locks/nodes.hpp"

namespace fixkeep::client_sim {

struct LocksBenchOptions {
  double seconds = 2;            // length of each contended measurement
  std::uint32_t count = 10'000;  // uncontended acquisitions of a round
  std::uint32_t keys = 100;      // keys of the measurement with many keys
  std::uint32_t in_flight = 8;   // keys that each master wants or holds at a time, of many
  std::uint32_t hold_us = 0;
  std::uint32_t kills = 3;
  std::uint64_t seed = 1;
};

// Says what it does now.
using Note = std::function<void(const std::string&)>;

// One round of what is repeated: uncontended, contended on one key and on many.
void measure_round(LockNodes& nodes, const LocksBenchOptions& options, std::uint32_t round,
                   const Note& note, LockFigures& figures);

// Holders are killed one after the other. It is a different master each time.
void measure_kills(LockNodes& nodes, const LocksBenchOptions& options, const Note& note,
                   LockFigures& figures);

}  // namespace fixkeep::client_sim
