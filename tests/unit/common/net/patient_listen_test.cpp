#include "common/net/patient_listen.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <future>
#include <string>

#include "common/config/listening.hpp"
#include "common/net/http/server.hpp"

namespace fixkeep::net {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

// A connection of this machine, and its local port. A port that `connect` chooses may be shared
// with another connection to elsewhere, which would outlive this one; a port of `bind` is not.
class PatientListenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    outgoing_.open(tcp::v4());
    outgoing_.bind({boost::asio::ip::address_v4::loopback(), 0});
    outgoing_.connect(elsewhere_.local_endpoint());
    outgoing_.set_option(tcp::socket::linger{true, 0});  // it is gone as soon as it is closed
  }
  [[nodiscard]] std::uint16_t port() const { return outgoing_.local_endpoint().port(); }
  error_code listen_at(std::uint16_t port) {
    ++attempts_;
    error_code error;
    const tcp::endpoint here{boost::asio::ip::address_v4::loopback(), port};
    tcp::acceptor door{context_, here.protocol()};
    door.set_option(tcp::acceptor::reuse_address{true});
    door.bind(here, error);
    if (!error) door.listen(1, error);
    return error;
  }

  boost::asio::io_context context_;
  tcp::acceptor elsewhere_{context_, {boost::asio::ip::address_v4::loopback(), 0}};
  tcp::socket outgoing_{context_};
  int attempts_ = 0;
};

TEST_F(PatientListenTest, a_connection_is_waited_for) {
  const auto here = port();
  const auto error = listen_patiently(PortOf::tcp, here,
                                      [&] {
                                        if (attempts_ == 2) outgoing_.close();
                                        return listen_at(here);
                                      },
                                      {.longest = 60s, .pause = 1ms});
  EXPECT_FALSE(error) << error.message();
  EXPECT_GE(attempts_, 3);
}

TEST_F(PatientListenTest, a_connection_that_stays_is_told_in_the_end) {
  EXPECT_EQ(listen_patiently(PortOf::tcp, port(), [&] { return listen_at(port()); },
                             {.longest = 0s, .pause = 1ms}),
            boost::asio::error::address_in_use);
  EXPECT_EQ(config::connection_with(port()),
            "127.0.0.1:" + std::to_string(elsewhere_.local_endpoint().port()));
  const auto said = config::why_not_listen("127.0.0.1", port());
  EXPECT_EQ(said, "Address already in use");
}

TEST_F(PatientListenTest, a_program_that_listens_there_is_not_waited_for) {
  const auto taken = elsewhere_.local_endpoint().port();
  EXPECT_EQ(listen_patiently(PortOf::tcp, taken, [&] { return listen_at(taken); },
                             {.longest = 1s, .pause = 1ms}),
            boost::asio::error::address_in_use);
  EXPECT_EQ(attempts_, 2) << "the second since it may have been a connection at the first";
  EXPECT_EQ(config::connection_with(taken), "");
}

TEST_F(PatientListenTest, a_server_of_http_waits_for_a_connection) {
  auto started = std::async(std::launch::async, [&, here = port()] {
    return HttpServer::start(context_, {.port = here}, [](auto&&, const auto&) {});
  });
  EXPECT_EQ(started.wait_for(100ms), std::future_status::timeout) << "the connection has the port";
  outgoing_.close();
  EXPECT_TRUE(started.get());
}

TEST(PortsOfConnections, are_found_in_the_configuration_of_a_node) {
  const config::Json node{{"http", {{"port", 8080}}},
                          {"mesh", {{"listen", "127.0.0.1:40000"}}},
                          {"rooms", {{"ports", {{"first", 32000}, {"last", 33000}}}}},
                          {"admin", {{"port", 0}}}};
  const auto keys = config::keys_of_ports_given_to_connections(node);
  const bool usual = config::is_given_to_connections(32'900) &&
                     config::is_given_to_connections(40'000) &&
                     !config::is_given_to_connections(8080);
  if (usual) { EXPECT_EQ(keys, (std::vector<std::string>{"mesh.listen", "rooms.ports"})); }
  EXPECT_FALSE(config::is_given_to_connections(0));
}

}  // namespace
}  // namespace fixkeep::net
