#include "worker/probe/attempt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/write.hpp>

namespace fixkeep::probe {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using boost::asio::ip::udp;

// The test is the game, so nothing has to be waited for: the kernel delivers at once.
struct AttemptTest : testing::Test {
  void begin_asking() {
    const UdpProbe probe{
        .port = "query",
        .exchanges = {{.question = "ping", .answer = *parse_byte_pattern("'pong'")}}};
    attempt = begin_udp(context, sockets, "query", UdpDialog{probe}, ended());
  }
  void begin_connecting() { attempt = begin_tcp(context, sockets, {.port = "game"}, ended()); }
  // As to a container, whose processes nobody knows, and before whose port the engine may stand.
  void begin_connecting_unseen() {
    attempt = begin_tcp(context, unseen, {.port = "game"}, ended());
  }
  Attempt::Ended ended() {
    return [this](Outcome how) {
      EXPECT_FALSE(outcome) << "told twice";
      outcome = std::move(how);
    };
  }
  // Hears a question and answers.
  void answer(const std::string& text, int times = 1) {
    std::array<char, 100> buffer{};
    udp::endpoint from;
    (void)game.receive_from(boost::asio::buffer(buffer), from);
    for (int i = 0; i < times; ++i) game.send_to(boost::asio::buffer(text), from);
  }
  void run() {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!outcome && std::chrono::steady_clock::now() < end) {
      context.restart();
      context.run_one_for(10ms);
    }
    ASSERT_TRUE(outcome);
  }
  [[nodiscard]] Failure::Kind failure() const { return std::get<Failure>(*outcome).kind; }

  boost::asio::io_context context{1};
  udp::socket game{context, {boost::asio::ip::address_v4::loopback(), 0}};
  tcp::acceptor door{context, {boost::asio::ip::address_v4::loopback(), 0}};
  RoomSockets sockets{
      "w1-1-1",
      boost::asio::ip::address_v4::loopback(),
      {{"query", game.local_endpoint().port()}, {"game", door.local_endpoint().port()}},
      [] { return Processes{::getpid()}; }};
  RoomSockets unseen{"w1-1-2",
                     boost::asio::ip::address_v4::loopback(),
                     {{"game", door.local_endpoint().port()}},
                     {}};
  std::optional<Outcome> outcome;
  std::shared_ptr<Attempt> attempt;
};

TEST_F(AttemptTest, an_answer_that_is_there_but_not_seen_yet_counts_as_it_is_given_up) {
  begin_asking();
  answer("pong");
  EXPECT_TRUE(std::holds_alternative<Success>(attempt->give_up()));
  context.run_for(10ms);
  EXPECT_FALSE(outcome) << "it was given up";
}

TEST_F(AttemptTest, hears_the_answer_behind_others) {
  begin_asking();
  answer("rubbish", 5);
  attempt->ask_again();
  answer("pong");
  run();
  EXPECT_TRUE(std::holds_alternative<Success>(*outcome));
}

TEST_F(AttemptTest, does_not_listen_to_rubbish_for_ever) {
  begin_asking();
  answer("rubbish", most_datagrams + 1);
  run();
  EXPECT_EQ(failure(), Failure::Kind::not_expected);
}

TEST_F(AttemptTest, hears_at_once_that_nobody_is_there) {
  game.close();
  begin_asking();
  run();
  EXPECT_EQ(failure(), Failure::Kind::nobody);
  outcome.reset();
  door.close();
  begin_connecting();
  run();
  EXPECT_EQ(failure(), Failure::Kind::nobody);
}

TEST_F(AttemptTest, a_connection_counts_when_it_is_accepted) {
  begin_connecting();
  context.run_for(100ms);
  EXPECT_FALSE(outcome) << "it is established, and nobody has accepted it";
  const auto accepted = door.accept();
  run();
  EXPECT_TRUE(std::holds_alternative<Success>(*outcome));
}

TEST_F(AttemptTest, a_connection_that_is_closed_as_it_is_accepted_was_accepted) {
  begin_connecting();
  context.run_for(100ms);
  door.accept().close();
  run();
  EXPECT_TRUE(std::holds_alternative<Success>(*outcome));
}

TEST_F(AttemptTest, a_connection_that_was_not_accepted_is_said_to_be_so) {
  begin_connecting();
  context.run_for(100ms);
  outcome = attempt->give_up();
  EXPECT_EQ(failure(), Failure::Kind::not_accepted);
}

TEST_F(AttemptTest, a_connection_to_whom_nobody_sees_counts_when_it_lasts) {
  const auto begin = std::chrono::steady_clock::now();
  begin_connecting_unseen();
  const auto accepted = door.accept();
  run();
  EXPECT_TRUE(std::holds_alternative<Success>(*outcome));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 250ms);
}

TEST_F(AttemptTest, a_connection_that_a_proxy_accepts_for_a_game_that_is_not_there_counts_not) {
  begin_connecting_unseen();
  door.accept().close();
  run();
  EXPECT_EQ(failure(), Failure::Kind::closed);
}

TEST_F(AttemptTest, a_game_that_nobody_sees_and_that_says_something_is_there) {
  begin_connecting_unseen();
  auto accepted = door.accept();
  boost::asio::write(accepted, boost::asio::buffer("full", 4));
  accepted.close();
  run();
  EXPECT_TRUE(std::holds_alternative<Success>(*outcome));
}

TEST_F(AttemptTest, a_connection_that_lasts_as_long_as_it_may_has_lasted) {
  begin_connecting_unseen();
  context.poll();  // connected
  const auto accepted = door.accept();
  EXPECT_TRUE(std::holds_alternative<Success>(attempt->give_up()));
}

}  // namespace
}  // namespace fixkeep::probe
