// Listens on a node's port, even if a connection of this machine uses the same port by chance.
//
// If another program listens on the port, the function gives up immediately. A connection's local
// port becomes free a minute after the connection's end, so the function retries for that time and
// logs a line. Thread rule: a free function that blocks. Call it at the start of a node, before its
// threads run. Bounds: waits at most Patience::longest. Errors: those of the last attempt.
#pragma once

#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <functional>

namespace fixkeep::net {

struct Patience {
  std::chrono::milliseconds longest{70'000};  // an ended connection uses its port for 60 s
  std::chrono::milliseconds pause{250};
};

enum class PortOf : std::uint8_t { tcp, udp };

// `attempt` opens a new socket and listens or binds. Port 0 means any port: then the function never
// waits.
[[nodiscard]] boost::system::error_code listen_patiently(
    PortOf kind, std::uint16_t port, const std::function<boost::system::error_code()>& attempt,
    Patience patience = {});

}  // namespace fixkeep::net
