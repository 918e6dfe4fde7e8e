// Which connections a listener for operators keeps: its bound is small, and strangers reach it.
#include <gmock/gmock.h>

#include <algorithm>

#include "common/net/http/operators.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* shown = "Authorization: Bearer sesame, sesame, sesame\r\n";

// A listener on a thread of its own, for six connections, three of an address.
struct OperatorConnections : testing::Test {
  OperatorConnections() {
    const AdminOptions options{.http = {.connections = 6, .connections_per_address = 3},
                               .token = "sesame, sesame, sesame"};
    listener = start_for_operators(context, options, echo).value();
    port = listener.http->port();
    thread = std::thread{[this] { context.run(); }};
  }
  ~OperatorConnections() override {
    boost::asio::post(context, [this] { listener.http.reset(); });
    thread.join();
  }
  OperatorConnections(const OperatorConnections&) = delete;
  OperatorConnections& operator=(const OperatorConnections&) = delete;

  static std::string ask(Client& client, const std::string& fields = "") {
    client.send(get("/", fields));
    return client.read_answer();
  }
  void hold(int count, const char* from, const std::string& request = "") {
    for (int i = 0; i < count; ++i) {
      held.push_back(std::make_unique<Client>(port, from));
      held.back()->send(request);
    }
  }

  boost::asio::io_context context{1};
  OperatorsListener listener;
  std::uint16_t port = 0;
  std::thread thread;
  std::vector<std::unique_ptr<Client>> held;
};

TEST_F(OperatorConnections, of_those_who_have_not_shown_the_token_go_for_newer_ones) {
  hold(5, "127.0.0.2");
  hold(5, "127.0.0.3", get("/", "Authorization: Bearer guessed\r\n"));
  for (const char* from : {"127.0.0.1", "127.0.0.2", "127.0.0.3"}) {
    Client client{port, from};
    EXPECT_THAT(ask(client, shown), StartsWith("HTTP/1.1 200 ")) << from;
  }
}

TEST_F(OperatorConnections, of_operators_go_for_nobody) {
  Client alone{port, "127.0.0.4"};
  ASSERT_THAT(ask(alone, shown), StartsWith("HTTP/1.1 200 "));
  // That of an operator who has the address of strangers is the oldest one there.
  Client among{port, "127.0.0.2"};
  ASSERT_THAT(ask(among, shown), StartsWith("HTTP/1.1 200 "));
  hold(10, "127.0.0.2");
  hold(10, "127.0.0.3");
  EXPECT_THAT(ask(alone, shown), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(ask(among, shown), StartsWith("HTTP/1.1 200 "));
}

// Such a connection is no operator's.
TEST_F(OperatorConnections, may_ask_for_health_without_a_token) {
  Client first{port, "127.0.0.2"};
  const auto ask_at = [&first](const char* target) {
    first.send(get(target));
    return first.read_answer();
  };
  EXPECT_THAT(ask_at("/healthz?metrics"), HasSubstr("token-needed"));
  EXPECT_THAT(ask_at("/metrics"), HasSubstr("token-needed"));
  EXPECT_THAT(ask_at("/healthz"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(ask_at("/readyz"), StartsWith("HTTP/1.1 200 "));
  hold(3, "127.0.0.2");
  EXPECT_THAT(ask(*held.back()), HasSubstr("token-needed")) << "so it is there";
  EXPECT_EQ(ask_at("/healthz"), "") << "it has ended";
}

// And no more than three lines a minute in the log, without the token.
TEST_F(OperatorConnections, of_who_guesses_end_and_a_right_token_is_heard_beside_them) {
  testing::internal::CaptureStderr();
  Client operators{port};
  for (int i = 0; i < 12; ++i) {
    Client client{port};
    const auto answer = ask(client, "Authorization: Bearer guessed, guessed\r\n");
    if (i < 5) {
      EXPECT_THAT(answer, HasSubstr("wrong-token")) << i;
      EXPECT_THAT(ask(client), HasSubstr("token-needed")) << "which is no guess";
    } else {
      EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("too-many-wrong-tokens"),
                                HasSubstr("\r\nRetry-After: "), Not(HasSubstr("guessed"))));
      EXPECT_EQ(ask(client, shown), "") << "its connection has ended";
    }
    EXPECT_THAT(ask(operators, shown), StartsWith("HTTP/1.1 200 ")) << "from the same address";
  }
  const auto logged = testing::internal::GetCapturedStderr();
  EXPECT_THAT(logged, AllOf(HasSubstr("wrong token"), HasSubstr("127.0.0.1")));
  EXPECT_THAT(logged, Not(HasSubstr("guessed")));
  EXPECT_LE(std::count(logged.begin(), logged.end(), '\n'), 3);
  std::promise<std::uint64_t> count;
  boost::asio::post(context, [&] { count.set_value(listener.wrong_tokens->count()); });
  EXPECT_EQ(count.get_future().get(), 12U);
}

TEST_F(OperatorConnections, are_those_of_strangers_again_when_the_next_request_shows_nothing) {
  Client first{port, "127.0.0.2"};
  ASSERT_THAT(ask(first, shown), StartsWith("HTTP/1.1 200 "));
  ASSERT_THAT(ask(first), HasSubstr("token-needed"));
  hold(3, "127.0.0.2");
  EXPECT_THAT(ask(*held.back()), HasSubstr("token-needed")) << "so it is there";
  EXPECT_EQ(ask(first, shown), "") << "it has ended";
}

}  // namespace
}  // namespace fixkeep::net::test
