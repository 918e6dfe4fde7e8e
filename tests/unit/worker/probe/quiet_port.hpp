// A port that nothing else on the machine gets by itself while this process runs.
//
// It lies above those that the kernel gives to connections (ip_local_port_range: to 60999), and no
// other test that asks here gets it: it is reserved by an abstract Unix socket, which ends with
// the process. A port from the kernel (0) may be that of a connection of another test: bound to
// ::1 it says nothing of 127.0.0.1, and once it is closed anybody may have it.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace fixkeep::probe {

// Whether no socket of either family is at this port; those that wait to close count as well.
inline bool is_free(std::uint16_t port, int type) {
  const int socket = ::socket(AF_INET6, type | SOCK_CLOEXEC, 0);
  const int no = 0;
  ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(port);
  const int bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&any), sizeof(any));
  ::close(socket);
  return bound == 0;
}

inline bool reserve(std::uint16_t port) {
  const std::string name = "fixkeep-test-port-" + std::to_string(port);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address.sun_path + 1);  // a name that begins with 0: abstract
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0) return true;
  ::close(socket);
  return false;
}

inline std::uint16_t quiet_port() {
  constexpr int first = 61'000;
  constexpr int count = 4500;
  for (int tried = 0; tried < count; ++tried) {
    const auto port = static_cast<std::uint16_t>(first + (::getpid() + tried) % count);
    if (reserve(port) && is_free(port, SOCK_STREAM) && is_free(port, SOCK_DGRAM)) return port;
  }
  ADD_FAILURE() << "no port is free";
  return 0;
}

}  // namespace fixkeep::probe
