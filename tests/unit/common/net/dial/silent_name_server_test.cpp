// Links beside a name server that never answers: a real one, whom the system's resolver asks.
//
// It is the only one that a process of its own knows, in a network and with an /etc/resolv.conf of
// its own. Where the kernel allows no such process, the test fails.
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <boost/asio/ip/udp.hpp>
#include <fstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

constexpr const char* server_address = "127.0.0.1";

// The calling process, for good. False: `errno` says why.
[[nodiscard]] bool move_to_a_network_of_its_own() {
  const int users = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
  if (::unshare(users | CLONE_NEWNS | CLONE_NEWNET) != 0) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq loopback{};
  loopback.ifr_name[0] = 'l';
  loopback.ifr_name[1] = 'o';
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool up = socket >= 0 && ::ioctl(socket, SIOCSIFFLAGS, &loopback) == 0;
  ::close(socket);
  return up;
}

// Names are asked of nobody but the silent server, and for minutes.
[[nodiscard]] bool know_only_the_silent_server() {
  const test::TemporaryFolder folder;
  const auto configuration = folder.path() / "resolv.conf";
  std::ofstream{configuration} << "nameserver " << server_address
                               << "\noptions timeout:30 attempts:5\n";
  const auto sources = folder.path() / "nsswitch.conf";
  std::ofstream{sources} << "hosts: dns\n";
  return ::mount(configuration.c_str(), "/etc/resolv.conf", nullptr, MS_BIND, nullptr) == 0 &&
         ::mount(sources.c_str(), "/etc/nsswitch.conf", nullptr, MS_BIND, nullptr) == 0;
}

struct SilentNameServer : LinkHubTest {
  void TestBody() override {
    ASSERT_TRUE(know_only_the_silent_server()) << strerror(errno);
    asio::ip::udp::socket server{io, {asio::ip::make_address(server_address), 53}};
    const auto listener = start(master());
    const auto dialler = start(worker());
    dialler->hub->dial_only(
        {{"m2", "silent.example", 1}, {"m1", "127.0.0.1", listener->hub->port()}});
    ASSERT_TRUE(until([&] { return server.available() > 0; })) << "it is asked";
    ASSERT_TRUE(until([&] { return dialler->is_up(); }));
    // A second link comes up beside it as well.
    listener->hub->close(Role::worker, "w1", Errc::stopping);
    ASSERT_TRUE(until([&] { return listener->ups.size() == 2; }));
    ASSERT_TRUE(until([&] { return !dialler->unreachable.empty(); })) << "the name has its limit";
    EXPECT_EQ(dialler->unreachable[0].reason, asio::error::host_not_found_try_again);
  }
};

TEST(SilentNameServerTest, links_to_addresses_wait_for_no_name) {
  EXPECT_EXIT(
      {
        if (!move_to_a_network_of_its_own()) {
          std::perror("no network of its own");
          std::exit(1);
        }
        SilentNameServer{}.TestBody();
        std::exit(::testing::Test::HasFailure() ? 2 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fixkeep::net
