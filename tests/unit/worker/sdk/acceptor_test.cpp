#include "worker/sdk/acceptor.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>

#include "tests/unit/worker/sdk/sdk_room.hpp"

namespace fixkeep::worker::test {
namespace {

using boost::asio::ip::tcp;

struct AcceptorTest : testing::Test {
  void open(FromTheRoom from_the_room) {
    auto listeners = open_listeners();
    ASSERT_TRUE(listeners);
    sockets = listeners->sockets.size();
    acceptor = std::make_unique<Acceptor>(
        context, "w1-1-1", Endpoint{std::move(*listeners), std::move(from_the_room)},
        [this](process::Descriptor connection) { accepted.push_back(std::move(connection)); });
  }
  void dial(const boost::asio::ip::address& address) {
    clients.emplace_back(context);
    clients.back().connect({address, acceptor->port()});
  }

  boost::asio::io_context context{1};
  std::size_t sockets = 0;
  std::unique_ptr<Acceptor> acceptor;
  std::vector<process::Descriptor> accepted;
  std::vector<tcp::socket> clients;
};

TEST_F(AcceptorTest, accepts_on_both_addresses_of_localhost_by_one_port) {
  open({});
  EXPECT_NE(acceptor->port(), 0);
  dial(boost::asio::ip::address_v4::loopback());
  if (sockets == 2) dial(boost::asio::ip::address_v6::loopback());
  run_until(context, [&] { return accepted.size() == sockets; });
}

TEST_F(AcceptorTest, a_port_whose_connections_are_still_closing_is_listened_at_again) {
  open({});
  const auto port = acceptor->port();
  dial(boost::asio::ip::address_v4::loopback());
  run_until(context, [&] { return !accepted.empty(); });
  accepted.clear();  // this side closes first, and the game has not noticed
  acceptor.reset();
  const auto again = open_listeners(port);
  EXPECT_TRUE(again) << again.error().message();
}

TEST_F(AcceptorTest, accepts_from_sockets_that_come_later) {
  auto listeners = open_listeners();
  ASSERT_TRUE(listeners);
  auto late = std::exchange(listeners->sockets, {});
  acceptor = std::make_unique<Acceptor>(
      context, "w1-1-1", Endpoint{std::move(*listeners), {}},
      [this](process::Descriptor connection) { accepted.push_back(std::move(connection)); });
  dial(boost::asio::ip::address_v4::loopback());
  context.poll();
  EXPECT_TRUE(accepted.empty());
  acceptor->listen(std::move(late));
  run_until(context, [&] { return !accepted.empty(); });
}

TEST_F(AcceptorTest, sends_away_what_is_not_from_the_room_and_counts_it) {
  bool from_the_room = false;
  int asked_about = -1;
  open([&](int socket) {
    asked_about = socket;
    return from_the_room;
  });
  dial(boost::asio::ip::address_v4::loopback());
  run_until(context, [&] { return acceptor->strangers() == 1; });
  EXPECT_GE(asked_about, 0);
  EXPECT_TRUE(accepted.empty());
  pollfd closed{.fd = clients[0].native_handle(), .events = POLLRDHUP, .revents = 0};
  EXPECT_EQ(::poll(&closed, 1, 10'000), 1);
  from_the_room = true;
  dial(boost::asio::ip::address_v4::loopback());
  run_until(context, [&] { return accepted.size() == 1; });
  EXPECT_EQ(acceptor->strangers(), 1U);
}

TEST_F(AcceptorTest, connections_made_before_it_wait_for_it) {
  auto listeners = open_listeners();
  ASSERT_TRUE(listeners);
  clients.emplace_back(context);
  clients.back().connect({boost::asio::ip::address_v4::loopback(), listeners->port});
  Acceptor late{
      context, "w1-1-1", Endpoint{std::move(*listeners), {}},
      [this](process::Descriptor connection) { accepted.push_back(std::move(connection)); }};
  run_until(context, [&] { return accepted.size() == 1; });
}

TEST_F(AcceptorTest, no_longer_listens_once_it_is_destroyed) {
  open({});
  const auto port = acceptor->port();
  acceptor.reset();
  tcp::socket client{context};
  boost::system::error_code error;
  client.connect({boost::asio::ip::address_v4::loopback(), port}, error);
  EXPECT_EQ(error, boost::asio::error::connection_refused);
}

TEST(Listeners, are_not_opened_without_a_descriptor) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const process::Descriptor highest{::dup(STDIN_FILENO)};  // there is none free below it
  ASSERT_TRUE(highest);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(highest.get()) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto listeners = open_listeners();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(listeners.error(), boost::system::errc::too_many_files_open);
}

}  // namespace
}  // namespace fixkeep::worker::test
