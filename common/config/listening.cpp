#include "common/config/listening.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "common/config/address.hpp"

namespace fixkeep::config {

std::string why_not_listen(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int wrong = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (wrong != 0) return "it is no IP address";
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> endpoint{found, ::freeaddrinfo};
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return std::strerror(errno);
  // The servers do the same: a connection that has just ended does not keep the port.
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool listens =
      ::bind(socket, found->ai_addr, found->ai_addrlen) == 0 && ::listen(socket, 1) == 0;
  std::string reason;
  if (!listens) reason = std::strerror(errno);
  ::close(socket);
  return reason;
}

void check_listening(const Document& document, const std::string& key, const std::string& address,
                     std::uint16_t port, Problems& problems) {
  const auto reason = why_not_listen(address, port);
  if (reason.empty()) return;
  problems.push_back(document.problem(
      key, "cannot listen on " + to_string(Address{address, port}) + ": " + reason));
}

}  // namespace fixkeep::config
