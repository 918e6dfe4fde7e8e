// This file includes no header of Asio: those headers bring the C library's tcp_info, which lacks
// the counters.
#include "lock/engines/tcp_bytes.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace fixkeep::engine {

TcpBytes tcp_bytes(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return {info.tcpi_bytes_sent, info.tcpi_bytes_received};
}

}  // namespace fixkeep::engine
