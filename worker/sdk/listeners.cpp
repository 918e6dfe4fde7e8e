#include "worker/sdk/listeners.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <bit>
#include <cerrno>
#include <utility>

namespace fixkeep::worker {
namespace {

using boost::system::error_code;

constexpr int attempts = 32;  // a port that is free for IPv4 can be taken for IPv6
constexpr int backlog = 64;
// Limits of the kernel's buffers of a connection; the kernel allocates twice as much for its
// bookkeeping. Accepted sockets inherit these limits.
constexpr int socket_receive_bytes = 64 * 1024;
constexpr int socket_send_bytes = 128 * 1024;

error_code last_error() {
  return {errno, boost::system::system_category()};
}

bool set(const process::Descriptor& socket, int level, int name, int value) {
  return ::setsockopt(socket.get(), level, name, &value, sizeof value) == 0;
}

Result<process::Descriptor> listen_on(int family, const sockaddr* address, socklen_t size,
                                      bool again) {
  process::Descriptor socket{
      ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP)};
  if (!socket) return last_error();
  if (family == AF_INET6 && !set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1)) return last_error();
  // A port of an earlier run may have connections that are closing. They do not block the port if
  // both they and the new socket have SO_REUSEADDR. Connections inherit this option from their
  // listening socket, so every listening socket gets it. If the kernel chooses the port, the socket
  // gets it only after bind(): otherwise the kernel might choose a port that another socket has
  // bound.
  if (again && !set(socket, SOL_SOCKET, SO_REUSEADDR, 1)) return last_error();
  if (!set(socket, SOL_SOCKET, SO_RCVBUF, socket_receive_bytes) ||
      !set(socket, SOL_SOCKET, SO_SNDBUF, socket_send_bytes) ||
      ::bind(socket.get(), address, size) != 0 || !set(socket, SOL_SOCKET, SO_REUSEADDR, 1) ||
      ::listen(socket.get(), backlog) != 0) {
    return last_error();
  }
  return socket;
}

Result<process::Descriptor> listen_v4(std::uint16_t port, const std::string& host) {
  sockaddr_in address{};
  address.sin_port = htons(port);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (host != loopback_name && ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    return error_code{EINVAL, boost::system::system_category()};
  }
  return listen_on(AF_INET, std::bit_cast<const sockaddr*>(&address), sizeof address, port != 0);
}

Result<process::Descriptor> listen_v6(std::uint16_t port, bool again) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  address.sin6_port = htons(port);
  return listen_on(AF_INET6, std::bit_cast<const sockaddr*>(&address), sizeof address, again);
}

struct At {
  std::string host = loopback_name;
  std::uint16_t port = 0;
};

At where(const process::Descriptor& socket) {
  sockaddr_in address{};  // the port has the same position in IPv6
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), std::bit_cast<sockaddr*>(&address), &size) != 0) return {};
  At at{.port = ntohs(address.sin_port)};
  std::array<char, INET_ADDRSTRLEN> text{};
  const bool is_loopback =
      address.sin_family != AF_INET || address.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
  if (!is_loopback &&
      ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size()) != nullptr) {
    at.host = text.data();
  }
  return at;
}

// True if the machine or its loopback device has no IPv6.
bool is_missing(const error_code& error) {
  return error.value() == EAFNOSUPPORT || error.value() == EADDRNOTAVAIL ||
         error.value() == EPROTONOSUPPORT;
}

}  // namespace

std::vector<Listeners> by_port(std::vector<process::Descriptor> sockets) {
  std::vector<Listeners> all;
  for (process::Descriptor& socket : sockets) {
    const At at = where(socket);
    if (all.empty() || all.back().port != at.port) {
      all.push_back({.host = at.host, .port = at.port, .sockets = {}});
    }
    all.back().sockets.push_back(std::move(socket));
  }
  return all;
}

Result<Listeners> open_listeners(std::uint16_t port, const std::string& host) {
  for (int attempt = 1;; ++attempt) {
    auto first = listen_v4(port, host);
    if (!first) return first.error();
    Listeners listeners{.host = host, .port = where(*first).port, .sockets = {}};
    if (host != loopback_name) {
      listeners.sockets.push_back(std::move(*first));
      return listeners;
    }
    auto second = listen_v6(listeners.port, port != 0);
    if (!second && !is_missing(second.error())) {
      const bool taken = second.error().value() == EADDRINUSE;
      if (taken && port == 0 && attempt < attempts) continue;
      return second.error();
    }
    listeners.sockets.push_back(std::move(*first));
    if (second) listeners.sockets.push_back(std::move(*second));
    return listeners;
  }
}

}  // namespace fixkeep::worker
