// fixkeep-relay as a process: what goes in at one end of a wire comes out at the other, later.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <thread>

#include "client-sim/cluster/driven_process.hpp"
#include "client-sim/cluster/ports.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using asio::ip::tcp;
using client_sim::DrivenProcess;
using std::chrono::steady_clock;

// Both ends of a wire are in this test, so a one-way delay can be measured.
class RelayProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto ports = slots_.take(1);
    ASSERT_TRUE(ports);
    wire_port_ = ports->first;
    auto started = DrivenProcess::start("relay", "fixkeep-relay", {}, "/dev/null");
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<DrivenProcess>>(started))
        << std::get<std::string>(started);
    relay_ = std::move(std::get<std::unique_ptr<DrivenProcess>>(started));
    // Only now: the relay would inherit the socket, and listen with us.
    target_ = tcp::acceptor{context_, {asio::ip::address_v4::loopback(), 0}};
  }

  void TearDown() override {
    EXPECT_TRUE(relay_->quit(5s));
    EXPECT_EQ(relay_->process().how_it_ended(), "exit code 0");
  }

  void open(int delay_ms) {
    const auto reply = relay_->ask({{"do", "open"},
                                    {"wire", "w"},
                                    {"listen", wire_port_},
                                    {"target", target_.local_endpoint().port()},
                                    {"delay_ms", delay_ms}},
                                   5s);
    ASSERT_TRUE(reply) << reply.failure;
  }

  void connect() {
    near_.connect({asio::ip::address_v4::loopback(), wire_port_});
    target_.accept(far_);
    for (auto* end : {&near_, &far_}) end->set_option(tcp::no_delay{true});
  }

  // How long `bytes` take from one end to the other.
  static steady_clock::duration pass(tcp::socket& from, tcp::socket& to, const std::string& bytes) {
    const auto start = steady_clock::now();
    asio::write(from, asio::buffer(bytes));
    std::string came(bytes.size(), '\0');
    asio::read(to, asio::buffer(came));
    EXPECT_EQ(came, bytes);
    return steady_clock::now() - start;
  }

  static boost::system::error_code end_of(tcp::socket& socket) {
    char byte = 0;
    boost::system::error_code error;
    socket.read_some(asio::buffer(&byte, 1), error);
    return error;
  }

  // The least of several: a busy machine is late, and nothing is ever early.
  static steady_clock::duration least_pass(tcp::socket& from, tcp::socket& to) {
    auto least = pass(from, to, "a message");
    for (int again = 0; again < 9; ++again) least = std::min(least, pass(from, to, "a message"));
    return least;
  }

  client_sim::PortSlots slots_;
  std::uint16_t wire_port_ = 0;
  std::unique_ptr<DrivenProcess> relay_;
  asio::io_context context_;
  tcp::acceptor target_{context_};
  tcp::socket near_{context_};
  tcp::socket far_{context_};
};

TEST_F(RelayProcess, delays_each_direction_by_what_was_asked_for) {
  open(40);
  const auto start = steady_clock::now();
  connect();
  EXPECT_GE(steady_clock::now() - start, 120ms) << "SYN, SYN-ACK and ACK cross the line";
  for (auto [from, to] : {std::pair{&near_, &far_}, std::pair{&far_, &near_}}) {
    const auto least = least_pass(*from, *to);
    EXPECT_GE(least, 40ms);
    EXPECT_LT(least, 45ms);
  }
}

TEST_F(RelayProcess, keeps_many_messages_under_way) {
  open(50);
  connect();
  constexpr int messages = 100;
  const auto start = steady_clock::now();
  for (int count = 0; count < messages; ++count) asio::write(near_, asio::buffer("x", 1));
  std::string came(messages, '\0');
  asio::read(far_, asio::buffer(came));
  EXPECT_LT(steady_clock::now() - start, 1s) << "one after the other they would take 5 s";
}

TEST_F(RelayProcess, holds_a_sender_up_whose_receiver_does_not_read_and_loses_nothing) {
  open(5);
  connect();
  near_.non_blocking(true);
  std::string chunk(1 << 16, '\0');
  std::size_t sent = 0;
  constexpr std::size_t more_than_all_buffers = 256U << 20U;
  int refused = 0;
  while (refused < 20 && sent < more_than_all_buffers) {
    for (auto& byte : chunk) byte = static_cast<char>((sent + (&byte - chunk.data())) % 251);
    boost::system::error_code error;
    sent += near_.write_some(asio::buffer(chunk), error);
    refused = error ? refused + 1 : 0;
    if (error) std::this_thread::sleep_for(10ms);
  }
  ASSERT_LT(sent, more_than_all_buffers) << "nobody stopped the sender";
  std::string came(sent, '\0');
  asio::read(far_, asio::buffer(came));
  for (std::size_t at = 0; at < sent; ++at) {
    ASSERT_EQ(came[at], static_cast<char>(at % 251)) << at;
  }
}

TEST_F(RelayProcess, passes_the_end_of_one_direction_on_and_leaves_the_other_open) {
  open(5);
  connect();
  asio::write(near_, asio::buffer("last", 4));
  near_.shutdown(tcp::socket::shutdown_send);
  std::string came(4, '\0');
  asio::read(far_, asio::buffer(came));
  EXPECT_EQ(end_of(far_), asio::error::eof);
  pass(far_, near_, "an answer");
  far_.close();
  EXPECT_EQ(end_of(near_), asio::error::eof);
}

TEST_F(RelayProcess, passes_a_reset_on) {
  open(5);
  connect();
  near_.set_option(asio::socket_base::linger{true, 0});
  near_.close();
  EXPECT_EQ(end_of(far_), asio::error::connection_reset);
}

TEST_F(RelayProcess, resets_a_connection_to_where_nobody_listens) {
  open(5);
  target_.close();
  near_.connect({asio::ip::address_v4::loopback(), wire_port_});
  EXPECT_EQ(end_of(near_), asio::error::connection_reset);
}

TEST_F(RelayProcess, changes_the_delay_of_connections_that_there_are) {
  open(100);
  connect();
  EXPECT_GE(pass(near_, far_, "slow"), 100ms);
  const auto reply = relay_->ask({{"do", "change"}, {"wire", "w"}, {"delay_ms", 1}}, 5s);
  ASSERT_TRUE(reply) << reply.failure;
  for (auto [from, to] : {std::pair{&near_, &far_}, std::pair{&far_, &near_}}) {
    const auto least = least_pass(*from, *to);
    EXPECT_GE(least, 1ms);
    EXPECT_LT(least, 50ms);
  }
}

TEST_F(RelayProcess, cuts_one_direction_and_loses_nothing_when_it_heals) {
  open(0);
  connect();
  for (const auto& [cut, from, to] :
       {std::tuple{"out", &near_, &far_}, std::tuple{"in", &far_, &near_}}) {
    ASSERT_TRUE(relay_->ask({{"do", "change"}, {"wire", "w"}, {"cut", cut}}, 5s));
    asio::write(*from, asio::buffer("late", 4));
    pass(*to, *from, "the other direction");
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(to->available(), 0U) << cut;
    ASSERT_TRUE(relay_->ask({{"do", "change"}, {"wire", "w"}, {"cut", "none"}}, 5s));
    std::string came(4, '\0');
    asio::read(*to, asio::buffer(came));
    EXPECT_EQ(came, "late");
  }
  EXPECT_FALSE(relay_->ask({{"do", "change"}, {"wire", "w"}, {"cut", "up"}}, 5s));
}

TEST_F(RelayProcess, says_what_it_cannot_do_and_goes_on) {
  open(1);
  for (const auto& command : std::vector<nlohmann::json>{
           {{"do", "open"}, {"wire", "w"}, {"listen", 1}, {"target", 1}, {"delay_ms", 1}},
           {{"do", "open"}, {"wire", "x"}, {"listen", wire_port_}, {"target", 1}, {"delay_ms", 1}},
           {{"do", "change"}, {"wire", "nobody"}, {"delay_ms", 1}},
           {{"do", "dance"}}}) {
    EXPECT_FALSE(relay_->ask(command, 5s)) << command;
  }
  connect();
  pass(near_, far_, "still there");
}

}  // namespace
}  // namespace fixkeep::integration
