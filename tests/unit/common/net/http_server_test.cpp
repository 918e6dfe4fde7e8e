#include "common/net/http_server.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/base/random.hpp"
#include "common/net/http_answer.hpp"
#include "tests/unit/common/net/http_test_client.hpp"

namespace fixkeep::net::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

HttpAnswer text(std::string body) {
  HttpAnswer answer;
  answer.content_type = "text/plain";
  answer.body = std::move(body);
  return answer;
}

// "<method> <target> <body>"
void echo(const HttpRequest& request, const HttpResponder& responder) {
  responder.answer(text(std::string{request.method_string()} + " " + std::string{request.target()} +
                        " " + request.body()));
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

// Keeps its requests for later and counts who hung up.
struct Keeper {
  std::vector<HttpResponder> kept;
  std::atomic<int> requests = 0;
  std::atomic<int> hang_ups = 0;

  HttpServer::Handler handler() {
    return [this](HttpRequest&&, const HttpResponder& responder) {
      kept.push_back(responder);
      responder.on_hang_up([this] { ++hang_ups; });
      ++requests;
    };
  }
};

TEST(HttpServer, keeps_a_connection_for_many_requests) {
  RunningServer server{echo};
  Client client{server.port()};
  for (int i = 0; i < 100; ++i) {
    client.send(post("body " + std::to_string(i)));
    EXPECT_THAT(client.read_answer(),
                AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Type: text/plain\r\n"),
                      Not(HasSubstr("Connection:")), EndsWith("POST / body " + std::to_string(i))));
  }
  EXPECT_EQ(server.on_thread([&] { return server.server().connections(); }), 1U);
}

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

TEST(HttpServer, answers_head_without_a_body) {
  RunningServer server{echo};
  Client client{server.port()};
  client.send("HEAD /x HTTP/1.1\r\nHost: test\r\n\r\n" + get("/y", "Connection: close\r\n"));
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(client.read_to_end(), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                                          HasSubstr("Connection: close\r\n"), EndsWith("GET /y ")));
}

TEST(HttpServer, serves_old_clients) {
  RunningServer server{echo};
  Client closing{server.port()};
  closing.send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_THAT(closing.read_to_end(), AllOf(HasSubstr("Connection: close"), EndsWith("/old ")));
  Client keeping{server.port()};
  keeping.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(keeping.read_answer(), HasSubstr("Connection: keep-alive\r\n"));
  keeping.send(get("/new"));
  EXPECT_THAT(keeping.read_answer(), EndsWith("/new "));
}

TEST(HttpServer, ignores_empty_lines_between_requests) {
  RunningServer server{echo};
  Client client{server.port()};
  client.send("\r\n" + post("1") + "\r\n\r\n" + post("2"));
  EXPECT_THAT(client.read_answer(), EndsWith("1"));
  EXPECT_THAT(client.read_answer(), EndsWith("2"));
}

TEST(HttpServer, takes_a_chunked_body_in_small_pieces) {
  RunningServer server{echo};
  Client client{server.port()};
  const std::string request =
      "POST /c HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4\r\nroom\r\n3\r\n of\r\n0\r\n\r\n";
  for (const char c : request) client.send({&c, 1});
  EXPECT_THAT(client.read_answer(), EndsWith("POST /c room of"));
}

// --- hanging up
// -----------------------------------------------------------------------------------

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

// --- limits
// ---------------------------------------------------------------------------------------

TEST(HttpServer, refuses_a_body_that_is_too_large) {
  HttpOptions options;
  options.body_bytes = 1000;
  RunningServer server{echo, options};
  Client fitting{server.port()};
  fitting.send(post(std::string(1000, 'x')));
  EXPECT_THAT(fitting.read_answer(), StartsWith("HTTP/1.1 200 OK"));

  Client announced{server.port()};
  announced.send(post(std::string(2'000'000, 'x')));
  EXPECT_THAT(announced.read_to_end(), AllOf(StartsWith("HTTP/1.1 413 Payload Too Large\r\n"),
                                             HasSubstr("Content-Type: application/problem+json"),
                                             HasSubstr("urn:fixkeep:error:body-too-large")));

  Client chunked{server.port()};
  chunked.send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" +
               std::string(2000, 'x') + "\r\n0\r\n\r\n");
  EXPECT_THAT(chunked.read_to_end(), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, invites_a_large_body_only_if_it_fits) {
  HttpOptions options;
  options.body_bytes = 1000;
  RunningServer server{echo, options};
  Client welcome{server.port()};
  const std::string request = post(std::string(900, 'x'), "Expect: 100-continue\r\n");
  const auto body = request.find("\r\n\r\n") + 4;
  welcome.send(request.substr(0, body));
  EXPECT_EQ(welcome.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  welcome.send(request.substr(body));
  EXPECT_THAT(welcome.read_answer(), StartsWith("HTTP/1.1 200 OK"));

  Client unwelcome{server.port()};
  unwelcome.send("POST / HTTP/1.1\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(unwelcome.read_answer(), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, refuses_a_header_that_is_too_large) {
  HttpOptions options;
  options.header_bytes = 3000;
  RunningServer server{echo, options};
  Client fitting{server.port()};
  fitting.send(get("/", "X-Filler: " + std::string(2800, 'x') + "\r\n"));
  EXPECT_THAT(fitting.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  Client large{server.port()};
  large.send(get("/", "X-Filler: " + std::string(100'000, 'x') + "\r\n"));
  EXPECT_THAT(large.read_to_end(),
              AllOf(StartsWith("HTTP/1.1 431 "), HasSubstr("urn:fixkeep:error:header-too-large")));
}

TEST(HttpServer, refuses_a_header_of_too_many_small_fields) {
  HttpOptions options;
  options.header_bytes = 3000;
  RunningServer server{echo, options};
  Client client{server.port()};
  std::atomic<bool> answered = false;
  std::thread sender{[&] {
    client.send("GET / HTTP/1.1\r\n");
    while (!answered) {
      client.send("X-Another: field\r\n");
      std::this_thread::sleep_for(1ms);
    }
  }};
  EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 431 "));
  answered = true;
  sender.join();
}

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

TEST(HttpServer, turns_away_more_connections_than_it_may_have) {
  HttpOptions options;
  options.connections = 3;
  RunningServer server{echo, options};
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(get("/"));
    EXPECT_THAT(clients.back()->read_answer(), StartsWith("HTTP/1.1 200 OK"));
  }
  {
    Client refused{server.port()};
    refused.send(get("/"));
    EXPECT_THAT(refused.read_to_end(), AllOf(StartsWith("HTTP/1.1 503 Service Unavailable\r\n"),
                                             HasSubstr("urn:fixkeep:error:too-many-connections")));
  }
  clients.pop_back();
  EXPECT_TRUE(eventually([&] {
    Client next{server.port()};
    next.send(get("/"));
    return next.read_answer().starts_with("HTTP/1.1 200 OK");
  }));
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

TEST(HttpServer, calls_what_is_not_http_a_bad_request) {
  RunningServer server{echo};
  for (const char* bytes :
       {"\x16\x03\x01\x02\x01\x01", "hello\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
        "GET / HTTP/3.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "{\"player_id\":\"p\"}\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    Client client{server.port()};
    client.send(bytes);
    EXPECT_THAT(client.read_to_end(), AllOf(StartsWith("HTTP/1.1 400 Bad Request\r\n"),
                                            HasSubstr("urn:fixkeep:error:malformed-http")))
        << bytes;
  }
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

// --- sending an answer that does not fit
// ----------------------------------------------------------

TEST(HttpServer, sends_an_answer_of_many_megabytes) {
  const std::string large(20'000'000, 'x');
  RunningServer server{
      [&](HttpRequest&&, const HttpResponder& responder) { responder.answer(text(large)); }};
  Client client{server.port()};
  for (int i = 0; i < 2; ++i) {
    client.send(get("/"));
    EXPECT_THAT(client.read_answer().size(), ::testing::Gt(large.size()));
  }
}

// --- problem()
// ------------------------------------------------------------------------------------

TEST(Problem, is_json_whatever_the_detail_holds) {
  const auto answer = problem(422, "unknown-mode", "Unknown mode", "no \"mode\"\n\xff\x01");
  EXPECT_EQ(answer.status, 422U);
  EXPECT_EQ(answer.content_type, "application/problem+json");
  const auto body = nlohmann::json::parse(answer.body);
  EXPECT_EQ(body["type"], "urn:fixkeep:error:unknown-mode");
  EXPECT_EQ(body["title"], "Unknown mode");
  EXPECT_EQ(body["status"], 422);
  EXPECT_EQ(body["detail"], "no \"mode\"\n\xef\xbf\xbd\x01");
}

TEST(WriteAnswer, writes_the_fields_that_apply) {
  HttpAnswer busy = text("busy");
  busy.status = 429;
  busy.retry_after_seconds = 2;
  std::string out = "what was there before";
  write_answer(busy, {.date = "D"}, out);
  EXPECT_EQ(out,
            "HTTP/1.1 429 Too Many Requests\r\nDate: D\r\nContent-Type: text/plain\r\n"
            "Content-Length: 4\r\nRetry-After: 2\r\n\r\nbusy");

  HttpAnswer wrong_method = text("");
  wrong_method.status = 405;
  wrong_method.allow = "GET, HEAD";
  write_answer(wrong_method, {.date = "D", .keep_alive = false}, out);
  EXPECT_EQ(out,
            "HTTP/1.1 405 Method Not Allowed\r\nDate: D\r\nContent-Type: text/plain\r\n"
            "Content-Length: 0\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n");

  HttpAnswer nothing;
  nothing.status = 204;
  write_answer(nothing, {.date = "D"}, out);
  EXPECT_EQ(out, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
}

}  // namespace
}  // namespace fixkeep::net::test
