// Listens on the port of a node even if a connection of this machine has that port by chance.
//
// A port of another listening program is given up at once. The local port of a connection is free a
// minute after its end: it is tried for that long and a line in the log says so. Thread rule: a
// free function that blocks. It is for the start of a node before its threads run. Bounds:
// Patience. Errors: the last attempt's.
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

// `attempt` opens a fresh socket and listens or binds. Port 0 is any port. No wait helps there.
[[nodiscard]] boost::system::error_code listen_patiently(
    PortOf kind, std::uint16_t port, const std::function<boost::system::error_code()>& attempt,
    Patience patience = {});

}  // namespace fixkeep::net
