#include "common/net/client_network.hpp"

#include <gtest/gtest.h>

namespace fixkeep::net {
namespace {

std::string network(const char* address) {
  return client_network(boost::asio::ip::make_address(address)).to_string();
}

TEST(ClientNetwork, is_an_address_of_ipv4_and_a_64_of_ipv6) {
  EXPECT_EQ(network("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(network("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_NE(network("2001:db8:1:3::1"), network("2001:db8:1:2::1"));
}

}  // namespace
}  // namespace fixkeep::net
