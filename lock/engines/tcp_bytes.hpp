// Reads a TCP connection's byte counts from the kernel, for client libraries that do not count
// bytes. Thread rule: a free function. Errors: zeros.
#pragma once

#include <cstdint>

namespace fixkeep::engine {

struct TcpBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

[[nodiscard]] TcpBytes tcp_bytes(int socket);

}  // namespace fixkeep::engine
