// The owners of sockets: the processes that own a port or the other side of a connection.
//
// Some servers silently take the next port when theirs is taken. Some print that they are ready
// before they fail to bind. Yesterday's orphan answers as well as today's room. An answer therefore
// counts only if its socket belongs to one of the room's processes: the socket's number
// (sock_diag.hpp) stands in /proc/PID/fd of one of them.
//
// The kernel gives a packet to the socket that is bound most exactly: to the address itself before
// any address and over IPv4 to an IPv4 socket before one for both. Among equals it takes any, so
// the room owns a port only if it owns them all.
// Fault model: processes and sockets come and go between two looks. Only root (or CAP_SYS_PTRACE)
// sees a process of another user. Otherwise the answer is the error permission_denied. Thread rule:
// free functions that do not wait. Cost: a question to the kernel and a read of the given
// processes' descriptors. It took 0.1 ms in all for a process with 30. Only find_process_of() grows
// with other rooms. Bounds: most_descriptors of a process. Errors: system errors.
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
  SocketNumber socket = 0;  // other: argument of find_process_of()
};

// The owner answers packets to this address and port.
[[nodiscard]] Result<Ownership> owner_of_port(Protocol protocol, const Endpoint& endpoint,
                                              const Processes& processes);

// The owner holds the other side of a TCP connection on this machine; `nobody` if it has not been
// accepted.
// REQUIRES: a connected socket.
[[nodiscard]] Result<Ownership> owner_of_peer(int socket, const Processes& processes);

// Whether the other side is one of these processes. False also if unknown.
[[nodiscard]] bool connection_is_of(int socket, const Processes& processes);

// The ports at which these processes answer any client: each once in order.
[[nodiscard]] Result<std::vector<std::uint16_t>> listening_ports(Protocol protocol,
                                                                 const Processes& processes);

// Counts the TCP connections to these ports except this process's: its probes connect too.
[[nodiscard]] Result<std::uint32_t> connections_of_others(const std::vector<std::uint16_t>& ports);

// Whether the port's listeners listen only at the loopback device: no remote player reaches it.
// False also if there is no listener or the kernel does not tell.
[[nodiscard]] bool is_only_for_this_machine(std::uint16_t port);

// Whether a client other than this process with its probes is connected to one of a game's ports.
// Nullopt: unknown. The kernel does not tell, or a process of the game has a UDP socket: the kernel
// does not know its peers.
[[nodiscard]] std::optional<bool> somebody_is_connected(const std::vector<std::uint16_t>& ports,
                                                        const Processes& processes);

// Whether a server started now could not have this port at all addresses. It binds the port for a
// moment: only that finds everything in the way.
[[nodiscard]] Result<bool> port_is_taken(Protocol protocol, std::uint16_t port);

// A process with this socket. 0: not visible or not found within the bound. It reads the
// descriptors of all processes and takes milliseconds: use it for texts that a person reads, not
// for every answer.
[[nodiscard]] pid_t find_process_of(SocketNumber socket);

}  // namespace fixkeep::probe
