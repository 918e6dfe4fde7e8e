// Finds the owners of sockets: the processes that own a port, or the other side of a connection.
//
// Some servers silently use the next port when their port is taken. Some servers print that they
// are ready, and then fail to bind. A process left over from an earlier room can answer at the
// room's port. An answer therefore counts only if its socket belongs to a process of the room: the
// socket's number (sock_diag.hpp) is in this process's /proc/PID/fd.
//
// The kernel delivers a packet to the most exactly bound socket. A socket that is bound to the
// address comes before a socket for all addresses. For IPv4, an IPv4 socket comes before a socket
// for both families. Among equal sockets the kernel may choose any, so the room owns a port only if
// it owns all these sockets.
// Fault model: processes and sockets may appear and vanish between two calls. Only root (or
// CAP_SYS_PTRACE) can read a process of another user. Otherwise the result is the error
// permission_denied. Thread rule: free functions that do not wait. Cost: a query to the kernel, and
// a read of the given processes' descriptors. For a process with 30 descriptors, this took 0.1 ms
// in all. Only the cost of find_process_of() grows with the number of other rooms. Bounds:
// most_descriptors of a process. Errors: system errors.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/result.hpp"
#include "worker/probe/sock_diag.hpp"

namespace fixkeep::probe {

inline constexpr std::size_t most_descriptors = 65536;
inline constexpr std::size_t most_searched = 10000;  // limit of sockets for find_process_of()

using Processes = std::vector<pid_t>;

enum class Owner : std::uint8_t { nobody, ours, other };

struct Ownership {
  Owner owner = Owner::nobody;
  SocketNumber socket = 0;  // if `other`, an argument for find_process_of()
};

// Returns the owner of the socket that receives packets to this address and port.
[[nodiscard]] Result<Ownership> owner_of_port(Protocol protocol, const Endpoint& endpoint,
                                              const Processes& processes);

// Returns the owner of the other side of a TCP connection on this machine; `nobody` if the
// connection has not been accepted. REQUIRES: a connected socket.
[[nodiscard]] Result<Ownership> owner_of_peer(int socket, const Processes& processes);

// Returns whether the other side of the connection belongs to one of these processes. False also if
// this is unknown.
[[nodiscard]] bool connection_is_of(int socket, const Processes& processes);

// Returns the ports at which these processes answer any client: in ascending order, each port only
// one time.
[[nodiscard]] Result<std::vector<std::uint16_t>> listening_ports(Protocol protocol,
                                                                 const Processes& processes);

// Counts the TCP connections to these ports. Leaves out the connections of this process, whose
// probes connect too.
[[nodiscard]] Result<std::uint32_t> connections_of_others(const std::vector<std::uint16_t>& ports);

// Returns whether the port's listeners listen only on the loopback device, so that remote players
// cannot reach them. False also if there is no listener or the kernel gives no information.
[[nodiscard]] bool is_only_for_this_machine(std::uint16_t port);

// Returns whether a client is connected to a port of a game. The probes of this process do not
// count. Nullopt if unknown: the kernel gives no information, or a process of the game has a UDP
// socket, whose peers the kernel does not know.
[[nodiscard]] std::optional<bool> somebody_is_connected(const std::vector<std::uint16_t>& ports,
                                                        const Processes& processes);

// Returns whether a server that starts now would fail to bind this port at all addresses. Binds the
// port for a moment, because only a real bind finds every obstacle.
[[nodiscard]] Result<bool> port_is_taken(Protocol protocol, std::uint16_t port);

// Returns a process with this socket. 0: not visible, or not found within the bound. This reads the
// descriptors of all processes and takes milliseconds, so use it only for texts for people.
[[nodiscard]] pid_t find_process_of(SocketNumber socket);

}  // namespace fixkeep::probe
