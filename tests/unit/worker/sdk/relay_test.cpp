// The relay beside a game and the worker's door, over real sockets: what a game says arrives at its
// room, and nobody without the room's token does.
#include "worker/sdk/relay/relay.hpp"

#include <gmock/gmock.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "tests/unit/worker/sdk/sdk_room.hpp"
#include "worker/sdk/door.hpp"
#include "worker/sdk/room_sdk.hpp"

namespace fixkeep::worker::test {
namespace {

using boost::asio::ip::tcp;

struct RelayTest : testing::Test {
  static constexpr auto token = "0123456789abcdef";

  RelayTest() {
    auto started = TransportHost::start(context);
    EXPECT_TRUE(started);
    host = std::make_unique<TransportHost>(std::move(*started));
    RoomHandlers handlers;
    handlers.ready = [this] { ready = true; };
    handlers.changed = [] {};
    SessionFacts facts = facts_of("w1-1-1");
    facts.token = token;
    room = std::make_unique<RoomSdk>(*host, std::move(facts), handlers,
                                     room_listeners_at({9358, 9357}), FromTheRoom{});
  }
  void open_door(std::uint16_t port = 0) {
    auto opened = SdkDoor::open(
        context, port, [this](const Greeting& greeting, process::Descriptor socket) -> std::string {
          greetings.push_back(greeting);
          if (greeting.token != token) return "another token";
          return room->serve(greeting.transport, std::move(socket)) ? "" : "no such transport";
        });
    ASSERT_TRUE(opened) << opened.error().message();
    door = std::move(*opened);
  }
  void open_relay(std::uint16_t worker, std::string shown = token,
                  std::chrono::milliseconds alone = std::chrono::hours{1}) {
    relay = std::make_unique<SdkRelay>(context,
                                       RelayOptions{.doors = {{0, "rest"}, {0, "nothing"}},
                                                    .worker_host = "127.0.0.1",
                                                    .worker_port = worker,
                                                    .room = "w1-1-1",
                                                    .token = std::move(shown),
                                                    .alone = alone},
                                       [this] { relay_ended = true; });
    ASSERT_TRUE(relay->open());
  }
  // What a game is answered at the loopback device; empty: its connection was closed.
  std::string ask(const std::string& request, std::size_t at = 0) {
    const std::uint16_t port = relay->ports().at(at);
    return meanwhile(context, [=] {
      boost::asio::io_context own;
      tcp::socket socket{own};
      boost::system::error_code error;
      socket.connect({boost::asio::ip::address_v4::loopback(), port});
      boost::asio::write(socket, boost::asio::buffer(request), error);
      std::string answer;
      boost::asio::read(socket, boost::asio::dynamic_buffer(answer), error);
      return answer;
    });
  }
  // They say nothing.
  std::vector<std::unique_ptr<tcp::socket>> dial(std::size_t count) {
    std::vector<std::unique_ptr<tcp::socket>> sockets;
    for (; count > 0; --count) {
      sockets.push_back(std::make_unique<tcp::socket>(context));
      sockets.back()->connect({boost::asio::ip::address_v4::loopback(), door->port()});
      context.restart();
      context.poll();  // the door takes it, as its backlog is short
    }
    return sockets;
  }
  std::string say_ready() {
    return ask(
        "POST /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        "Content-Length: 2\r\n\r\n{}");
  }

  boost::asio::io_context context{1};
  std::unique_ptr<TransportHost> host;
  std::unique_ptr<RoomSdk> room;
  std::unique_ptr<SdkDoor> door;
  std::unique_ptr<SdkRelay> relay;
  std::vector<Greeting> greetings;
  bool ready = false;
  bool relay_ended = false;
};

TEST_F(RelayTest, what_a_game_says_at_its_own_loopback_device_arrives_at_its_room) {
  open_door();
  open_relay(door->port());
  EXPECT_THAT(say_ready(), testing::StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(ready);
  EXPECT_EQ(greetings.size(), 1U);
}

TEST_F(RelayTest, who_only_holds_connections_keeps_no_game_from_its_worker) {
  open_door();
  const auto silent = dial(2 * SdkDoor::most);
  open_relay(door->port());
  EXPECT_THAT(say_ready(), testing::StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(ready);
}

TEST_F(RelayTest, who_has_another_token_is_not_let_in) {
  open_door();
  open_relay(door->port(), "another");
  EXPECT_EQ(say_ready(), "");
  EXPECT_FALSE(ready);
}

TEST_F(RelayTest, a_connection_waits_for_a_worker_that_is_being_started) {
  open_door();
  const auto port = door->port();
  door.reset();
  // No other program is given the port meanwhile, since somebody has it who does not listen.
  tcp::acceptor keeper{context, tcp::v4()};
  keeper.set_option(tcp::acceptor::reuse_address{true});
  keeper.bind({boost::asio::ip::address_v4::loopback(), port});
  open_relay(port);
  boost::asio::steady_timer later{context, 3 * SdkRelay::between_tries};
  later.async_wait([&](auto) { open_door(port); });
  EXPECT_THAT(say_ready(), testing::StartsWith("HTTP/1.1 200"));
}

TEST_F(RelayTest, it_ends_when_it_is_told_to_and_no_connection_is_open) {
  open_door();
  open_relay(door->port());
  tcp::socket game{context};
  game.connect({boost::asio::ip::address_v4::loopback(), relay->ports().front()});
  run_until(context, [&] { return !greetings.empty(); });
  relay->end();
  const auto farewell = std::chrono::steady_clock::now() + 2 * SdkRelay::farewell;
  run_until(context, [&] { return std::chrono::steady_clock::now() > farewell; });
  EXPECT_FALSE(relay_ended) << "the game may still speak";
  EXPECT_THAT(say_ready(), testing::StartsWith("HTTP/1.1 200"));
  game.close();
  run_until(context, [&] { return relay_ended; });
}

TEST_F(RelayTest, it_ends_without_its_worker_when_that_is_away_for_long) {
  open_door();
  const auto port = door->port();
  door.reset();
  open_relay(port, "any", std::chrono::milliseconds{1});
  run_until(context, [&] { return relay_ended; });
}

TEST_F(RelayTest, a_door_hears_no_rubbish_and_goes_on) {
  open_door();
  for (const std::string& bytes :
       {std::string(greeting_bytes, 'x'), std::string{"short"}, std::string{}}) {
    tcp::socket stranger{context};
    stranger.connect({boost::asio::ip::address_v4::loopback(), door->port()});
    boost::asio::write(stranger, boost::asio::buffer(bytes));
    stranger.shutdown(tcp::socket::shutdown_send);
    bool closed = false;
    char byte = 0;
    stranger.async_read_some(
        boost::asio::buffer(&byte, 1),
        [&](boost::system::error_code error, std::size_t) { closed = static_cast<bool>(error); });
    run_until(context, [&] { return closed; });
  }
  EXPECT_TRUE(greetings.empty());
  open_relay(door->port());
  EXPECT_THAT(say_ready(), testing::StartsWith("HTTP/1.1 200"));
}

TEST(SdkDoor, that_is_closed_waits_for_nobody) {
  boost::asio::io_context own{1};
  auto door = SdkDoor::open(own, 0, [](const auto&, auto) { return std::string{}; });
  ASSERT_TRUE(door);
  tcp::socket silent{own};
  silent.connect({boost::asio::ip::address_v4::loopback(), (*door)->port()});
  own.run_one_for(std::chrono::seconds{20});  // it is accepted, and says nothing
  door->reset();
  const auto before = std::chrono::steady_clock::now();
  own.restart();
  own.run_for(std::chrono::seconds{60});
  EXPECT_TRUE(own.stopped());
  EXPECT_LT(std::chrono::steady_clock::now() - before, SdkDoor::limit);
}

TEST(Greeting, is_read_as_it_was_written_and_nothing_else_is) {
  const Greeting greeting{"grpc", "w1-1-1", "abc"};
  const std::string text = to_text(greeting);
  EXPECT_EQ(text.size(), greeting_bytes);
  EXPECT_EQ(parse_greeting(text), greeting);
  EXPECT_FALSE(parse_greeting(text.substr(1)));
  EXPECT_FALSE(parse_greeting("X" + text.substr(1)));
  std::string more = text;
  more[greeting_bytes - 2] = 'x';
  EXPECT_FALSE(parse_greeting(more));
  std::string less(greeting_bytes - 1, ' ');
  less.replace(0, 22, "fixkeep-sdk/1 grpc a  ");
  EXPECT_FALSE(parse_greeting(less + '\n'));
}

}  // namespace
}  // namespace fixkeep::worker::test
