// Shared by the locks with a logical clock (lamport, ricart-agrawala, maekawa).
// Thread rule: constants.
#pragma once

#include <cstdint>

namespace fixkeep::lock {

// A larger time is invalid: no cluster makes so many requests. Thus our own clock cannot overflow.
inline constexpr std::uint64_t largest_time = std::uint64_t{1} << 62U;

}  // namespace fixkeep::lock
