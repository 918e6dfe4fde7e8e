// Clients that leave while their request waits, and clients that send or take nothing as they
// should: a request is nobody's at once, and its slot is free.
#include <gmock/gmock.h>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// How a client leaves.
enum class Leaving : std::uint8_t { closes, resets };

class HttpClientLeaves : public ::testing::TestWithParam<Leaving> {
 protected:
  void leave() {
    if (GetParam() == Leaving::closes) {
      client_.close();
    } else {
      client_.reset();
    }
  }

  // The first request was handed out, and nothing but the news that its client left comes after.
  void expect_one_hang_up() {
    EXPECT_TRUE(eventually([&] { return keeper_.hang_ups == 1; }));
    EXPECT_EQ(server_.on_thread([&] { return server_.server().connections(); }), 0U);
    EXPECT_EQ(keeper_.requests, 1);
    EXPECT_EQ(keeper_.hang_ups, 1);
  }

  Keeper keeper_;
  RunningServer server_{keeper_.handler()};
  Client client_{server_.port()};
};

TEST_P(HttpClientLeaves, with_requests_held_back) {
  client_.send(get("/1") + get("/2") + get("/3"));
  ASSERT_TRUE(eventually([&] { return keeper_.requests == 1; }));
  leave();
  expect_one_hang_up();
}

TEST_P(HttpClientLeaves, with_input_that_nobody_has_read) {
  client_.send(get("/1"));
  ASSERT_TRUE(eventually([&] { return keeper_.requests == 1; }));
  // The server's thread is kept busy, so that all of this waits in the socket.
  server_.on_thread([&] {
    client_.send(post(std::string(30'000, 'x')));
    leave();
  });
  expect_one_hang_up();
}

TEST_P(HttpClientLeaves, after_saying_that_nothing_follows) {
  client_.send(post("{}", "Connection: close\r\n"));
  ASSERT_TRUE(eventually([&] { return keeper_.requests == 1; }));
  leave();
  expect_one_hang_up();
}

TEST_P(HttpClientLeaves, after_saying_that_nothing_follows_and_sending_more) {
  client_.send(post("{}", "Connection: close\r\n") + get("/2"));
  ASSERT_TRUE(eventually([&] { return keeper_.requests == 1; }));
  leave();
  expect_one_hang_up();
}

TEST_P(HttpClientLeaves, as_an_old_client) {
  client_.send("GET /old HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return keeper_.requests == 1; }));
  leave();
  expect_one_hang_up();
}

TEST_P(HttpClientLeaves, with_a_request_after_others_that_were_answered_at_once_and_late) {
  for (const auto answered_after : {0ms, 50ms}) {
    const int before = keeper_.requests;
    client_.send(get("/"));
    ASSERT_TRUE(eventually([&] { return keeper_.requests == before + 1; }));
    std::this_thread::sleep_for(answered_after);
    server_.on_thread([&] { keeper_.kept.back().answer(text("bye")); });
    EXPECT_THAT(client_.read_until("bye"), StartsWith("HTTP/1.1 200 OK"));
  }
  client_.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper_.requests == 3; }));
  leave();
  EXPECT_TRUE(eventually([&] { return keeper_.hang_ups == 1; }));
  EXPECT_EQ(server_.on_thread([&] { return server_.server().connections(); }), 0U);
}

INSTANTIATE_TEST_SUITE_P(Each, HttpClientLeaves,
                         ::testing::Values(Leaving::closes, Leaving::resets),
                         [](const auto& leaving) {
                           return leaving.param == Leaving::closes ? "closing" : "resetting";
                         });

TEST(HttpServer, lets_a_client_that_only_closed_its_side_leave_later) {
  Keeper keeper;
  RunningServer server{keeper.handler()};
  Client client{server.port()};
  client.send(post("{}", "Connection: close\r\n"));
  client.half_close();
  // An interim answer asks the client whether it is still there.
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(keeper.hang_ups, 0);
  client.reset();
  EXPECT_TRUE(eventually([&] { return keeper.hang_ups == 1; }));
  EXPECT_EQ(server.on_thread([&] { return server.server().connections(); }), 0U);
}

// --- bounds -------------------------------------------------------------------------------------

TEST(HttpServer, holds_back_as_much_as_one_request_may_have) {
  HttpOptions options;
  options.header_bytes = 3000;
  options.body_bytes = 5000;
  Keeper keeper;
  RunningServer server{keeper.handler(), options};
  Client patient{server.port()};
  patient.send(get("/1"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  patient.send(post(std::string(4900, 'x')) + post(std::string(2800, 'y')));
  server.on_thread([&] { keeper.kept[0].answer(text("first")); });
  EXPECT_THAT(patient.read_answer(), EndsWith("first"));
  for (std::size_t next = 1; next <= 2; ++next) {
    ASSERT_TRUE(eventually([&] { return keeper.requests == static_cast<int>(next) + 1; }));
    server.on_thread([&] { keeper.kept[next].answer(text("next")); });
    EXPECT_THAT(patient.read_answer(), EndsWith("next"));
  }
  EXPECT_EQ(keeper.hang_ups, 0);

  Client hasty{server.port()};
  std::thread sender{[&] { hasty.send(get("/1") + std::string(1'000'000, 'x')); }};
  EXPECT_THAT(hasty.read_to_end(), AllOf(StartsWith("HTTP/1.1 400 "),
                                         HasSubstr("urn:fixkeep:error:too-much-pipelined")));
  sender.join();
  // Its request was given up, since its answer could not be sent any more.
  EXPECT_TRUE(eventually([&] { return keeper.hang_ups == 1; }));
  EXPECT_EQ(keeper.requests, 4);
}

TEST(HttpServer, makes_no_answers_for_a_client_that_reads_none) {
  constexpr std::size_t answer_bytes = 100'000;
  std::atomic<std::size_t> answers = 0;
  HttpOptions options;
  options.request_timeout = 500ms;
  RunningServer server{[&](HttpRequest&&, const HttpResponder& responder) {
                         ++answers;
                         responder.answer(text(std::string(answer_bytes, 'x')));
                       },
                       options};
  Client client{server.port()};
  std::string requests;
  for (int i = 0; i < 20'000; ++i) requests += get("/");
  client.send(requests);  // until the server closes
  EXPECT_TRUE(eventually(
      [&] { return server.on_thread([&] { return server.server().connections() == 0; }); }));
  EXPECT_LT(answers * answer_bytes, 2U << 20U);
}

}  // namespace
}  // namespace fixkeep::net::test
