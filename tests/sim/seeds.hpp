// How many seeds a test of the simulator tries.
#pragma once

#include <cstdint>

namespace fixkeep::sim {

// Of so many all, or a twentieth where the sanitizers make each of them thirty times slower.
constexpr std::uint64_t seeds(std::uint64_t all) {
#ifdef FIXKEEP_SANITIZED
  return (all + 19) / 20;
#else
  return all;
#endif
}

}  // namespace fixkeep::sim
