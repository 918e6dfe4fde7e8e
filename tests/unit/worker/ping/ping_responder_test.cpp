#include "worker/ping/ping_responder.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>

#include "tests/support/own_network.hpp"

namespace fixkeep::worker {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;

const std::string question{PingResponder::question};
const std::string answer{PingResponder::answer};

class PingPlayer {
 public:
  explicit PingPlayer(std::uint16_t port, const char* from = "127.0.0.1")
      : socket_(context_, {asio::ip::make_address(from), 0}),
        to_(asio::ip::address_v4::loopback(), port) {}

  void say(const std::string& text) { socket_.send_to(asio::buffer(text), to_); }
  [[nodiscard]] std::optional<std::string> hear(int most_ms = 20'000) {
    pollfd readable{.fd = socket_.native_handle(), .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, most_ms) != 1) return std::nullopt;
    std::array<char, 2000> bytes{};
    udp::endpoint from;
    return std::string(bytes.data(), socket_.receive_from(asio::buffer(bytes), from));
  }

 private:
  asio::io_context context_{1};
  udp::socket socket_;
  udp::endpoint to_;
};

std::string ask_over_http(std::uint16_t port, const std::string& head) {
  asio::io_context context{1};
  tcp::socket socket{context};
  socket.connect({asio::ip::address_v4::loopback(), port});
  asio::write(socket, asio::buffer(head + " HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n"));
  std::string all;
  boost::system::error_code ended;
  asio::read(socket, asio::dynamic_buffer(all), ended);
  return all.substr(0, all.find("\r\n"));
}

std::unique_ptr<PingResponder> start_here(PingOptions options = {}) {
  options.address = "127.0.0.1";
  auto started = PingResponder::start(options);
  EXPECT_TRUE(started) << started.error().message();
  return std::move(*started);
}

// Only there is a port that is free for TCP free for UDP as well.
void in_own_network(auto body) {
  EXPECT_EXIT(test::exit_after(body), testing::ExitedWithCode(0), "");
}

TEST(PingResponderInOwnNetwork, answers_what_is_as_long_as_the_question) {
  in_own_network([] {
    const auto responder = start_here();
    PingPlayer player{responder->port()};
    const std::string own(PingResponder::most_own_bytes, 'n');
    player.say(question);
    EXPECT_EQ(player.hear(), answer);
    player.say(question + own);
    EXPECT_EQ(player.hear(), answer + own);
  });
}

// The machine has more addresses than the one from which it answers anybody.
TEST(PingResponderInOwnNetwork, answers_from_the_address_that_was_asked) {
  in_own_network([] {
    for (const char* everywhere : {"0.0.0.0", "::", ""}) {
      auto responder = PingResponder::start({.address = everywhere});
      ASSERT_TRUE(responder) << responder.error().message();
      asio::io_context context{1};
      for (const char* asked : {"127.0.0.2", "127.9.9.9"}) {
        udp::socket player{context, udp::v4()};
        player.connect({asio::ip::make_address(asked), (*responder)->port()});
        player.send(asio::buffer(question));
        pollfd readable{.fd = player.native_handle(), .events = POLLIN, .revents = 0};
        ASSERT_EQ(::poll(&readable, 1, 20'000), 1) << everywhere << " " << asked;
        std::array<char, 100> bytes{};
        EXPECT_EQ(std::string(bytes.data(), player.receive(asio::buffer(bytes))), answer);
      }
    }
  });
}

// The last question shows that those before it were heard.
TEST(PingResponderInOwnNetwork, says_nothing_to_anything_else) {
  in_own_network([] {
    const auto responder = start_here();
    PingPlayer player{responder->port()};
    const std::string too_long(PingResponder::most_own_bytes + 1, 'n');
    for (const std::string& text :
         {std::string{}, std::string{"fixkeep"}, answer, answer + "own", question + too_long,
          question + std::string(1200, 'n'), std::string{"FIXKEEP?"}}) {
      player.say(text);
    }
    player.say(question + "last");
    EXPECT_EQ(player.hear(), answer + "last");
  });
}

TEST(PingResponderInOwnNetwork, a_flood_gets_as_many_answers_as_the_bound_says) {
  in_own_network([] {
    const auto responder = start_here({.most_per_second = 3});
    PingPlayer player{responder->port()};
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 50; ++i) player.say(question + std::to_string(i));
    std::size_t heard = 0;
    while (player.hear(1500)) ++heard;
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
    EXPECT_GE(heard, 3U);
    EXPECT_LE(heard, 3U * static_cast<std::size_t>(seconds.count() + 1));
    EXPECT_LT(heard, 50U);
    player.say(question);
    EXPECT_EQ(player.hear(), answer) << "the next second is another one";
  });
}

// The flood waits in the socket before the responder looks, so its other player is never the first.
TEST(PingResponderInOwnNetwork, a_flood_of_one_address_leaves_others_their_answers) {
  in_own_network([] {
    const auto responder = start_here({.most_per_second = 20, .most_per_second_of_client = 2});
    PingPlayer flood{responder->port()};
    PingPlayer player{responder->port(), "127.0.0.2"};
    for (int i = 0; i < 200; ++i) flood.say(question + std::to_string(i));
    player.say(question);
    EXPECT_EQ(player.hear(), answer);
    EXPECT_EQ(flood.hear(), answer + "0");
    EXPECT_EQ(flood.hear(), answer + "1");
  });
}

TEST(PingResponderInOwnNetwork, answers_over_http_at_the_same_port) {
  in_own_network([] {
    const auto responder = start_here();
    EXPECT_EQ(ask_over_http(responder->port(), "GET /ping"), "HTTP/1.1 204 No Content");
    EXPECT_EQ(ask_over_http(responder->port(), "GET /ping?n=1"), "HTTP/1.1 204 No Content");
    EXPECT_EQ(ask_over_http(responder->port(), "GET /"), "HTTP/1.1 404 Not Found");
    EXPECT_EQ(ask_over_http(responder->port(), "POST /ping"), "HTTP/1.1 405 Method Not Allowed");
  });
}

TEST(PingResponderInOwnNetwork, a_port_that_is_taken_in_either_way_is_an_error) {
  in_own_network([] {
    asio::io_context context{1};
    const udp::socket theirs{context, {asio::ip::address_v4::loopback(), 5000}};
    EXPECT_FALSE(PingResponder::start({.address = "127.0.0.1", .port = 5000}));
    const tcp::acceptor door{context, {asio::ip::address_v4::loopback(), 5001}};
    EXPECT_FALSE(PingResponder::start({.address = "127.0.0.1", .port = 5001}));
  });
}

}  // namespace
}  // namespace fixkeep::worker
