#include "worker/probe/socket_owner.hpp"

#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "common/process/process_group.hpp"

namespace fixkeep::probe {
namespace {

namespace ip = boost::asio::ip;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// Returns the number in "socket:[12345]".
std::optional<SocketNumber> number_in(std::string_view link) {
  constexpr std::string_view before = "socket:[";
  if (!link.starts_with(before)) return std::nullopt;
  link.remove_prefix(before.size());
  SocketNumber number = 0;
  const char* const end = link.data() + link.size();
  const auto [stop, error] = std::from_chars(link.data(), end, number);
  if (error != std::errc{} || stop == end || *stop != ']') return std::nullopt;
  return number;
}

// A Result<bool> cannot be made from an error directly, because the error would become a value.
Result<bool> failure() {
  return {boost::system::in_place_error, process::last_error()};
}

// Calls `visit(number)` for each socket of the process until `visit` returns true. Returns whether
// `visit` returned true.
Result<bool> any_socket(pid_t process, auto visit) {
  const Folder folder{::opendir(("/proc/" + std::to_string(process) + "/fd").c_str())};
  if (folder == nullptr) {
    // A process that has ended has no sockets.
    if (errno == ENOENT || errno == ESRCH) return false;
    return failure();
  }
  std::array<char, 64> link{};
  for (std::size_t seen = 0; seen < most_descriptors; ++seen) {
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const ssize_t length =
        ::readlinkat(::dirfd(folder.get()), entry->d_name, link.data(), link.size());
    if (length <= 0) continue;
    const auto number = number_in({link.data(), static_cast<std::size_t>(length)});
    if (number && visit(*number)) return true;
  }
  return false;
}

// Returns the members of `sockets` that belong to one of the processes.
Result<std::set<SocketNumber>> owned(const std::set<SocketNumber>& sockets,
                                     const Processes& processes) {
  std::set<SocketNumber> found;
  boost::system::error_code hidden;
  for (const pid_t process : processes) {
    if (found.size() == sockets.size()) return found;
    const auto looked = any_socket(process, [&](SocketNumber number) {
      if (sockets.contains(number)) found.insert(number);
      return found.size() == sockets.size();
    });
    if (!looked) hidden = looked.error();
  }
  if (hidden && found.size() < sockets.size()) return hidden;
  return found;
}

Result<Ownership> ownership_of(const std::set<SocketNumber>& sockets, const Processes& processes) {
  if (sockets.empty()) return Ownership{};
  const auto found = owned(sockets, processes);
  if (!found) return found.error();
  for (const SocketNumber socket : sockets) {
    if (!found->contains(socket)) return Ownership{Owner::other, socket};
  }
  return Ownership{Owner::ours};
}

// Ranks how exactly the socket is bound to the address; 0: the socket does not receive packets to
// the address.
int exactness(const BoundSocket& socket, const ip::address& target) {
  auto bound = socket.local.address;
  const bool native = bound.is_v4() == target.is_v4();
  if (bound.is_v6() && bound.to_v6().is_v4_mapped()) {
    bound = ip::make_address_v4(ip::v4_mapped, bound.to_v6());
  }
  if (!native && (target.is_v6() || socket.only_v6)) return 0;
  if (bound == target) return native ? 4 : 3;
  if (bound.is_unspecified()) return native ? 2 : 1;
  return 0;
}

Endpoint endpoint_of(const sockaddr_storage& address) {
  Endpoint endpoint;
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof(v4));
    return {ip::address_v4{ntohl(v4.sin_addr.s_addr)}, ntohs(v4.sin_port)};
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof(v6));
  ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  const ip::address_v6 whole{bytes};
  const auto port = ntohs(v6.sin6_port);
  if (whole.is_v4_mapped()) return {ip::make_address_v4(ip::v4_mapped, whole), port};
  return {whole, port};
}

// Returns true if the port is in use, false if it is free or the machine lacks the family.
Result<bool> cannot_bind(Protocol protocol, int family, std::uint16_t port) {
  const bool tcp = protocol == Protocol::tcp;
  const int socket = ::socket(family, (tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
  if (socket < 0) {
    if (errno == EAFNOSUPPORT) return false;
    return failure();
  }
  const int yes = 1;
  // Without this option, a closed connection would prevent the bind. For UDP, the option would
  // allow sharing the port.
  if (tcp) ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_storage address{};
  address.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET6) {
    ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
    reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
  }
  const int bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const auto failed = failure();
  ::close(socket);
  if (bound == 0 || failed.error() == boost::system::errc::address_not_available) return false;
  if (failed.error() == boost::system::errc::address_in_use) return true;
  return failed;
}

}  // namespace

Result<Ownership> owner_of_port(Protocol protocol, const Endpoint& endpoint,
                                const Processes& processes) {
  const auto sockets = bound_sockets(protocol, endpoint.port);
  if (!sockets) return sockets.error();
  int best = 1;
  std::set<SocketNumber> answering;
  for (const BoundSocket& socket : *sockets) {
    const int fits = exactness(socket, endpoint.address);
    if (fits < best || socket.local.port != endpoint.port) continue;
    if (fits > best) answering.clear();
    best = fits;
    answering.insert(socket.number);
  }
  return ownership_of(answering, processes);
}

Result<Ownership> owner_of_peer(int socket, const Processes& processes) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t here_size = sizeof(here);
  socklen_t there_size = sizeof(there);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &here_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &there_size) != 0) {
    return process::last_error();
  }
  const auto number = connected_socket(endpoint_of(there), endpoint_of(here));
  if (!number) return number.error();
  if (*number == 0) return Ownership{};
  return ownership_of({*number}, processes);
}

bool connection_is_of(int socket, const Processes& processes) {
  const auto owner = owner_of_peer(socket, processes);
  return owner && owner->owner == Owner::ours;
}

Result<std::vector<std::uint16_t>> listening_ports(Protocol protocol, const Processes& processes) {
  const auto sockets = bound_sockets(protocol, 0);
  if (!sockets) return sockets.error();
  std::set<SocketNumber> ours;
  for (const pid_t process : processes) {
    const auto looked = any_socket(process, [&](SocketNumber number) {
      ours.insert(number);
      return false;
    });
    if (!looked) return looked.error();
  }
  std::set<std::uint16_t> ports;
  for (const BoundSocket& socket : *sockets) {
    if (ours.contains(socket.number)) ports.insert(socket.local.port);
  }
  return std::vector<std::uint16_t>{ports.begin(), ports.end()};
}

Result<std::uint32_t> connections_of_others(const std::vector<std::uint16_t>& ports) {
  std::uint32_t others = 0;
  std::set<SocketNumber> on_this_machine;
  for (const std::uint16_t port : ports) {
    const auto connections = connections_to(port);
    if (!connections) return {boost::system::in_place_error, connections.error()};
    for (const Connection& connection : *connections) {
      // The client's socket, if the client runs on this machine.
      const auto peer = connected_socket(connection.remote, connection.local);
      if (!peer || *peer == 0 || !on_this_machine.insert(*peer).second) ++others;
    }
  }
  if (on_this_machine.empty()) return others;
  (void)any_socket(::getpid(), [&](SocketNumber number) {
    on_this_machine.erase(number);
    return on_this_machine.empty();
  });
  return others + static_cast<std::uint32_t>(on_this_machine.size());
}

bool is_only_for_this_machine(std::uint16_t port) {
  bool listens = false;
  for (const auto protocol : {Protocol::tcp, Protocol::udp}) {
    const auto sockets = bound_sockets(protocol, port);
    if (!sockets) return false;
    for (const BoundSocket& socket : *sockets) {
      if (!socket.local.address.is_loopback()) return false;
      listens = true;
    }
  }
  return listens;
}

std::optional<bool> somebody_is_connected(const std::vector<std::uint16_t>& ports,
                                          const Processes& processes) {
  const auto udp = listening_ports(Protocol::udp, processes);
  if (!udp || !udp->empty()) return std::nullopt;
  const auto others = connections_of_others(ports);
  if (!others) return std::nullopt;
  return *others > 0;
}

Result<bool> port_is_taken(Protocol protocol, std::uint16_t port) {
  const auto v4 = cannot_bind(protocol, AF_INET, port);
  if (!v4 || *v4) return v4;
  return cannot_bind(protocol, AF_INET6, port);
}

pid_t find_process_of(SocketNumber socket) {
  const Folder folder{::opendir("/proc")};
  if (folder == nullptr || socket == 0) return 0;
  std::size_t searched = 0;
  while (const dirent* const entry = ::readdir(folder.get())) {
    if (searched >= most_searched) break;
    pid_t process = 0;
    const std::string_view name{entry->d_name};
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc{} || stop != name.data() + name.size()) continue;
    bool found = false;
    (void)any_socket(process, [&](SocketNumber number) {
      found = number == socket;
      return found || ++searched >= most_searched;
    });
    if (found) return process;
  }
  return 0;
}

}  // namespace fixkeep::probe
