// The name of the object that runs a room's game in an engine.
//
// The name depends only on the room's id. The id does not change while the room lives and is never
// reused. The id of the room's order cannot be the name: a warm room gets another order when the
// room is given to a group.
// Thread rule: free function.
// Bounds: `most_object_name` bytes. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t most_object_name = 63;  // limit of a DNS label, as Kubernetes requires

// Returns for example "fixkeep-studio-w1-5f3a9c0211d2e4b7-12": lower case letters, digits, "." and
// "-". If the names of cluster and worker have other characters or are too long, they are changed
// or cut. A hash of the whole name then keeps the result unique.
[[nodiscard]] std::string object_name(std::string_view cluster, const RoomId& room);

}  // namespace fixkeep::worker
