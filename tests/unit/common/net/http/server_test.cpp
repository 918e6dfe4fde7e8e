#include "common/net/http/server.hpp"

#include <gmock/gmock.h>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HttpServer, answers_pipelined_requests_in_their_order) {
  RunningServer server{echo};
  Client client{server.port()};
  std::string requests;
  for (int i = 0; i < 5000; ++i) requests += get("/" + std::to_string(i));
  std::thread sender{[&] { client.send(requests); }};
  for (int i = 0; i < 5000; ++i) {
    EXPECT_THAT(client.read_answer(), EndsWith("GET /" + std::to_string(i) + " "));
  }
  sender.join();
}

TEST(HttpServer, holds_a_pipelined_request_back_until_the_answer) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(get("/1") + get("/2"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  // The second request must not reach the handler from inside answer().
  const int within_answer = server.on_thread([&] {
    keeper.kept[0].answer(text("first"));
    return keeper.requests.load();
  });
  EXPECT_EQ(within_answer, 1);
  EXPECT_THAT(client.read_answer(), EndsWith("first"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 2; }));
  server.on_thread([&] { keeper.kept[1].answer(text("second")); });
  EXPECT_THAT(client.read_answer(), EndsWith("second"));
}

TEST(HttpServer, tells_the_address_of_the_client) {
  RunningServer server{[](HttpRequest&&, const HttpResponder& responder) {
    responder.answer(text(responder.client().to_string()));
  }};
  Client client{server.port()};
  client.send(get("/"));
  EXPECT_THAT(client.read_answer(), EndsWith("127.0.0.1"));
}

// --- hanging up ---------------------------------------------------------------------------------

TEST(HttpServer, reports_a_client_that_hangs_up_while_it_waits_once) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  EXPECT_EQ(keeper.hang_ups, 0);
  client.close();
  ASSERT_TRUE(eventually([&] { return keeper.hang_ups == 1; }));
  server.on_thread([&] {
    keeper.kept[0].answer(text("too late"));
    keeper.kept[0].on_hang_up([&] { ++keeper.hang_ups; });
  });
  EXPECT_EQ(server.on_thread([&] { return server.server().connections(); }), 0U);
  EXPECT_EQ(keeper.hang_ups, 1);
}

TEST(HttpServer, reports_nobody_who_leaves_after_the_answer) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  server.on_thread([&] {
    keeper.kept[0].answer(text("the answer"));
    keeper.kept[0].answer(text("another one"));  // the first counts
  });
  EXPECT_THAT(client.read_answer(), EndsWith("the answer"));
  client.close();
  ASSERT_TRUE(eventually(
      [&] { return server.on_thread([&] { return server.server().connections() == 0; }); }));
  EXPECT_EQ(keeper.hang_ups, 0);
}

TEST(HttpServer, lets_a_late_answer_meet_its_own_request_only) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(get("/1"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  server.on_thread([&] { keeper.kept[0].answer(text("one")); });
  EXPECT_THAT(client.read_answer(), EndsWith("one"));
  client.send(get("/2"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 2; }));
  server.on_thread([&] {
    keeper.kept[0].answer(text("one again"));
    keeper.kept[1].answer(text("two"));
  });
  EXPECT_THAT(client.read_answer(), EndsWith("two"));
}

TEST(HttpServer, answers_a_client_that_closed_its_side_after_saying_so) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(post("{}", "Connection: close\r\n"));
  client.half_close();
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  std::this_thread::sleep_for(50ms);  // the end of the client's side has been read by now
  server.on_thread([&] { keeper.kept[0].answer(text("still here")); });
  EXPECT_THAT(client.read_to_end(), EndsWith("still here"));
  EXPECT_EQ(keeper.hang_ups, 0);
}

TEST(HttpServer, takes_the_end_of_a_kept_connection_for_hanging_up) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(get("/"));
  client.half_close();
  EXPECT_TRUE(eventually([&] { return keeper.hang_ups == 1; }));
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpServer, finishes_what_is_under_way_when_it_stops_accepting) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  server.on_thread([&] { server.server().stop_accepting(); });
  EXPECT_THROW(Client{server.port()}, boost::system::system_error);
  server.on_thread([&] { keeper.kept[0].answer(text("the last one")); });
  EXPECT_THAT(client.read_to_end(),
              AllOf(HasSubstr("Connection: close\r\n"), EndsWith("the last one")));
}

TEST(HttpServer, closes_everything_without_calling_anybody) {
  Keeper keeper;
  auto server = std::make_unique<RunningServer>(keeper.handler());
  Client client{server->port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  server.reset();
  EXPECT_EQ(client.read_to_end(), "");
  keeper.kept[0].answer(text("nobody is there"));
  EXPECT_EQ(keeper.hang_ups, 0);
}

TEST(HttpServer, says_why_it_cannot_listen) {
  RunningServer server{echo};
  boost::asio::io_context context;
  HttpOptions taken;
  taken.port = server.port();
  EXPECT_EQ(HttpServer::start(context, taken, echo).error(), boost::system::errc::address_in_use);
  HttpOptions nonsense;
  nonsense.address = "not an address";
  EXPECT_TRUE(HttpServer::start(context, nonsense, echo).has_error());
}

// --- sending an answer that does not fit --------------------------------------------------------

TEST(HttpServer, sends_an_answer_of_many_megabytes) {
  const std::string large(20'000'000, 'x');  // NOLINT(bugprone-string-constructor)
  RunningServer server{
      [&](HttpRequest&&, const HttpResponder& responder) { responder.answer(text(large)); }};
  Client client{server.port()};
  for (int i = 0; i < 2; ++i) {
    client.send(get("/"));
    EXPECT_THAT(client.read_answer().size(), ::testing::Gt(large.size()));
  }
}

}  // namespace
}  // namespace fixkeep::net::test
