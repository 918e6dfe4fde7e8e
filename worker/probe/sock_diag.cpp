#include "worker/probe/sock_diag.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "common/process/process_group.hpp"

namespace fixkeep::probe {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t answer_bytes = 32768;

// Messages and attributes begin at multiples of four bytes.
std::size_t aligned(std::size_t bytes) {
  return (bytes + 3) & ~std::size_t{3};
}

template <class T>
std::optional<T> front(std::string_view bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

class Netlink {
 public:
  Netlink()
      : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG)) {}
  ~Netlink() {
    if (socket_ >= 0) ::close(socket_);
  }
  Netlink(const Netlink&) = delete;
  Netlink& operator=(const Netlink&) = delete;

  Result<void> ask(const inet_diag_req_v2& question, bool for_all) {
    struct {
      nlmsghdr header;
      inet_diag_req_v2 question;
    } packet{};
    packet.header.nlmsg_len = sizeof(packet);
    packet.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    packet.header.nlmsg_flags =
        static_cast<std::uint16_t>(NLM_F_REQUEST | (for_all ? NLM_F_DUMP : 0));
    packet.question = question;
    if (socket_ < 0 || ::send(socket_, &packet, sizeof(packet), 0) < 0)
      return process::last_error();
    return {};
  }

  // Calls `visit(const inet_diag_msg&, attributes)` for the first socket of the answer. If
  // `for_all` is true, calls it for every socket. Does not wait: the kernel makes the next part of
  // the answer within recv().
  template <class Visit>
  Result<void> read(bool for_all, Visit visit) {
    for (;;) {
      const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (got < 0) return process::last_error();
      std::string_view rest{buffer_.data(), static_cast<std::size_t>(got)};
      while (const auto header = front<nlmsghdr>(rest)) {
        if (header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > rest.size()) break;
        const auto message = rest.substr(sizeof(nlmsghdr), header->nlmsg_len - sizeof(nlmsghdr));
        if (header->nlmsg_type == NLMSG_DONE) return {};
        if (header->nlmsg_type == NLMSG_ERROR) return error_in(message);
        const auto facts = front<inet_diag_msg>(message);
        if (facts) visit(*facts, message.substr(sizeof(inet_diag_msg)));
        if (!for_all) return {};
        rest.remove_prefix(std::min(aligned(header->nlmsg_len), rest.size()));
      }
    }
  }

 private:
  static boost::system::error_code error_in(std::string_view message) {
    const auto error = front<nlmsgerr>(message);
    return {error ? -error->error : EBADMSG, boost::system::system_category()};
  }

  int socket_;
  std::array<char, answer_bytes> buffer_{};
};

ip::address address_in(std::uint8_t family, const __be32 (&words)[4]) {
  if (family == AF_INET) {
    ip::address_v4::bytes_type bytes;
    std::memcpy(bytes.data(), words, bytes.size());
    return ip::address_v4{bytes};
  }
  ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), words, bytes.size());
  return ip::address_v6{bytes};
}

void put_address(const ip::address& address, __be32 (&words)[4]) {
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    std::memcpy(words, bytes.data(), bytes.size());
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::memcpy(words, bytes.data(), bytes.size());
  }
}

// Returns whether an IPv6 socket refuses IPv4. The kernel reports this attribute for each bound
// IPv6 socket.
bool is_only_v6(std::string_view attributes) {
  while (const auto attribute = front<rtattr>(attributes)) {
    if (attribute->rta_len < sizeof(rtattr) || attribute->rta_len > attributes.size()) break;
    if (attribute->rta_type == INET_DIAG_SKV6ONLY && attribute->rta_len > sizeof(rtattr)) {
      return attributes[sizeof(rtattr)] != 0;
    }
    attributes.remove_prefix(std::min(aligned(attribute->rta_len), attributes.size()));
  }
  return false;
}

Endpoint local_of(const inet_diag_msg& message) {
  return {address_in(message.idiag_family, message.id.idiag_src), ntohs(message.id.idiag_sport)};
}

Endpoint remote_of(const inet_diag_msg& message) {
  return {address_in(message.idiag_family, message.id.idiag_dst), ntohs(message.id.idiag_dport)};
}

// Calls `visit` for each socket at the port (0: any) in one of the states. Queries both families if
// the kernel has both.
Result<void> visit_sockets(std::uint8_t protocol, std::uint32_t states, std::uint16_t port,
                           auto visit) {
  for (const std::uint8_t family : {std::uint8_t{AF_INET}, std::uint8_t{AF_INET6}}) {
    inet_diag_req_v2 question{};
    question.sdiag_family = family;
    question.sdiag_protocol = protocol;
    question.idiag_states = states;
    question.id.idiag_sport = htons(port);
    Netlink netlink;
    if (const auto asked = netlink.ask(question, true); !asked) return asked.error();
    const auto read = netlink.read(true, visit);
    const bool no_such_family =
        !read && read.error() == boost::system::errc::no_such_file_or_directory;
    if (!read && !(family == AF_INET6 && no_such_family)) return read.error();
  }
  return {};
}

}  // namespace

Result<std::vector<BoundSocket>> bound_sockets(Protocol protocol, std::uint16_t port) {
  std::vector<BoundSocket> sockets;
  // Both protocols use TCP's states: a UDP socket without a peer is "closed".
  const bool tcp = protocol == Protocol::tcp;
  const auto visited =
      visit_sockets(tcp ? IPPROTO_TCP : IPPROTO_UDP, 1U << (tcp ? TCP_LISTEN : TCP_CLOSE), port,
                    [&](const inet_diag_msg& message, std::string_view attributes) {
                      if (sockets.size() >= most_sockets) return;
                      sockets.push_back({.local = local_of(message),
                                         .only_v6 = is_only_v6(attributes),
                                         .number = message.idiag_inode});
                    });
  if (!visited) return visited.error();
  return sockets;
}

Result<std::vector<Connection>> connections_to(std::uint16_t port) {
  std::vector<Connection> connections;
  const auto as_it_came = [](Endpoint endpoint) {
    auto& address = endpoint.address;
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
      address = ip::make_address_v4(ip::v4_mapped, address.to_v6());
    }
    return endpoint;
  };
  const auto visited = visit_sockets(
      IPPROTO_TCP, (1U << TCP_ESTABLISHED) | (1U << TCP_CLOSE_WAIT), port,
      [&](const inet_diag_msg& message, std::string_view /*unused*/) {
        if (connections.size() >= most_sockets) return;
        connections.push_back({as_it_came(local_of(message)), as_it_came(remote_of(message))});
      });
  if (!visited) return visited.error();
  return connections;
}

Result<SocketNumber> connected_socket(const Endpoint& local, const Endpoint& remote) {
  inet_diag_req_v2 question{};
  question.sdiag_family = local.address.is_v4() ? AF_INET : AF_INET6;
  question.sdiag_protocol = IPPROTO_TCP;
  question.idiag_states = ~0U;
  question.id.idiag_sport = htons(local.port);
  question.id.idiag_dport = htons(remote.port);
  put_address(local.address, question.id.idiag_src);
  put_address(remote.address, question.id.idiag_dst);
  question.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  question.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  Netlink netlink;
  if (const auto asked = netlink.ask(question, false); !asked) return asked.error();
  SocketNumber number = 0;
  const auto read =
      netlink.read(false, [&](const inet_diag_msg& message, std::string_view /*unused*/) {
        // If there is no such connection, the kernel returns the listening socket.
        if (message.idiag_state != TCP_LISTEN) number = message.idiag_inode;
      });
  if (!read && read.error() != boost::system::errc::no_such_file_or_directory) return read.error();
  return number;
}

}  // namespace fixkeep::probe
