#include "worker/sdk/rest/watch_stream.hpp"

#include <gmock/gmock.h>

#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket.hpp>
#include <optional>

#include "tests/unit/worker/sdk/rest/rest_game.hpp"

namespace fixkeep::worker::test {
namespace {

using boost::asio::ip::tcp;
using testing::HasSubstr;
using testing::StartsWith;

// One client with an answer that does not end.
class LineClient {
 public:
  LineClient(std::uint16_t port, const std::string& request) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
    boost::asio::write(socket_, boost::asio::buffer(request));
  }
  // Up to and with `end`; nothing once the connection has ended.
  std::string read_until(const std::string& end) {
    boost::system::error_code error;
    const auto length = boost::asio::read_until(socket_, input_, end, error);
    if (error) return {};
    std::string text{boost::asio::buffers_begin(input_.data()),
                     boost::asio::buffers_begin(input_.data()) + static_cast<long>(length)};
    input_.consume(length);
    return text;
  }
  Json next_chunk() {
    const auto size = std::stoul(read_until("\r\n"), nullptr, 16);
    const auto chunk = read_until("\r\n");
    EXPECT_EQ(chunk.size(), size + 2);
    EXPECT_THAT(chunk, testing::EndsWith("}\n\r\n"));
    return Json::parse(chunk);
  }

 private:
  boost::asio::io_context own_;
  tcp::socket socket_{own_};
  boost::asio::streambuf input_;
};

std::string request_of(const std::string& version) {
  return "GET /watch/gameserver HTTP/" + version + "\r\nHost: localhost\r\n\r\n";
}

struct WatchStreamTest : RestTest {
  template <class Body>
  auto game(Body body) {
    return meanwhile(context, std::move(body));
  }
};

TEST_F(WatchStreamTest, sends_the_object_at_once_and_after_every_change_as_chunked_lines) {
  std::optional<LineClient> client;
  const auto first = game([&] {
    client.emplace(port, request_of("1.1"));
    EXPECT_THAT(client->read_until("\r\n\r\n"),
                testing::AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                               HasSubstr("\r\nContent-Type: application/json\r\n"),
                               HasSubstr("\r\nTransfer-Encoding: chunked\r\n")));
    return client->next_chunk();
  });
  EXPECT_EQ(first["result"]["status"]["state"], "Scheduled");
  EXPECT_EQ(first["result"]["object_meta"]["resource_version"], "1");
  room.session->ready();
  EXPECT_EQ(game([&] { return client->next_chunk(); })["result"]["status"]["state"], "Ready");
  EXPECT_TRUE(room.session->set_label("map", "ice"));
  const auto third = game([&] { return client->next_chunk(); });
  EXPECT_EQ(third["result"]["object_meta"]["labels"]["agones.dev/sdk-map"], "ice");
  EXPECT_EQ(third["result"]["object_meta"]["resource_version"], "3");
}

TEST_F(WatchStreamTest, sends_lines_without_chunks_to_a_client_of_http_1_0) {
  game([&] {
    LineClient client{port, request_of("1.0")};
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(client.read_until("\n"), StartsWith("{\"result\":{"));
    return true;
  });
}

TEST_F(WatchStreamTest, upgrades_to_a_web_socket_with_one_message_for_each_object) {
  boost::asio::io_context own;
  boost::beast::websocket::stream<tcp::socket> client{own};
  const auto next = [&] {
    boost::beast::flat_buffer buffer;
    client.read(buffer);
    EXPECT_TRUE(client.got_text());
    return Json::parse(boost::beast::buffers_to_string(buffer.data()));
  };
  const auto first = game([&] {
    client.next_layer().connect({boost::asio::ip::address_v4::loopback(), port});
    client.handshake("localhost", "/watch/gameserver");
    return next();
  });
  EXPECT_EQ(first["result"]["status"]["state"], "Scheduled");
  room.session->allocate();
  EXPECT_EQ(game(next)["result"]["status"]["state"], "Allocated");
  game([&] {
    client.write(boost::asio::buffer(std::string{"what a client says is ignored"}));
    return true;
  });
  room.session->ready();
  EXPECT_EQ(game(next)["result"]["status"]["state"], "Ready");
  game([&] {
    client.close(boost::beast::websocket::close_code::normal);
    return true;
  });
}

// As Unreal sends it: a key that is not 16 bytes in base64.
TEST_F(WatchStreamTest, upgrades_a_client_with_a_key_of_any_form) {
  game([&] {
    LineClient client{port,
                      "GET /watch/gameserver HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                      "Upgrade: websocket\r\nSec-WebSocket-Key: ExampleKey1234567890===\r\n"
                      "Sec-WebSocket-Version: 13\r\n\r\n"};
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101 "));
    return true;
  });
}

TEST_F(WatchStreamTest, are_bounded_and_one_that_leaves_makes_room) {
  std::vector<std::unique_ptr<LineClient>> clients;
  game([&] {
    for (std::size_t i = 0; i < Session::watchers_most; ++i) {
      clients.push_back(std::make_unique<LineClient>(port, request_of("1.1")));
      clients.back()->read_until("\r\n\r\n");
    }
    return true;
  });
  const Reply refused = get("/watch/gameserver");
  EXPECT_EQ(refused.status, 429U);
  EXPECT_EQ(refused.json()["code"], 8);
  clients.pop_back();
  // Until the worker has seen its end.
  run_until(context, [&] { return bool{room.session->watch([] {})}; });
}

TEST_F(WatchStreamTest, ends_with_its_room) {
  std::optional<LineClient> client;
  game([&] {
    client.emplace(port, request_of("1.1"));
    client->read_until("\r\n\r\n");
    return client->next_chunk();
  });
  sdk.reset();
  EXPECT_EQ(game([&] { return client->read_until("\n"); }), "");
}

}  // namespace
}  // namespace fixkeep::worker::test
