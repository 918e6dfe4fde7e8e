// Whose socket it is: which processes own a port, or the other side of a connection.
//
// Some servers silently take the next port when theirs is taken, some print that they are ready
// before they fail to bind, and an orphan of yesterday answers as well as today's room. So an
// answer counts only if the socket that gave it is one of the room's own processes: its number,
// from sock_diag.hpp, stands in /proc/PID/fd of one of them.
//
// The kernel gives a packet to the socket that is bound most exactly: to the address itself rather
// than to any, over IPv4 to an IPv4 socket rather than to one for both. Of several that are bound
// alike it takes any, so the room owns a port only if it owns them all.
// Fault model: processes and sockets come and go between two looks; a process of another user is
// seen only by root (or with CAP_SYS_PTRACE), else the answer is the error permission_denied.
// Thread rule: free functions, which do not wait. Cost: a question to the kernel, and reading the
// descriptors of the given processes: 0.1 ms in all for a process with 30. Nothing grows with other
// rooms but find_process_of(). Bounds: most_descriptors of a process. Errors: those of the system.
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
inline constexpr std::size_t most_searched = 10000;  // sockets, by find_process_of()

using Processes = std::vector<pid_t>;

enum class Owner : std::uint8_t { nobody, ours, other };

struct Ownership {
  Owner owner = Owner::nobody;
  SocketNumber socket = 0;  // other: for find_process_of()
};

// The owner answers what is sent to this address and port.
[[nodiscard]] Result<Ownership> owner_of_port(Protocol protocol, const Endpoint& endpoint,
                                              const Processes& processes);

// The owner holds the other side of a TCP connection on this machine; there is none if it has not
// been accepted.
// REQUIRES: a connected socket.
[[nodiscard]] Result<Ownership> owner_of_peer(int socket, const Processes& processes);

// Whether the other side is one of these processes. False also if that cannot be seen.
[[nodiscard]] bool connection_is_of(int socket, const Processes& processes);

// The ports at which these processes answer anybody, each once, in order.
[[nodiscard]] Result<std::vector<std::uint16_t>> listening_ports(Protocol protocol,
                                                                 const Processes& processes);

// Counts the TCP connections to these ports but for those of this process, whose probes connect
// too.
[[nodiscard]] Result<std::uint32_t> connections_of_others(const std::vector<std::uint16_t>& ports);

// Whether what listens at the port does so at the loopback device alone, where no player from
// elsewhere comes. False also if nothing does, or the kernel does not tell.
[[nodiscard]] bool is_only_for_this_machine(std::uint16_t port);

// Whether anybody but this process, whose probes connect too, is connected to one of the ports of
// a game. None: that tells nothing of who plays, since a process of the game has a UDP socket,
// whose peers the kernel does not know, or since the kernel does not tell.
[[nodiscard]] std::optional<bool> somebody_is_connected(const std::vector<std::uint16_t>& ports,
                                                        const Processes& processes);

// Whether a server that is started now could not have this port at all addresses. It is tried, for
// the blink of an eye: that is the one way that knows of everything that is in the way.
[[nodiscard]] Result<bool> port_is_taken(Protocol protocol, std::uint16_t port);

// The process with this socket, or one of them; 0: none that can be seen, or found within the
// bound. It reads the descriptors of all processes, which takes milliseconds: for what a person
// reads, not for every answer.
[[nodiscard]] pid_t find_process_of(SocketNumber socket);

}  // namespace fixkeep::probe
