#include "worker/probe/socket_owner.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>

#include "common/process/process_group.hpp"
#include "tests/unit/worker/probe/quiet_port.hpp"

namespace fixkeep::probe {
namespace {

namespace ip = boost::asio::ip;
using testing::ElementsAre;
using testing::IsEmpty;

const ip::address loopback = ip::make_address("127.0.0.1");
const ip::address loopback_v6 = ip::make_address("::1");

// A socket that is bound to an address, and listens if it is one of TCP. Port 0: any that is quiet.
class Bound {
 public:
  Bound(Protocol protocol, const std::string& address, std::uint16_t port = 0, bool only_v6 = true,
        bool share = false)
      : family_(address.find(':') == std::string::npos ? AF_INET : AF_INET6),
        socket_(::socket(family_, protocol == Protocol::tcp ? SOCK_STREAM : SOCK_DGRAM, 0)) {
    const int v6 = only_v6 ? 1 : 0;
    const int yes = 1;
    if (family_ == AF_INET6) ::setsockopt(socket_, IPPROTO_IPV6, IPV6_V6ONLY, &v6, sizeof(v6));
    if (protocol == Protocol::tcp) {  // as servers do
      ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    }
    if (share) ::setsockopt(socket_, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes));
    sockaddr_storage where{};
    where.ss_family = static_cast<sa_family_t>(family_);
    auto& v4_place = reinterpret_cast<sockaddr_in&>(where);
    auto& v6_place = reinterpret_cast<sockaddr_in6&>(where);
    if (family_ == AF_INET) {
      v4_place.sin_addr.s_addr = htonl(ip::make_address_v4(address).to_uint());
    } else {
      const auto bytes = ip::make_address_v6(address).to_bytes();
      std::copy(bytes.begin(), bytes.end(), v6_place.sin6_addr.s6_addr);
    }
    port_ = port == 0 ? quiet_port() : port;
    v4_place.sin_port = htons(port_);  // at the same place in both
    bound_ = ::bind(socket_, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) == 0;
    if (bound_ && protocol == Protocol::tcp) bound_ = ::listen(socket_, 8) == 0;
  }
  ~Bound() { ::close(socket_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  [[nodiscard]] bool bound() const { return bound_; }
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  int family_;
  int socket_;
  bool bound_ = false;
  std::uint16_t port_ = 0;
};

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(port);
  EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&where), sizeof(where)), 0);
  return socket;
}

// A process that does one thing, says a number, and waits for its end.
class Child {
 public:
  explicit Child(const std::function<int()>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const int number = work();
      (void)::write(ends[1], &number, sizeof(number));
      for (;;) ::pause();
    }
    EXPECT_EQ(::read(ends[0], &said_, sizeof(said_)), static_cast<ssize_t>(sizeof(said_)));
    for (const int end : ends) ::close(end);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void end() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    process::reap(pid_);
    pid_ = 0;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int said() const { return said_; }
  [[nodiscard]] std::uint16_t port() const { return static_cast<std::uint16_t>(said_); }

 private:
  pid_t pid_ = 0;
  int said_ = 0;
};

// The socket stays open in the child, whose work it is.
int open_port(Protocol protocol, const char* address, std::uint16_t port = 0) {
  static const Bound* kept = nullptr;
  kept = new Bound{protocol, address, port};
  return kept->bound() ? kept->port() : -1;
}

Owner owner(Protocol protocol, std::uint16_t port, const Processes& processes,
            const ip::address& address = loopback) {
  const auto found = owner_of_port(protocol, {address, port}, processes);
  EXPECT_TRUE(found) << found.error().message();
  return found->owner;
}

class SocketOwnerTest : public testing::TestWithParam<Protocol> {
 protected:
  const Processes self{::getpid()};
};

INSTANTIATE_TEST_SUITE_P(Protocols, SocketOwnerTest, testing::Values(Protocol::tcp, Protocol::udp),
                         [](const auto& test) {
                           return test.param == Protocol::tcp ? "tcp" : "udp";
                         });

TEST_P(SocketOwnerTest, a_port_is_of_the_process_that_has_the_socket) {
  const Child child{[&] { return open_port(GetParam(), "0.0.0.0"); }};
  EXPECT_EQ(owner(GetParam(), child.port(), {child.pid()}), Owner::ours);
  EXPECT_EQ(owner(GetParam(), child.port(), {self[0], child.pid()}), Owner::ours);
  EXPECT_EQ(owner(GetParam(), child.port(), self), Owner::other);
  EXPECT_EQ(owner(GetParam(), child.port(), {}), Owner::other);
  const auto found = owner_of_port(GetParam(), {loopback, child.port()}, self);
  EXPECT_EQ(find_process_of(found->socket), child.pid());
}

TEST_P(SocketOwnerTest, a_port_without_a_socket_is_of_nobody) {
  Child child{[&] { return open_port(GetParam(), "127.0.0.1"); }};
  const pid_t pid = child.pid();
  const auto other = GetParam() == Protocol::tcp ? Protocol::udp : Protocol::tcp;
  EXPECT_EQ(owner(other, child.port(), {pid}), Owner::nobody);
  child.end();
  EXPECT_EQ(owner(GetParam(), child.port(), {pid}), Owner::nobody);
}

TEST_P(SocketOwnerTest, a_child_that_inherits_the_socket_has_it_too) {
  const Bound socket{GetParam(), "127.0.0.1"};
  const Child heir{[] { return 1; }};
  EXPECT_EQ(owner(GetParam(), socket.port(), {heir.pid()}), Owner::ours);
}

TEST_P(SocketOwnerTest, the_most_exact_socket_is_the_one_that_answers) {
  const Bound any{GetParam(), "0.0.0.0", 0, true, true};
  const Child stranger{[&] {
    static const Bound exact{GetParam(), "127.0.0.1", any.port(), true, true};
    ::close(any.socket());
    return exact.bound() ? 1 : -1;
  }};
  ASSERT_EQ(stranger.said(), 1);
  EXPECT_EQ(owner(GetParam(), any.port(), self), Owner::other);
  EXPECT_EQ(owner(GetParam(), any.port(), self, ip::make_address("127.0.0.2")), Owner::ours);
}

TEST_P(SocketOwnerTest, a_stranger_at_all_addresses_does_not_answer_for_ours) {
  for (const bool ours_first : {true, false}) {
    std::optional<Bound> exact;
    if (ours_first) exact.emplace(GetParam(), "127.0.0.1", 0, true, true);
    const auto wanted = ours_first ? exact->port() : std::uint16_t{0};
    const Child stranger{[&] {
      static const Bound any{GetParam(), "0.0.0.0", wanted, true, true};
      if (exact) ::close(exact->socket());
      return any.bound() ? any.port() : -1;
    }};
    if (!ours_first) exact.emplace(GetParam(), "127.0.0.1", stranger.port(), true, true);
    ASSERT_TRUE(exact->bound());
    EXPECT_EQ(owner(GetParam(), stranger.port(), self), Owner::ours);
  }
}

TEST_P(SocketOwnerTest, of_sockets_that_share_a_port_all_have_to_be_ours) {
  const Bound ours{GetParam(), "127.0.0.1", 0, true, true};
  Child stranger{[&] {
    static const Bound shared{GetParam(), "127.0.0.1", ours.port(), true, true};
    ::close(ours.socket());
    return shared.bound() ? 1 : -1;
  }};
  ASSERT_EQ(stranger.said(), 1);
  EXPECT_EQ(owner(GetParam(), ours.port(), self), Owner::other);
  EXPECT_EQ(owner(GetParam(), ours.port(), {self[0], stranger.pid()}), Owner::ours);
  stranger.end();
  EXPECT_EQ(owner(GetParam(), ours.port(), self), Owner::ours);
}

TEST_P(SocketOwnerTest, a_socket_for_both_families_answers_over_ipv4_and_one_of_ipv6_does_not) {
  const Bound both{GetParam(), "::", 0, false};
  const Bound only{GetParam(), "::", 0, true};
  EXPECT_EQ(owner(GetParam(), both.port(), self), Owner::ours);
  EXPECT_EQ(owner(GetParam(), both.port(), self, loopback_v6), Owner::ours);
  EXPECT_EQ(owner(GetParam(), only.port(), self), Owner::nobody);
  EXPECT_EQ(owner(GetParam(), only.port(), self, loopback_v6), Owner::ours);
}

TEST_P(SocketOwnerTest, names_the_ports_of_a_game_in_order) {
  const Child game{[&] {
    const int first = open_port(GetParam(), "0.0.0.0");
    open_port(GetParam(), "::", static_cast<std::uint16_t>(first));
    return first;
  }};
  const Child other{[&] { return open_port(GetParam(), "0.0.0.0"); }};
  auto expected = std::vector{game.port(), other.port()};
  std::sort(expected.begin(), expected.end());
  EXPECT_THAT(*listening_ports(GetParam(), {game.pid()}), ElementsAre(game.port()));
  EXPECT_EQ(*listening_ports(GetParam(), {game.pid(), other.pid()}), expected);
  EXPECT_THAT(*listening_ports(GetParam(), {}), IsEmpty());
}

TEST_P(SocketOwnerTest, a_port_is_taken_whatever_the_address_and_the_family) {
  for (const char* address : {"0.0.0.0", "127.0.0.1", "::", "::1"}) {
    std::uint16_t port = 0;
    {
      const Bound socket{GetParam(), address};
      if (!socket.bound() && errno == EADDRNOTAVAIL) continue;  // a machine without IPv6
      port = socket.port();
      EXPECT_EQ(*port_is_taken(GetParam(), port), true) << address;
    }
    EXPECT_EQ(*port_is_taken(GetParam(), port), false) << address;
  }
}

TEST_P(SocketOwnerTest, leaves_no_descriptor) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
  };
  const Bound socket{GetParam(), "127.0.0.1"};
  const auto before = count();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(owner(GetParam(), socket.port(), self), Owner::ours);
    EXPECT_TRUE(*port_is_taken(GetParam(), socket.port()));
    EXPECT_FALSE(listening_ports(GetParam(), self)->empty());
  }
  EXPECT_EQ(count(), before);
}

TEST_P(SocketOwnerTest, a_process_that_it_may_not_see_is_no_stranger) {
  // Process 1 is root's; the child is nobody's.
  const Child child{[&] {
    const Bound socket{GetParam(), "127.0.0.1"};
    if (::geteuid() == 0 && ::setuid(65534) != 0) return -1;
    const auto found = owner_of_port(GetParam(), {loopback, socket.port()}, {1});
    return found ? -2 : found.error().value();
  }};
  EXPECT_EQ(child.said(), EACCES);
}

TEST(SocketOwner, a_connected_udp_socket_answers_nobody_else) {
  const Bound server{Protocol::udp, "127.0.0.1"};
  const Bound client{Protocol::udp, "127.0.0.1"};
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(server.port());
  ASSERT_EQ(::connect(client.socket(), reinterpret_cast<const sockaddr*>(&where), sizeof(where)),
            0);
  EXPECT_THAT(*listening_ports(Protocol::udp, {::getpid()}), ElementsAre(server.port()));
}

TEST(SocketOwner, knows_whose_the_other_side_of_a_connection_is) {
  for (const char* address : {"127.0.0.1", "::"}) {  // the latter sees IPv4 as part of IPv6
    const Bound server{Protocol::tcp, address, 0, false};
    const Child client{[&] { return connect_to(server.port()); }};
    const int accepted = ::accept(server.socket(), nullptr, nullptr);
    ASSERT_GE(accepted, 0);
    EXPECT_TRUE(connection_is_of(accepted, {client.pid()}));
    EXPECT_FALSE(connection_is_of(accepted, {::getpid()}));
    EXPECT_FALSE(connection_is_of(accepted, {}));
    EXPECT_EQ(find_process_of(owner_of_peer(accepted, {})->socket), client.pid());
    ::close(accepted);
    EXPECT_FALSE(connection_is_of(accepted, {client.pid()})) << "no socket";
  }
}

TEST(SocketOwner, a_connection_that_nobody_has_accepted_is_of_nobody) {
  const Bound server{Protocol::tcp, "127.0.0.1"};
  const int client = connect_to(server.port());
  const auto before = owner_of_peer(client, {::getpid()});
  ASSERT_TRUE(before);
  EXPECT_EQ(before->owner, Owner::nobody) << "though the process that listens is ours";
  const int accepted = ::accept(server.socket(), nullptr, nullptr);
  EXPECT_EQ(owner_of_peer(client, {::getpid()})->owner, Owner::ours);
  ::close(accepted);
  ::close(client);
}

// As with a game that hangs so long that the kernel has forgotten who wanted in.
TEST(SocketOwner, a_socket_that_listens_is_not_that_of_a_connection) {
  const Bound server{Protocol::tcp, "127.0.0.1"};
  const Endpoint nobody{loopback, 1};
  EXPECT_EQ(*connected_socket({loopback, server.port()}, nobody), 0U);
}

TEST(SocketOwner, knows_whether_somebody_else_is_connected_to_a_game) {
  for (const char* address : {"127.0.0.1", "::"}) {
    SCOPED_TRACE(address);
    const Bound server{Protocol::tcp, address, 0, false};
    const std::vector<std::uint16_t> ports{server.port()};
    EXPECT_EQ(somebody_is_connected(ports, {::getpid()}), false);
    const int probe = connect_to(server.port());
    EXPECT_EQ(somebody_is_connected(ports, {::getpid()}), false) << "that is ours";
    Child client{[&] { return connect_to(server.port()); }};
    EXPECT_EQ(somebody_is_connected(ports, {::getpid()}), true) << "not accepted yet, but there";
    ::close(::accept(server.socket(), nullptr, nullptr));
    const int accepted = ::accept(server.socket(), nullptr, nullptr);
    EXPECT_EQ(somebody_is_connected({1, server.port()}, {::getpid()}), true);
    client.end();
    ::close(accepted);
    ::close(probe);
    EXPECT_EQ(somebody_is_connected(ports, {::getpid()}), false);
  }
}

TEST(SocketOwner, knows_what_listens_for_this_machine_alone) {
  const Bound here{Protocol::tcp, "127.0.0.1"};
  EXPECT_TRUE(is_only_for_this_machine(here.port()));
  const Bound everywhere{Protocol::udp, "0.0.0.0"};
  EXPECT_FALSE(is_only_for_this_machine(everywhere.port()));
  std::uint16_t gone = 0;
  {
    const Bound closed{Protocol::tcp, "127.0.0.1"};
    gone = closed.port();
  }
  EXPECT_FALSE(is_only_for_this_machine(gone)) << "nothing listens";
}

TEST(SocketOwner, counts_the_connections_of_others_to_a_game) {
  const Bound server{Protocol::tcp, "127.0.0.1"};
  const Bound second{Protocol::tcp, "127.0.0.1"};
  const std::vector<std::uint16_t> ports{server.port(), second.port()};
  EXPECT_EQ(*connections_of_others(ports), 0U);
  const int probe = connect_to(server.port());
  EXPECT_EQ(*connections_of_others(ports), 0U) << "that is ours";
  Child one{[&] { return connect_to(server.port()); }};
  Child two{[&] { return connect_to(server.port()); }};
  Child three{[&] { return connect_to(second.port()); }};
  EXPECT_EQ(*connections_of_others(ports), 3U);
  ::close(::accept(server.socket(), nullptr, nullptr));
  for (int i = 0; i < 2; ++i) ::close(::accept(server.socket(), nullptr, nullptr));
  one.end();
  two.end();
  EXPECT_EQ(*connections_of_others(ports), 1U);
  three.end();
  ::close(probe);
}

TEST(SocketOwner, cannot_know_who_plays_by_udp) {
  const Bound server{Protocol::udp, "127.0.0.1"};
  EXPECT_EQ(somebody_is_connected({server.port()}, {::getpid()}), std::nullopt);
  EXPECT_EQ(somebody_is_connected({server.port()}, {}), false) << "of a game without a socket";
}

TEST(SocketOwner, a_connection_that_is_closing_does_not_keep_the_port) {
  std::uint16_t port = 0;
  {
    const Bound server{Protocol::tcp, "127.0.0.1"};
    port = server.port();
    const int client = connect_to(port);
    ::close(::accept(server.socket(), nullptr, nullptr));  // first, so it is our side that waits
    ::close(client);
  }
  EXPECT_FALSE(*port_is_taken(Protocol::tcp, port));
}

}  // namespace
}  // namespace fixkeep::probe
