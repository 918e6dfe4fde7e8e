#include <gmock/gmock.h>
#include <sys/resource.h>

#include <ctime>

#include "common/base/random.hpp"
#include "common/net/http/server.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// --- limits -------------------------------------------------------------------------------------

TEST(HttpServer, refuses_a_request_that_does_not_arrive_in_time) {
  HttpOptions options;
  options.request_timeout = 150ms;
  RunningServer server{echo, options};
  Client slow{server.port()};
  const auto start = std::chrono::steady_clock::now();
  std::atomic<bool> answered = false;
  // A byte every 20 ms: the time counts from the first one, not from the latest.
  std::thread dripping{[&] {
    slow.send("GET / HTTP/1.1\r\nX-Slow: ");
    while (!answered) {
      slow.send("x");
      std::this_thread::sleep_for(20ms);
    }
  }};
  EXPECT_THAT(slow.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  answered = true;
  dripping.join();
  const auto passed = std::chrono::steady_clock::now() - start;
  EXPECT_GE(passed, 150ms);
  EXPECT_LE(passed, 2s);
}

TEST(HttpServer, closes_idle_connections_but_never_one_that_waits_for_its_answer) {
  Keeper keeper;
  HttpOptions options;
  options.idle_timeout = 100ms;
  options.request_timeout = 100ms;
  RunningServer server{keeper.handler(), options};
  Client idle{server.port()};
  Client waiting{server.port()};
  waiting.send(get("/"));
  EXPECT_EQ(idle.read_to_end(), "");
  std::this_thread::sleep_for(300ms);
  ASSERT_EQ(keeper.requests, 1);
  server.on_thread([&] { keeper.kept[0].answer(text("patience")); });
  EXPECT_THAT(waiting.read_answer(), EndsWith("patience"));
}

TEST(HttpServer, turns_away_more_connections_than_it_may_have_when_all_wait_for_answers) {
  Keeper keeper;
  HttpOptions options;
  options.connections = 3;
  RunningServer server{keeper.handler(), options};
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(get("/"));
  }
  ASSERT_TRUE(eventually([&] { return keeper.requests == 3; }));
  {
    Client refused{server.port()};
    refused.send(get("/"));
    EXPECT_THAT(refused.read_to_end(), AllOf(StartsWith("HTTP/1.1 503 Service Unavailable\r\n"),
                                             HasSubstr("urn:fixkeep:error:too-many-connections")));
  }
  // One is answered, and has a place for as long as nobody else wants it.
  server.on_thread([&] { keeper.kept[0].answer(text("first")); });
  EXPECT_THAT(clients[0]->read_answer(), EndsWith("first"));
  Client next{server.port()};
  next.send(get("/"));
  EXPECT_TRUE(eventually([&] { return keeper.requests == 4; }));
  EXPECT_EQ(clients[0]->read_to_end(), "") << "it has gone";
  EXPECT_EQ(server.on_thread([&] { return server.server().displaced(); }), 1U);
  server.on_thread([&] { keeper.kept[2].answer(text("third")); });
  EXPECT_THAT(clients[2]->read_answer(), EndsWith("third")) << "those who wait do not go";
}

TEST(HttpServer, has_a_place_for_whoever_comes_beside_piles_of_connections_that_do_nothing) {
  RunningServer server{echo, {.connections = 20, .connections_per_address = 10}};
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 30; ++i) {
    idle.push_back(std::make_unique<Client>(server.port(), i % 2 == 0 ? "127.0.0.2" : "127.0.0.3"));
    if (i % 3 == 1) idle.back()->send("GET / HTTP/1.1\r\nX-Slow: ");
    if (i % 3 == 2) idle.back()->send(get("/"));
  }
  for (const char* from : {"127.0.0.4", "127.0.0.2"}) {
    Client client{server.port(), from};
    client.send(get("/"));
    EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 200 OK")) << from;
  }
  EXPECT_LE(server.on_thread([&] { return server.server().connections(); }), 20U);
}

// Those of two addresses wait, and fill it: a third one is served, one that waits is told so, and
// whoever works for its answer hears that nobody wants it.
TEST(HttpServer, has_a_place_beside_clients_that_all_wait_and_have_many_connections) {
  Keeper keeper;
  RunningServer server{keeper.handler(), {.connections = 8, .connections_per_address = 4}};
  std::vector<std::unique_ptr<Client>> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(
        std::make_unique<Client>(server.port(), i % 2 == 0 ? "127.0.0.2" : "127.0.0.3"));
    waiting.back()->send(get("/"));
    ASSERT_TRUE(eventually([&] { return keeper.requests == i + 1; }));
  }
  for (int i = 0; i < 3; ++i) {
    Client client{server.port(), "127.0.0.4"};
    client.send(get("/"));
    ASSERT_TRUE(eventually([&] { return keeper.requests == 9 + i; }));
    server.on_thread([&] { keeper.kept.back().answer(text("served")); });
    EXPECT_THAT(client.read_answer(), EndsWith("served"));
  }
  EXPECT_EQ(keeper.hang_ups, 1) << "the next ones took the place of the one before";
  EXPECT_THAT(waiting[6]->read_answer(), HasSubstr("urn:fixkeep:error:too-many-connections"))
      << "the latest of the address that had most for longest";
  server.on_thread([&] { keeper.kept[0].answer(text("first")); });
  EXPECT_THAT(waiting[0]->read_answer(), EndsWith("first"));
  Client one_more{server.port(), "127.0.0.2"};
  one_more.send(get("/"));
  EXPECT_TRUE(eventually([&] { return keeper.requests == 12; }));
}

TEST(HttpServer, keeps_a_connection_that_just_came_beside_a_client_whose_requests_all_wait) {
  Keeper keeper;
  RunningServer server{keeper.handler(), {.connections = 8}};
  std::vector<std::unique_ptr<Client>> waiting;
  for (int i = 0; i < 7; ++i) {
    waiting.push_back(std::make_unique<Client>(server.port(), "127.0.0.2"));
    waiting.back()->send(get("/"));
    ASSERT_TRUE(eventually([&] { return keeper.requests == i + 1; }));
  }
  Client newcomer{server.port(), "127.0.0.4"};
  ASSERT_TRUE(eventually(
      [&] { return server.on_thread([&] { return server.server().connections(); }) == 8; }));
  Client more{server.port(), "127.0.0.2"};
  more.send(get("/"));
  EXPECT_THAT(more.read_to_end(), HasSubstr("urn:fixkeep:error:too-many-connections"));
  newcomer.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 8; }));
  server.on_thread([&] { keeper.kept.back().answer(text("served")); });
  EXPECT_THAT(newcomer.read_answer(), EndsWith("served"));
}

// What reads none of its answers is not answering, nor is what was told that it is the last one.
TEST(HttpServer, has_a_place_beside_clients_that_do_not_read) {
  const auto much = [](const HttpRequest&, const HttpResponder& responder) {
    responder.answer(text(std::string(4U << 20U, 'x')));
  };
  RunningServer server{much, {.connections = 6, .turned_away = 0}};
  std::vector<std::unique_ptr<Client>> deaf;
  for (int i = 0; i < 12; ++i) {
    deaf.push_back(std::make_unique<Client>(server.port(), "127.0.0.2"));
    deaf.back()->send(get("/", i % 2 == 0 ? "Connection: close\r\n" : ""));
  }
  Client client{server.port()};
  client.send(get("/"));
  EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 200 OK"));
}

TEST(HttpServer, keeps_connections_for_others_whatever_one_address_does) {
  Keeper keeper;
  RunningServer server{keeper.handler(),
                       {.connections = 8, .connections_per_address = 3, .turned_away = 2}};
  const auto answer_to = [&](Client& client) {
    client.send(get("/"));
    return client.read_answer();
  };
  std::vector<std::unique_ptr<Client>> greedy;
  greedy.reserve(20);
  for (int i = 0; i < 20; ++i) {
    greedy.push_back(std::make_unique<Client>(server.port(), "127.0.0.2"));
    if (i < 3) greedy.back()->send(get("/"));
    ASSERT_TRUE(eventually([&] { return keeper.requests == std::min(i + 1, 3); }));
  }
  EXPECT_THAT(answer_to(*greedy[3]), HasSubstr("urn:fixkeep:error:too-many-connections"));
  EXPECT_EQ(answer_to(*greedy[19]), "") << "not even told so";
  Client other{server.port(), "127.0.0.3"};
  other.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 4; }));
  server.on_thread([&] { keeper.kept.back().answer(text("there was a place")); });
  EXPECT_THAT(other.read_answer(), EndsWith("there was a place"));
}

TEST(HttpServer, outlives_random_bytes) {
  RunningServer server{echo};
  Random random{7};
  for (int round = 0; round < 20; ++round) {
    std::string noise(1U << 20U, '\0');
    for (auto& c : noise) c = static_cast<char>(random.below(256));
    if (round % 2 == 1) noise.insert(0, "POST / HTTP/1.1\r\n");
    Client client{server.port()};
    std::thread sender{[&] { client.send(noise); }};
    EXPECT_THAT(client.read_to_end(), AllOf(StartsWith("HTTP/1.1 4"), HasSubstr("problem+json")));
    sender.join();
  }
  Client client{server.port()};
  client.send(get("/alive"));
  EXPECT_THAT(client.read_answer(), EndsWith("/alive "));
}

TEST(HttpServer, accepts_again_after_it_ran_out_of_descriptors) {
  RunningServer server{echo};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // Made while descriptors are left, connected when there are none for the server's side of it.
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket{context};
  socket.open(boost::asio::ip::tcp::v4());
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(socket.native_handle()) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  socket.connect({boost::asio::ip::address_v4::loopback(), server.port()});
  const std::clock_t cpu_before = std::clock();
  std::this_thread::sleep_for(300ms);
  const auto cpu_spent = static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_LT(cpu_spent, 0.15);  // a spinning server would have used all of the 300 ms
  boost::asio::write(socket, boost::asio::buffer(get("/")));
  char bytes[16] = {};
  EXPECT_GT(socket.read_some(boost::asio::buffer(bytes)), 0U);
}

}  // namespace
}  // namespace fixkeep::net::test
