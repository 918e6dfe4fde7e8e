// Messages with random contents, all within the limits, the smallest and largest values often.
//
// Thread rule: free functions, the generator is the caller's. Bounds: a list has a few elements, so
// that a test can try every byte of a message.
#pragma once

#include <cstddef>

#include "common/base/random.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::wire {

inline constexpr std::size_t message_types = std::variant_size_v<Message>;

// REQUIRES: type < message_types; it is the index of the alternative.
[[nodiscard]] Message random_message(Random& random, std::size_t type);
[[nodiscard]] RoomHint random_hint(Random& random);

}  // namespace fixkeep::wire
