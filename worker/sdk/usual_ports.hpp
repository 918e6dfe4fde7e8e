// The ports of the SDK on a game's own loopback device. Agones' clients dial these ports by
// default. Thread rule: values. Bounds and errors: none.
#pragma once

#include <cstdint>

namespace fixkeep::worker {

inline constexpr std::uint16_t usual_rest_port = 9358;
inline constexpr std::uint16_t usual_grpc_port = 9357;

}  // namespace fixkeep::worker
