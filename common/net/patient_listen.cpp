#include "common/net/patient_listen.hpp"

#include <boost/asio/error.hpp>
#include <string>
#include <thread>

#include "common/config/listening.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::net {
namespace {

// Returns the connection that uses the port now and will end. Empty: there is none; probably a
// program listens on the port, so a wait would be useless. For UDP we cannot find out who uses the
// port. We assume such a connection if the kernel gives this port to connections.
std::string passer_by(PortOf kind, std::uint16_t port) {
  if (kind == PortOf::tcp) return config::connection_with(port);
  return config::is_given_to_connections(port) ? "a socket of UDP" : "";
}

}  // namespace

boost::system::error_code listen_patiently(
    PortOf kind, std::uint16_t port, const std::function<boost::system::error_code()>& attempt,
    Patience patience) {
  const auto until = std::chrono::steady_clock::now() + patience.longest;
  for (bool told = false;; told = true) {
    const auto error = attempt();
    if (error != boost::asio::error::address_in_use || port == 0) return error;
    const auto other = passer_by(kind, port);
    if (other.empty()) return attempt();  // the port may be free by now
    if (std::chrono::steady_clock::now() >= until) return error;
    if (!told) {
      obs::log_warning(
          "the port is the local port of a connection of this machine; tries for a minute",
          {{"port", port},
           {"other_end", other},
           {"advice", "take a port outside net.ipv4.ip_local_port_range"}});
    }
    std::this_thread::sleep_for(patience.pause);
  }
}

}  // namespace fixkeep::net
