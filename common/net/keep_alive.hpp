// TCP keepalive: the kernel notices that the other end of a connection is gone, for example a
// machine without power, or a phone whose network has changed.
//
// Thread rule: a free function. Errors: ignored; without these options such a connection ends later
// or never.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <chrono>

namespace fixkeep::net {

// The kernel sends a sign of life after the time `idle` without traffic, and then another sign
// after each `interval`. It closes the connection after `most_missed` signs without an answer. Sent
// bytes without an answer close the connection after the same time.
struct KeepAlive {
  std::chrono::seconds idle;
  std::chrono::seconds interval;
  int most_missed = 3;
};

// Sets the options of the socket. The sockets that a listening socket accepts inherit its options.
inline void keep_alive(int socket, const KeepAlive& times) {
  const auto set = [&](int level, int option, int value) {
    (void)::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, static_cast<int>(times.idle.count()));
  set(IPPROTO_TCP, TCP_KEEPINTVL, static_cast<int>(times.interval.count()));
  set(IPPROTO_TCP, TCP_KEEPCNT, times.most_missed);
  const std::chrono::milliseconds all = times.idle + times.interval * times.most_missed;
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(all.count()));
}

}  // namespace fixkeep::net
