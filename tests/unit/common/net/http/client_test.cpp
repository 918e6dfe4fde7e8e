// The client against servers that do what they should not. Its own server answers well.
#include "common/net/http/client.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <filesystem>

#include "common/net/http/response_reader.hpp"
#include "common/net/http/server.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/common/net/http/hostile_server.hpp"

namespace fixkeep::net {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;
using ::testing::ElementsAre;

struct HttpClientTest : ::testing::Test {
  std::unique_ptr<HttpClient> client_of(std::uint16_t port) {
    return std::make_unique<HttpClient>(
        io.get_executor(),
        HttpClientOptions{
            .host = "127.0.0.1", .port = port, .head_bytes = 4096, .body_bytes = 64U << 10U});
  }
  // Runs the call to its end, whatever else goes on.
  template <class T>
  Result<T> run(boost::asio::awaitable<Result<T>> call) {
    std::optional<Result<T>> outcome;
    boost::asio::co_spawn(io, std::move(call), [&](std::exception_ptr thrown, Result<T> made) {
      rethrow(thrown);
      outcome = std::move(made);
    });
    const auto limit = std::chrono::steady_clock::now() + 120s;
    while (!outcome && std::chrono::steady_clock::now() < limit) {
      io.restart();
      io.run_one_for(100ms);
    }
    EXPECT_TRUE(outcome);
    return outcome ? std::move(*outcome) : Result<T>{Errc::stopping};
  }
  // What a call of a server comes to that says this, and how much it could say.
  std::pair<error_code, std::uint64_t> ask(HostileAnswer answer,
                                           std::chrono::milliseconds limit = 60s) {
    const HostileServer server{io, std::move(answer)};
    const auto client = client_of(server.port());
    const auto reply = run(client->ask({.target = "/x"}, limit));
    EXPECT_FALSE(client->connected() && !reply) << "after an error there is none";
    return {reply ? error_code{} : reply.error(), client->bytes_received()};
  }

  boost::asio::io_context io;
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string in_chunks = ok + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string block = std::string(64U << 10U, 'x');
};

TEST_F(HttpClientTest, asks_and_keeps_its_connection) {
  std::vector<std::string> heard;
  HttpOptions options;
  const auto server =
      HttpServer::start(io, options, [&](HttpRequest&& request, const HttpResponder& responder) {
        heard.push_back(std::string{request.method_string()} + " " + std::string{request.target()} +
                        " " + std::string{request["x-word"]} + " " + request.body());
        responder.answer({.status = 429, .body = "well"});
      }).value();
  const auto client = client_of(server->port());
  for (int i = 0; i < 2; ++i) {
    const auto reply = run(client->ask(
        {.method = "POST", .target = "/a?b", .fields = {{"X-Word", "hello"}}, .body = "{}"}, 60s));
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->status, 429U);
    EXPECT_EQ(reply->body, "well");
  }
  const auto reply = run(client->ask({.target = "/get"}, 60s));
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_THAT(heard, ElementsAre("POST /a?b hello {}", "POST /a?b hello {}", "GET /get  "));
  EXPECT_EQ(server->connections(), 1U);
  server->close();
}

// The socket of this process that is connected to this port of it; -1: none is.
int socket_to(std::uint16_t port) {
  for (const auto& file : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    const int fd = std::stoi(file.path().filename());
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.sin_family == AF_INET && ntohs(peer.sin_port) == port) return fd;
  }
  return -1;
}

int socket_option(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(fd, level, name, &value, &size), 0);
  return value;
}

TEST_F(HttpClientTest, a_connection_asks_for_signs_of_life) {
  const auto server = HttpServer::start(io, {}, [&](HttpRequest&&, const HttpResponder& responder) {
                        responder.answer({.body = "well"});
                      }).value();
  const auto client = client_of(server->port());
  ASSERT_TRUE(run(client->ask({}, 60s)));
  const int fd = socket_to(server->port());
  ASSERT_GE(fd, 0);
  EXPECT_NE(socket_option(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
  const int idle = socket_option(fd, IPPROTO_TCP, TCP_KEEPIDLE);
  const int every = socket_option(fd, IPPROTO_TCP, TCP_KEEPINTVL);
  const int missed = socket_option(fd, IPPROTO_TCP, TCP_KEEPCNT);
  EXPECT_GT(idle, 0);
  EXPECT_LE(idle + every * missed, 60) << "seconds until a server is missed";
}

TEST_F(HttpClientTest, an_endless_answer_ends_by_its_bytes) {
  for (const auto& [begin, again] : {
           std::pair{in_chunks + "1;", block},  // a chunk extension
           {ok + "a: ", block},                 // a field
           {ok, "a: " + std::string(1000, 'b') + "\r\n"},
           {in_chunks + "0\r\n", "a: " + std::string(1000, 'b') + "\r\n"},  // trailers
           {std::string{}, std::string{"HTTP/1.1 100 Continue\r\n\r\n"}},
           {ok + "\r\n", block},
           {in_chunks, "4000\r\n" + std::string(0x4000, 'x') + "\r\n"},
       }) {
    const auto [error, received] = ask({begin, again});
    EXPECT_EQ(error, HttpAnswerError::too_large) << begin;
    EXPECT_LE(received, 128U << 10U) << "what it reads at once, and its limits; " << begin;
  }
}

TEST_F(HttpClientTest, a_trickle_ends_by_its_time) {
  for (const auto& begin : {std::string{}, ok, in_chunks + "fff\r\n", ok + "\r\n"}) {
    const auto [error, received] = ask({begin, "a", 20ms}, 300ms);
    EXPECT_EQ(error, boost::asio::error::timed_out) << begin;
  }
}

TEST_F(HttpClientTest, silence_ends_by_its_time_and_so_does_an_answer_that_never_ends) {
  EXPECT_EQ(ask({ok, ""}, 50ms).first, boost::asio::error::timed_out);
  EXPECT_EQ(ask({ok + "Content-Length: 9\r\n\r\n12345678"}, 50ms).first,
            boost::asio::error::timed_out);
}

TEST_F(HttpClientTest, a_body_larger_than_it_says_ends_the_connection) {
  const HostileServer server{io, {ok + "Content-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n"}};
  const auto client = client_of(server.port());
  for (int i = 1; i <= 2; ++i) {
    const auto reply = run(client->ask({}, 60s));
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->body, "x");
    EXPECT_FALSE(client->connected());
    EXPECT_EQ(server.connections(), i);
  }
}

// What came too late to be seen with the answer is seen before the next call.
TEST_F(HttpClientTest, what_a_waiting_connection_says_is_no_answer) {
  const HostileServer server{io, {ok + "Content-Length: 1\r\n\r\nx", ok, 20ms}};
  const auto client = client_of(server.port());
  ASSERT_TRUE(run(client->ask({}, 60s)));
  EXPECT_TRUE(client->connected());
  io.run_for(100ms);
  const auto reply = run(client->ask({}, 60s));
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpClientTest, a_connection_that_the_server_has_closed_is_not_used) {
  const HostileServer server{io, {.begin = ok + "Content-Length: 1\r\n\r\nx", .closes = true}};
  const auto client = client_of(server.port());
  for (int i = 1; i <= 3; ++i) {
    const auto reply = run(client->ask({}, 60s));
    ASSERT_TRUE(reply) << reply.error().message();
    io.run_for(50ms);
    EXPECT_EQ(server.connections(), i);
  }
}

TEST_F(HttpClientTest, an_answer_that_is_cut_off_is_none) {
  EXPECT_EQ(ask({.begin = ok + "Content-Length: 2\r\n\r\nx", .closes = true}).first,
            HttpAnswerError::cut_off);
  const HostileServer server{io, {.begin = ok + "\r\nhello", .closes = true}};
  const auto reply = run(client_of(server.port())->ask({}, 60s));
  ASSERT_TRUE(reply) << "without a length the end of the connection is that of the body";
  EXPECT_EQ(reply->body, "hello");
}

TEST_F(HttpClientTest, a_stream_is_read_piece_by_piece_and_its_framing_is_bounded) {
  const HostileServer server{io, {in_chunks + "1;", block}};
  const auto client = client_of(server.port());
  const auto head = run(client->open({}, 60s));
  const auto more = head ? run(client->read_more(HttpClient::no_limit)) : head.error();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error(), HttpAnswerError::too_large);

  const HostileServer steady{io, {in_chunks, "6\r\nhello\n\r\n", 1ms}};
  const auto listener = client_of(steady.port());
  const auto opened = run(listener->open({}, 60s));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->status, 200U);
  std::string heard;
  while (heard.size() < 600) {
    const auto piece = run(listener->read_more(60s));
    ASSERT_TRUE(piece);
    ASSERT_FALSE(piece->empty());
    heard += *piece;
  }
  EXPECT_TRUE(heard.starts_with("hello\nhello\n"));
}

TEST_F(HttpClientTest, what_is_under_way_ends_with_its_client) {
  const HostileServer server{io, {ok}};
  auto client = client_of(server.port());
  std::optional<error_code> ended;
  boost::asio::co_spawn(io, client->ask({}, 24h),
                        [&](std::exception_ptr thrown, const Result<HttpReply>& made) {
                          rethrow(thrown);
                          ended = made.error();
                        });
  while (server.bytes_sent() == 0) io.run_one_for(100ms);
  client.reset();
  while (!ended) io.run_one_for(100ms);
  EXPECT_EQ(*ended, boost::asio::error::operation_aborted);
}

TEST_F(HttpClientTest, sends_nothing_that_could_be_read_as_more_than_it_is) {
  const HostileServer server{io, {ok + "Content-Length: 0\r\n\r\n"}};
  for (const auto& call : {HttpCall{.target = "/ HTTP/1.1\r\nX: y"}, HttpCall{.target = "/a b"},
                           HttpCall{.method = "GET\r\n"},
                           HttpCall{.fields = {{"Authorization", "Bearer x\r\nX: y"}}}}) {
    const auto reply = run(client_of(server.port())->ask(call, 60s));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error(), Errc::malformed_message);
  }
  EXPECT_EQ(server.connections(), 0);
}

// Accepts one connection, and answers each request on it, as many as there are answers.
boost::asio::awaitable<std::string> answer_locally(
    boost::asio::local::stream_protocol::acceptor& acceptor, std::vector<std::string> answers) {
  std::string heard;
  auto [unaccepted, socket] = co_await acceptor.async_accept(use_tuple);
  for (const std::string& answer : answers) {
    std::array<char, 4096> room{};
    const auto [gone, got] = co_await socket.async_read_some(boost::asio::buffer(room), use_tuple);
    if (gone) co_return heard;
    heard.append(room.data(), got);
    (void)co_await boost::asio::async_write(socket, boost::asio::buffer(answer), use_tuple);
  }
  co_return heard;
}

TEST_F(HttpClientTest, a_socket_of_this_machine_is_asked_like_a_host) {
  const ::fixkeep::test::TemporaryFolder folder;
  const auto path = folder.path() / "server";
  boost::asio::local::stream_protocol::acceptor acceptor{io, path.string()};
  std::string heard;
  boost::asio::co_spawn(
      io,
      answer_locally(acceptor, {ok + "Content-Length: 2\r\n\r\nhi", in_chunks + "1\r\na\r\n", ""}),
      [&](std::exception_ptr thrown, std::string all) {
        rethrow(thrown);
        heard = std::move(all);
      });
  auto client =
      std::make_unique<HttpClient>(io.get_executor(), HttpClientOptions{.path = path.string()});
  const auto reply = run(client->ask({.target = "/x"}, 60s));
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->body, "hi");
  const auto head = run(client->open({.target = "/events"}, 60s));
  ASSERT_TRUE(head) << head.error().message();
  const auto piece = run(client->read_more(60s));
  ASSERT_TRUE(piece) << piece.error().message();
  EXPECT_EQ(*piece, "a");
  const auto silent = run(client->read_more(50ms));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error(), boost::asio::error::timed_out);
  EXPECT_FALSE(client->connected());
  while (heard.empty()) io.run_one_for(100ms);
  EXPECT_EQ(heard,
            "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"
            "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

TEST_F(HttpClientTest, a_socket_that_is_not_there_is_an_error_and_so_is_a_path_that_is_none) {
  const ::fixkeep::test::TemporaryFolder folder;
  for (const auto& path : {(folder.path() / "none").string(), std::string(200, 'p')}) {
    HttpClient client{io.get_executor(), {.path = path}};
    EXPECT_FALSE(run(client.ask({}, 60s))) << path;
    EXPECT_FALSE(client.connected());
  }
}

}  // namespace
}  // namespace fixkeep::net
