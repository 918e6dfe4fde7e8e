#include "client-sim/cluster/ports.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace fixkeep::client_sim {

namespace {

constexpr std::uint16_t first_port = 10'000;
constexpr std::uint16_t first_guard = 31'000;

// Returns a socket that listens at the port; -1 if another process uses the port. `reuse` sets
// SO_REUSEADDR: a server can then listen on a port that an earlier cluster left in TIME_WAIT.
int bind_loopback(std::uint16_t port, bool reuse) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int on = 1;
  if (reuse) ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const void* address = &where;
  // listen() is part of the check: with SO_REUSEADDR two sockets can bind one port, but only one
  // can listen.
  if (::bind(socket, static_cast<const sockaddr*>(address), sizeof where) == 0 &&
      ::listen(socket, 1) == 0) {
    return socket;
  }
  ::close(socket);
  return -1;
}

}  // namespace

std::string loopback(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

std::uint16_t port_of(const std::string& loopback_address) {
  return static_cast<std::uint16_t>(
      std::stoul(loopback_address.substr(loopback_address.rfind(':') + 1)));
}

bool all_free(std::uint16_t first, std::size_t count) {
  for (std::size_t offset = 0; offset < count; ++offset) {
    const int socket = bind_loopback(static_cast<std::uint16_t>(first + offset), true);
    if (socket < 0) return false;
    ::close(socket);
  }
  return true;
}

PortSlots::~PortSlots() {
  for (const int guard : guards_) ::close(guard);
}

bool PortSlots::take_slot(std::uint16_t slot) {
  const int guard = bind_loopback(static_cast<std::uint16_t>(first_guard + slot), false);
  if (guard < 0) return false;
  // Keeps the guard even if a port of the slot is in use: no other cluster can use this slot
  // either.
  guards_.push_back(guard);
  return all_free(static_cast<std::uint16_t>(first_port + slot * slot_ports), slot_ports);
}

void PortSlots::skip_to(std::uint16_t port) {
  next_ = std::max(next_, static_cast<std::uint16_t>((port - first_port) / slot_ports));
}

std::optional<PortRange> PortSlots::take(std::size_t count) {
  std::size_t row = 0;
  while (next_ < slots) {
    const auto slot = next_++;
    row = take_slot(slot) ? row + 1 : 0;
    if (row < count) continue;
    const auto first = first_port + (slot + 1 - static_cast<int>(count)) * slot_ports;
    const auto last = first_port + (slot + 1) * slot_ports - 1;
    return PortRange{.first = static_cast<std::uint16_t>(first),
                     .last = static_cast<std::uint16_t>(last)};
  }
  return std::nullopt;
}

}  // namespace fixkeep::client_sim
