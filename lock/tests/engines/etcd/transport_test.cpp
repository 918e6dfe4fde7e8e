// The connections of an etcd engine to servers that a test plays.
#include "lock/engines/etcd/transport.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>

#include "tests/support/own_network.hpp"
#include "tests/unit/common/net/http/hostile_server.hpp"

namespace fixkeep::engine {
namespace {

using namespace std::chrono_literals;
using net::HostileServer;

const std::string empty_object = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
const std::string in_chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string block = std::string(64U << 10U, 'x');

struct EtcdTransportTest : ::testing::Test {
  std::unique_ptr<EtcdTransport> transport_to(std::vector<ServerAddress> servers) {
    return std::make_unique<EtcdTransport>(
        io, EtcdTransportOptions{.servers = std::move(servers), .reply = 20s}, statistics,
        [](bool) {});
  }
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (!condition() && std::chrono::steady_clock::now() < limit) io.run_one_for(100ms);
    return condition();
  }

  boost::asio::io_context io;
  EngineStatistics statistics;
};

TEST_F(EtcdTransportTest,
       a_server_that_answers_without_an_end_has_failed_and_the_next_one_is_asked) {
  const HostileServer endless{io, {in_chunks + "1;", block}};
  const HostileServer other{io, {empty_object}};
  const auto transport = transport_to({{"127.0.0.1", endless.port()}, {"127.0.0.1", other.port()}});
  std::vector<Result<EtcdReply>> replies;
  const auto ask = [&] {
    transport->post("/v3/kv/range", "{}",
                    [&](Result<EtcdReply> reply) { replies.push_back(std::move(reply)); });
    return until([&, count = replies.size()] { return replies.size() > count; });
  };
  ASSERT_TRUE(ask());
  EXPECT_FALSE(replies[0]);
  EXPECT_EQ(statistics.failures_refused, 1U);
  EXPECT_THAT(statistics.last_failure, ::testing::HasSubstr("too large"));
  EXPECT_LE(statistics.bytes_received, 128U << 10U);
  ASSERT_TRUE(ask());
  ASSERT_TRUE(replies[1]) << replies[1].error().message();
  EXPECT_EQ(replies[1]->body, "{}");
}

TEST_F(EtcdTransportTest, a_stream_without_an_end_of_its_framing_or_of_a_line_is_closed) {
  for (const auto& [begin, again] : {std::pair{in_chunks + "1;", block},
                                     {in_chunks, "4000\r\n" + std::string(0x4000, 'x') + "\r\n"}}) {
    const HostileServer endless{io, {begin, again}};
    const auto transport = transport_to({{"127.0.0.1", endless.port()}});
    int closed = 0;
    transport->open_stream(
        "/v3/watch", "{}",
        {.on_line = [](std::string_view) { ADD_FAILURE(); }, .on_closed = [&] { ++closed; }});
    EXPECT_TRUE(until([&] { return closed == 1; }));
  }
}

TEST_F(EtcdTransportTest, a_stream_is_told_line_by_line) {
  const HostileServer steady{io, {in_chunks, "4\r\nab\nc\r\n", 1ms}};
  const auto transport = transport_to({{"127.0.0.1", steady.port()}});
  std::vector<std::string> lines;
  transport->open_stream("/v3/watch", "{}",
                         {.on_line = [&](std::string_view line) { lines.emplace_back(line); },
                          .on_closed = [] { ADD_FAILURE(); }});
  ASSERT_TRUE(until([&] { return lines.size() >= 3; }));
  EXPECT_EQ(lines[0], "ab");
  EXPECT_EQ(lines[1], "cab");
}

// `localhost` is ::1 first, as in Debian's /etc/hosts. The server listens at 127.0.0.1.
struct EtcdAtLocalhost : EtcdTransportTest {
  void TestBody() override {
    const test::OwnNames names{
        {.hosts = "::1 localhost ip6-localhost\n127.0.0.1 localhost\n", .name_servers = ""}};
    ASSERT_TRUE(names.in_place());
    const HostileServer server{io, {empty_object}};
    const auto transport = transport_to({{"localhost", server.port()}});
    std::optional<Result<EtcdReply>> replied;
    transport->post("/v3/kv/range", "{}",
                    [&](Result<EtcdReply> reply) { replied = std::move(reply); });
    ASSERT_TRUE(until([&] { return replied.has_value(); }));
    ASSERT_TRUE(*replied) << replied->error().message();
  }
};

TEST(EtcdAtLocalhostInOwnNetwork, is_reached_although_another_address_of_the_name_comes_first) {
  EXPECT_EXIT(test::exit_after([] { EtcdAtLocalhost{}.TestBody(); }), ::testing::ExitedWithCode(0),
              "");
}

}  // namespace
}  // namespace fixkeep::engine
