// Listens on the port of a node, also when a connection of this machine happens to have that port.
//
// A port that another program listens on is given up at once. One that is only the local port of a
// connection is free again a minute after its end: it is tried for as long, which the log tells.
// Thread rule: a free function that blocks; for the start of a node, before its threads run.
// Bounds: Patience. Errors: those of the last attempt.
#pragma once

#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <functional>

namespace fixkeep::net {

struct Patience {
  std::chrono::milliseconds longest{70'000};  // a connection that has ended keeps it for 60 s
  std::chrono::milliseconds pause{250};
};

enum class PortOf : std::uint8_t { tcp, udp };

// `attempt` opens a fresh socket, and listens or binds. Port 0 is any port, and no wait helps
// there.
[[nodiscard]] boost::system::error_code listen_patiently(
    PortOf kind, std::uint16_t port, const std::function<boost::system::error_code()>& attempt,
    Patience patience = {});

}  // namespace fixkeep::net
