// The name of the object that runs a room's game. An engine knows it by this name.
//
// It follows from the room's id alone. The id stays the same while the room lives and is never
// reused. The order of a warm room changes when it is given away.
// Thread rule: free function.
// Bounds: `most_object_name` bytes. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t most_object_name = 63;  // a label of the DNS, as Kubernetes requires

// "fixkeep-studio-w1-5f3a9c0211d2e4b7-12": lower case letters, digits, "." and "-". Other or too
// long names of cluster and worker are changed and cut. A hash of the whole then keeps the name
// unique.
[[nodiscard]] std::string object_name(std::string_view cluster, const RoomId& room);

}  // namespace fixkeep::worker
