// Which connections a listener for operators keeps: its bound is small, and strangers reach it.
#include <gmock/gmock.h>

#include "common/net/http/operators.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* shown = "Authorization: Bearer sesame, sesame, sesame\r\n";

// A listener on a thread of its own, for six connections, three of an address.
struct OperatorConnections : testing::Test {
  OperatorConnections() {
    const AdminOptions options{.http = {.connections = 6, .connections_per_address = 3},
                               .token = "sesame, sesame, sesame"};
    server = start_for_operators(context, options, echo).value();
    port = server->port();
    thread = std::thread{[this] { context.run(); }};
  }
  ~OperatorConnections() override {
    boost::asio::post(context, [this] { server.reset(); });
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
  std::unique_ptr<HttpServer> server;
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

TEST_F(OperatorConnections, are_those_of_strangers_again_when_the_next_request_shows_nothing) {
  Client first{port, "127.0.0.2"};
  ASSERT_THAT(ask(first, shown), StartsWith("HTTP/1.1 200 "));
  ASSERT_THAT(ask(first), HasSubstr("token-needed"));
  hold(3, "127.0.0.2");
  EXPECT_EQ(first.read_to_end(), "");
}

}  // namespace
}  // namespace fixkeep::net::test
