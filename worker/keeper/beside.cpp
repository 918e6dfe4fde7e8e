#include "worker/keeper/beside.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "worker/keeper/child.hpp"

namespace fixkeep::worker::keeper {
namespace {

constexpr std::chrono::seconds pause{1};

int listen_at(const auto& address, int family) {  // -1: see errno
  const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int yes = 1;
  const int no = 0;
  (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (family == AF_INET6) (void)::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket, SOMAXCONN) == 0) {
    return socket;
  }
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

}  // namespace

Beside::~Beside() {
  if (listener_ >= 0) ::close(listener_);
}

int Beside::listen() {
  if (command_.empty()) return 0;
  sockaddr_in6 any{};  // also IPv4
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(port_);
  listener_ = listen_at(any, AF_INET6);
  if (listener_ < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)) {
    sockaddr_in any_ipv4{};
    any_ipv4.sin_family = AF_INET;
    any_ipv4.sin_port = htons(port_);
    listener_ = listen_at(any_ipv4, AF_INET);
  }
  return listener_ < 0 ? errno : 0;
}

void Beside::start(Clock::time_point now) {
  again_ = Clock::time_point::max();
  if (command_.empty()) return;
  const Plan plan;  // no user, control group, folder or environment
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) process_ = start_child(plan, command_.front(), command_, null, listener_).pid;
  if (null >= 0) ::close(null);
  if (process_ == 0) again_ = now + pause;
}

bool Beside::ended(pid_t process, Clock::time_point now) {
  if (!is(process)) return false;
  process_ = 0;
  again_ = now + pause;
  return true;
}

}  // namespace fixkeep::worker::keeper
