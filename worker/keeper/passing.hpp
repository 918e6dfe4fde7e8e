// Sends and receives packets with descriptors between processes, over a local socket.
// Thread rule: free functions. Bounds: `most_passed` descriptors a packet. Errors: errno of sendmsg
// and recvmsg. A descriptor beyond the bound is dropped.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

inline constexpr std::size_t most_passed = most_listeners + 3;

// Sends the bytes together with the descriptors. Returns the number of bytes, or -1. Never waits.
[[nodiscard]] ssize_t send_with(int socket, std::string_view bytes,
                                const std::vector<int>& descriptors);

// Receives a packet. Returns its number of bytes, or -1. The caller owns the received descriptors.
// Executed programs do not inherit them. `flags`: see recvmsg.
[[nodiscard]] ssize_t receive_with(int socket, char* buffer, std::size_t size,
                                   std::vector<int>& descriptors, int flags = 0);

}  // namespace fixkeep::worker::keeper
