// The locks with a logical clock (lamport, ricart-agrawala, maekawa) share this.
// Thread rule: constants.
#pragma once

#include <cstdint>

namespace fixkeep::lock {

// A time beyond this one is rubbish: no cluster asks so often. Our own counting must not overflow.
inline constexpr std::uint64_t largest_time = std::uint64_t{1} << 62U;

}  // namespace fixkeep::lock
