// Messages with random contents, all within the limits, the smallest and largest values often:
// valid frames, of which any field is changed as long as the frame is taken.
//
// Thread rule: free functions, the generator is the caller's. Bounds: a list has a few elements, so
// that a test can try every byte of a message.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/random.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::wire {

inline constexpr std::size_t message_types =
    std::variant_size_v<Report> + std::variant_size_v<Order> +
    std::variant_size_v<lock::MeshMessage> + std::variant_size_v<PoolMessage> +
    3;  // ModesKnown, and those of operators

// As it crosses a link. REQUIRES: type < message_types.
[[nodiscard]] std::string random_payload(Random& random, std::size_t type);
[[nodiscard]] Message random_message(Random& random, std::size_t type);
[[nodiscard]] RoomHint random_hint(Random& random);

// The payload with a field that the schema does not have, in each of its records: as a newer
// version may write it.
[[nodiscard]] std::string with_unknown_fields(Random& random, const std::string& payload);

// How the two differ, fields that are there with nothing in them left out of it; empty: they do
// not.
[[nodiscard]] std::string difference(const std::string& payload, const std::string& other);

}  // namespace fixkeep::wire
