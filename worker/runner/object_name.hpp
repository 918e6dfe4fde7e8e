// The object that runs the game of a room has this name, by which an engine knows it.
//
// It follows from the room's id alone, which stays the same for as long as the room lives and is
// never given again; the order that a warm room carries out is another one once it is given away.
// Thread rule: free function. Bounds: `most_object_name` bytes. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t most_object_name = 63;  // a label of the DNS, which Kubernetes wants

// "fixkeep-studio-w1-5f3a9c0211d2e4b7-12": lower case, of letters, digits, "." and "-". Where the
// names of cluster and worker hold something else, or are too long, they are changed and cut, and a
// hash of the whole keeps the object's name unique.
[[nodiscard]] std::string object_name(std::string_view cluster, const RoomId& room);

}  // namespace fixkeep::worker
