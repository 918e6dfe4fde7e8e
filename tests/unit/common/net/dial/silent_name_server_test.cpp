// Links beside a name server that never answers: a real one, whom the system's resolver asks.
//
// It is the only one that a process of its own knows, in a network and with an /etc/resolv.conf of
// its own. Where the kernel allows no such process, the test fails.
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>

#include <cstdio>
#include <cstdlib>

#include "common/net/dial/name_lookups.hpp"
#include "tests/support/own_network.hpp"
#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

const std::string silent_server = "127.0.0.1";

struct SilentNameServer : LinkHubTest {
  void TestBody() override {
    // Names are asked of nobody but the silent server, and for minutes.
    const test::OwnNames names{
        {.hosts = "",
         .name_servers = "nameserver " + silent_server + "\noptions timeout:30 attempts:5\n"}};
    ASSERT_TRUE(names.in_place()) << "of its own: the files of the names";
    asio::ip::udp::socket server{io, {asio::ip::make_address(silent_server), 53}};
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

TEST(SilentNameServerInOwnNetwork, links_to_addresses_wait_for_no_name) {
  EXPECT_EXIT(test::exit_after([] { SilentNameServer{}.TestBody(); }), ::testing::ExitedWithCode(0),
              "");
}

// As in a container whose image has no /etc/hosts and whose runtime makes none.
TEST(NamesInOwnNetwork, are_in_place_on_a_machine_that_has_no_files_of_names) {
  const auto body = [] {
    ASSERT_EQ(::mount("nothing", "/etc", "tmpfs", 0, nullptr), 0);
    ASSERT_NE(::access("/etc/hosts", F_OK), 0);
    const test::OwnNames names{{.hosts = "127.0.0.7 somebody\n", .name_servers = ""}};
    ASSERT_TRUE(names.in_place());
    addrinfo* found = nullptr;
    ASSERT_EQ(::getaddrinfo("somebody", nullptr, nullptr, &found), 0);
    const auto& address = *reinterpret_cast<const sockaddr_in*>(found->ai_addr);
    EXPECT_EQ(ntohl(address.sin_addr.s_addr), 0x7F000007U);
    ::freeaddrinfo(found);
  };
  EXPECT_EXIT(test::exit_after(body), ::testing::ExitedWithCode(0), "");
}

// As in a container whose image has no /etc/hosts: games of a hook are often at "localhost".
TEST(NamesInOwnNetwork, have_localhost_also_where_nothing_says_what_it_is) {
  const auto body = [] {
    const test::OwnNames names{{.hosts = "", .name_servers = ""}};
    ASSERT_TRUE(names.in_place());
    asio::io_context own;
    const auto work = asio::make_work_guard(own);
    LookupAnswer heard;
    const auto question = NameLookups::of_the_system()->ask(own.get_executor(), "localhost",
                                                            [&](const LookupAnswer& answer) {
                                                              heard = answer;
                                                              own.stop();
                                                            });
    own.run_for(std::chrono::seconds{60});
    ASSERT_FALSE(heard.addresses.empty()) << heard.error.message();
    EXPECT_TRUE(heard.addresses.front().is_loopback());
  };
  EXPECT_EXIT(test::exit_after(body), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fixkeep::net
