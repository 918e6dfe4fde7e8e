#include "client-sim/game/sdk_client.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>

namespace fixkeep::game {
namespace {

using Clock = SdkClient::Clock;

// A port at which nobody listens until listen() says so.
struct Door {
  Door() : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket, generic, size), 0);
    EXPECT_EQ(getsockname(socket, generic, &size), 0);
    port = ntohs(address.sin_port);
  }
  ~Door() { close(socket); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  int socket;
  std::uint16_t port = 0;
};

// Looks as often as a dial is due, which is waited for in no time.
void look_until(SdkClient& client, Clock::time_point& now, const auto& done) {
  for (int turn = 0; turn < 5000 && !done(); ++turn) {
    now += SdkClient::between_dials;
    client.look_at_clock(now);
    pollfd watched{.fd = client.descriptor(), .events = POLLIN | POLLOUT, .revents = 0};
    if (client.descriptor() >= 0) poll(&watched, 1, 1);
    client.serve();
  }
}

TEST(SdkClientTest, where_there_is_no_sdk_every_call_is_answered_with_yes_and_nobody_is_dialled) {
  SdkClient client{{.port = 0, .token = ""}};
  std::optional<bool> answered;
  client.call("/alpha/player/connect", "{}", [&](bool ok) { answered = ok; });
  EXPECT_FALSE(answered) << "never from within the call";
  auto now = Clock::now();
  look_until(client, now, [&] { return answered.has_value(); });
  EXPECT_EQ(answered, true);
  EXPECT_EQ(client.dials(), 0U);
  EXPECT_FALSE(client.broken());
}

TEST(SdkClientTest, dials_again_where_nobody_listens_yet) {
  Door door;
  SdkClient client{{.port = door.port, .token = "secret"}};
  std::optional<bool> answered;
  client.call("/ready", "{}", [&](bool ok) { answered = ok; });
  auto now = Clock::now();
  look_until(client, now, [&] { return client.dials() > 3; });
  ASSERT_FALSE(client.broken());
  EXPECT_FALSE(answered);

  ASSERT_EQ(listen(door.socket, 1), 0);
  look_until(client, now, [&] { return client.descriptor() >= 0 && !client.want_write(); });
  const int connection = accept(door.socket, nullptr, nullptr);
  std::array<char, 512> heard{};
  EXPECT_GT(recv(connection, heard.data(), heard.size(), 0), 0);
  const std::string_view request{heard.data()};
  EXPECT_TRUE(request.starts_with("POST /ready ")) << request;
  EXPECT_NE(request.find("\r\nAuthorization: Bearer secret\r\n"), request.npos) << request;
  constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  EXPECT_EQ(send(connection, answer.data(), answer.size(), 0), std::ssize(answer));
  look_until(client, now, [&] { return answered.has_value(); });
  EXPECT_EQ(answered, true);
  close(connection);
}

}  // namespace
}  // namespace fixkeep::game
