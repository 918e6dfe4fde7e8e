#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A handler that answers every request without an end.
struct Streams {
  std::vector<HttpStream> open;
  std::vector<HttpResponder> responders;
  std::atomic<std::size_t> requests = 0;

  HttpServer::Handler handler() {
    return [this](HttpRequest&&, const HttpResponder& responder) {
      responders.push_back(responder);
      if (auto stream = responder.stream("text/event-stream")) open.push_back(*stream);
      ++requests;
    };
  }
};

std::shared_ptr<const std::string> bytes(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

struct HttpStreamTest : ::testing::Test {
  bool send(std::size_t stream, const std::shared_ptr<const std::string>& what) {
    return server.on_thread([&] { return streams.open.at(stream).send(what); });
  }
  std::size_t connections() {
    return server.on_thread([&] { return server.server().connections(); });
  }
  void wait_for(std::size_t requests) {
    ASSERT_TRUE(eventually([&] { return streams.requests == requests; }));
  }

  Streams streams;
  RunningServer server{streams.handler(),
                       {.request_timeout = std::chrono::milliseconds{400},
                        .idle_timeout = std::chrono::milliseconds{400}}};
};

TEST(HttpStreamOrigins, allow_the_page_of_an_allowed_origin_to_read_a_stream) {
  Streams streams;
  RunningServer server{streams.handler(), {.allowed_origins = {"https://play.example"}}};
  Client page{server.port()};
  page.send(get("/", "Origin: https://play.example\r\n"));
  const auto head = page.read_until("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("\r\nAccess-Control-Allow-Origin: https://play.example\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nVary: Origin\r\n"));
  server.on_thread([&] { streams.open.clear(); });
}

TEST_F(HttpStreamTest, has_a_head_and_then_what_is_sent_as_it_is_sent) {
  Client client{server.port()};
  client.send(get("/"));
  const auto head = client.read_until("\r\n\r\n");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
  wait_for(1);
  EXPECT_TRUE(send(0, bytes("one\n")));
  EXPECT_EQ(client.read_until("\n"), "one\n");
  EXPECT_TRUE(send(0, bytes("two\n")));
  EXPECT_TRUE(send(0, bytes("three\n")));
  EXPECT_EQ(client.read_until("three\n"), "two\nthree\n");
}

TEST_F(HttpStreamTest, lasts_while_nothing_is_sent) {
  Client client{server.port()};
  client.send(get("/"));
  wait_for(1);
  std::this_thread::sleep_for(std::chrono::milliseconds{1000});  // longer than any time of it
  EXPECT_TRUE(send(0, bytes("still here\n")));
  EXPECT_THAT(client.read_until("here\n"), EndsWith("still here\n"));
}

TEST_F(HttpStreamTest, is_the_only_answer_of_its_request) {
  Client client{server.port()};
  client.send(get("/"));
  wait_for(1);
  server.on_thread([&] {
    EXPECT_FALSE(streams.responders[0].stream("text/plain"));
    streams.responders[0].answer(text("an answer"));
    EXPECT_FALSE(streams.responders[0].take_over());
    streams.open[0].close();
  });
  EXPECT_THAT(client.read_to_end(), EndsWith("Connection: close\r\n\r\n"));
}

TEST_F(HttpStreamTest, ends_with_its_client) {
  Client client{server.port()};
  client.send(get("/"));
  wait_for(1);
  EXPECT_TRUE(server.on_thread([&] { return streams.open[0].is_open(); }));
  client.close();
  ASSERT_TRUE(eventually([&] { return connections() == 0; }));
  EXPECT_FALSE(server.on_thread([&] { return streams.open[0].is_open(); }));
  EXPECT_FALSE(send(0, bytes("nobody")));
}

TEST_F(HttpStreamTest, carries_more_than_a_socket_holds_to_a_client_that_reads) {
  Client client{server.port()};
  client.send(get("/"));
  wait_for(1);
  const auto large = bytes(std::string(4U << 20U, 'x') + "\n");
  EXPECT_TRUE(send(0, large));
  EXPECT_TRUE(send(0, bytes("behind it\n")));
  (void)client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_until("\n").size(), large->size());
  EXPECT_EQ(client.read_until("\n"), "behind it\n");
}

// Longer than the idle time, which is meant for one that reads nothing.
TEST_F(HttpStreamTest, goes_on_as_long_as_its_client_reads_however_slowly) {
  Streams slow_streams;
  RunningServer slow_server{
      slow_streams.handler(),
      {.request_timeout = std::chrono::seconds{1}, .idle_timeout = std::chrono::seconds{1}}};
  Client client{slow_server.port()};
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return slow_streams.requests == 1; }));
  const std::size_t size = 4U << 20U;
  const auto large = bytes(std::string(size, 'x') + "\n");
  slow_server.on_thread([&] { return slow_streams.open.at(0).send(large); });
  (void)client.read_until("\r\n\r\n");
  std::size_t read = 0;
  for (int pause = 0; pause < 30 && read < size; ++pause) {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    read += client.read_bytes(size / 40).size();
  }
  EXPECT_LT(read, size);
  EXPECT_EQ(read + client.read_until("\n").size(), large->size());
}

TEST_F(HttpStreamTest, is_closed_if_its_client_leaves_too_much_unread) {
  Client client{server.port()};
  client.send(get("/"));
  wait_for(1);
  const auto large = bytes(std::string(1U << 20U, 'x'));
  std::size_t taken = 0;
  while (taken < 64 && send(0, large)) ++taken;
  EXPECT_GE(taken, HttpStream::unsent_most >> 20U);
  EXPECT_LT(taken, 64U);
  EXPECT_EQ(connections(), 0U);
}

TEST_F(HttpStreamTest, is_closed_if_its_client_reads_nothing_for_the_idle_time) {
  Client client{server.port()};
  client.send(get("/"));
  wait_for(1);
  EXPECT_TRUE(send(0, bytes(std::string(8U << 20U, 'x'))));
  ASSERT_TRUE(eventually([&] { return connections() == 0; }));
}

TEST_F(HttpStreamTest, does_not_care_what_its_client_says_up_to_a_bound) {
  Client client{server.port()};
  client.send(get("/") + get("/"));
  wait_for(1);
  client.send(std::string(1U << 20U, 'x'));
  EXPECT_TRUE(send(0, bytes("go on\n")));
  EXPECT_THAT(client.read_until("go on\n"), EndsWith("go on\n"));
  EXPECT_EQ(streams.requests, 1U);
  for (int i = 0; i < 16; ++i) client.send(std::string(1U << 20U, 'x'));
  ASSERT_TRUE(eventually([&] { return connections() == 0; }));
}

}  // namespace
}  // namespace fixkeep::net::test
