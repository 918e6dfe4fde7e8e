#include <gmock/gmock.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/read.hpp>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using ::testing::EndsWith;
using ::testing::IsEmpty;

// A handler that takes every connection over, for the test to use.
struct Taker {
  std::vector<boost::asio::ip::tcp::socket> taken;
  std::vector<HttpResponder> responders;
  std::atomic<int> requests = 0;

  HttpServer::Handler handler() {
    return [this](HttpRequest&&, const HttpResponder& responder) {
      auto socket = responder.take_over();
      if (socket) taken.push_back(std::move(*socket));
      responders.push_back(responder);
      ++requests;
    };
  }
};

TEST(HttpTakeOver, gives_the_connection_away_in_both_directions) {
  Taker taker;
  RunningServer server{taker.handler()};
  Client client{server.port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return taker.requests == 1; }));
  EXPECT_EQ(server.on_thread([&] { return server.server().connections(); }), 0U);
  server.on_thread([&] {
    taker.responders[0].answer(text("not any more"));
    EXPECT_FALSE(taker.responders[0].take_over());
    boost::asio::write(taker.taken[0], boost::asio::buffer(std::string_view{"another protocol\n"}));
  });
  EXPECT_EQ(client.read_until("\n"), "another protocol\n");
  // No read of the server takes what is the new owner's.
  client.send("for the owner");
  EXPECT_EQ(server.on_thread([&] {
    std::string heard(13, ' ');
    boost::asio::read(taker.taken[0], boost::asio::buffer(heard));
    return heard;
  }),
            "for the owner");
  server.on_thread([&] { taker.taken.clear(); });
  EXPECT_THAT(client.read_to_end(), IsEmpty());
}

// The kernel asks a quiet client for signs of life, so that a vanished client counts as gone.
TEST(HttpTakeOver, shows_a_socket_whose_dead_client_is_noticed) {
  Taker taker;
  RunningServer server{taker.handler()};
  Client client{server.port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return taker.requests == 1; }));
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    ::getsockopt(taker.taken[0].native_handle(), level, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 15);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 30'000) << "a stream has always sent something";
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), 5);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPCNT), 3);
  server.on_thread([&] { taker.taken.clear(); });
}

// The server has a read outstanding by then, to see its client's end.
TEST(HttpTakeOver, may_come_later) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  auto taken = server.on_thread([&] { return keeper.kept[0].take_over(); });
  ASSERT_TRUE(taken);
  client.send("for the owner");
  // The server's thread looks for what has come, and leaves the bytes where they are.
  for (int turn = 0; turn < 10; ++turn) server.on_thread([] {});
  EXPECT_TRUE(eventually([&] { return server.on_thread([&] { return taken->available() > 0; }); }));
  client.close();
  EXPECT_EQ(keeper.hang_ups, 0);
  server.on_thread([&] { taken.reset(); });
}

TEST(HttpTakeOver, leaves_the_connection_open_when_the_server_closes) {
  Taker taker;
  RunningServer server{taker.handler()};
  Client client{server.port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return taker.requests == 1; }));
  server.on_thread([&] {
    server.server().close();
    boost::asio::write(taker.taken[0], boost::asio::buffer(std::string_view{"still here\n"}));
  });
  EXPECT_EQ(client.read_until("\n"), "still here\n");
  server.on_thread([&] { taker.taken.clear(); });
}

TEST(HttpTakeOver, has_nothing_to_give_after_the_answer_or_the_client_is_gone) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client answered{server.port()};
  answered.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  server.on_thread([&] { keeper.kept[0].answer(text("the answer")); });
  EXPECT_THAT(answered.read_answer(), EndsWith("the answer"));
  Client gone{server.port()};
  gone.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 2; }));
  gone.close();
  ASSERT_TRUE(eventually([&] { return keeper.hang_ups == 1; }));
  server.on_thread([&] {
    EXPECT_FALSE(keeper.kept[0].take_over());
    EXPECT_FALSE(keeper.kept[1].take_over());
  });
}

TEST(HttpServerWithoutPort, serves_sockets_that_somebody_else_accepted) {
  boost::asio::io_context context{1};
  const auto server =
      HttpServer::start_without_port(context, {.connections = 1, .turned_away = 0}, echo);
  EXPECT_EQ(server->port(), 0);
  boost::asio::ip::tcp::acceptor acceptor{context, {boost::asio::ip::address_v4::loopback(), 0}};
  Client client{acceptor.local_endpoint().port()};
  server->serve(acceptor.accept().release());
  EXPECT_EQ(server->connections(), 1U);
  client.send(get("/x"));
  context.run_one_for(std::chrono::seconds{10});
  EXPECT_THAT(client.read_answer(), EndsWith("GET /x "));
  Client one_too_many{acceptor.local_endpoint().port()};
  server->serve(acceptor.accept().release());
  EXPECT_THAT(one_too_many.read_to_end(), IsEmpty());
}

}  // namespace
}  // namespace fixkeep::net::test
