// What fixkeepctl says of a node that does not answer as it should.
#include "ctl/node/client.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <thread>

#include "tests/unit/common/net/http/hostile_server.hpp"

namespace fixkeep::ctl {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string in_chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string block = std::string(64U << 10U, 'x');

// A server on a thread of its own, since the client waits.
class Played {
 public:
  explicit Played(net::HostileAnswer answer) : server_(io_, std::move(answer)) {
    thread_ = std::thread{[this] { io_.run(); }};
  }
  ~Played() {
    io_.stop();
    thread_.join();
  }
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;
  [[nodiscard]] NodeClient client(std::chrono::milliseconds timeout = 60s) const {
    return NodeClient{{"127.0.0.1", port_, false}, {.timeout = timeout, .answer_bytes = 1U << 20U}};
  }

 private:
  boost::asio::io_context io_;
  net::HostileServer server_;
  const std::uint16_t port_ = server_.port();
  std::thread thread_;
};

TEST(NodeClient, has_the_answer_of_a_node) {
  const Played node{{"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"}};
  const auto answered = node.client().get("/v1/rooms");
  ASSERT_TRUE(std::holds_alternative<NodeAnswer>(answered));
  EXPECT_EQ(std::get<NodeAnswer>(answered).status, 404U);
  EXPECT_EQ(std::get<NodeAnswer>(answered).body, "{}");
}

TEST(NodeClient, says_that_an_answer_without_an_end_is_too_large) {
  for (const auto& begin : {in_chunks + "1;", std::string{"HTTP/1.1 200 OK\r\n\r\n"}}) {
    const Played node{{begin, block}};
    const auto answered = node.client().get("/");
    ASSERT_TRUE(std::holds_alternative<std::string>(answered));
    EXPECT_THAT(std::get<std::string>(answered),
                HasSubstr("gives no answer: the answer is too large"));
  }
}

TEST(NodeClient, says_that_a_trickle_does_not_come_in_time) {
  const Played node{{in_chunks + "ffff\r\n", "x", 20ms}};
  const auto answered = node.client(300ms).get("/");
  ASSERT_TRUE(std::holds_alternative<std::string>(answered));
  EXPECT_THAT(std::get<std::string>(answered), HasSubstr("gives no answer: Connection timed out"));
}

TEST(NodeClient, follows_events_until_it_has_enough) {
  const Played node{{in_chunks, "10\r\nid: 1\ndata: a\n\n \r\n", 1ms}};
  std::vector<std::string> heard;
  const auto answered =
      node.client().follow("/v1/live", "", 60s, [&](const auto& id, const auto& data) {
        heard.push_back(id + data);
        return heard.size() < 2;
      });
  EXPECT_EQ(std::get<std::string>(answered), "");
  EXPECT_THAT(heard, ElementsAre("1a", "1a"));
}

TEST(NodeClient, says_that_a_stream_has_ended_or_is_none) {
  const auto nothing = [](const auto&, const auto&) { return true; };
  const Played ended{{in_chunks + "0\r\n\r\n"}};
  EXPECT_THAT(std::get<std::string>(ended.client().follow("/", "", 60s, nothing)),
              HasSubstr("has ended the stream"));
  const Played endless{{in_chunks + "1\r\na\r\n1;", block}};
  const auto answered = endless.client().follow("/", "", 60s, nothing);
  EXPECT_THAT(std::get<std::string>(answered), HasSubstr("the answer is too large"));
}

}  // namespace
}  // namespace fixkeep::ctl
