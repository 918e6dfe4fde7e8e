#include "common/net/http/wrong_tokens.hpp"

#include <gtest/gtest.h>

namespace fixkeep::net {
namespace {

using boost::asio::ip::make_address;
using namespace std::chrono_literals;

TEST(WrongTokens, a_few_cost_nothing_and_more_have_to_wait) {
  WrongTokens wrong;
  const TimePoint start{1h};
  const auto client = make_address("192.0.2.1");
  for (std::uint32_t i = 0; i < WrongTokens::free; ++i) {
    EXPECT_EQ(wrong.add(client, start + 10s * i), 0s) << i;
  }
  EXPECT_EQ(wrong.add(client, start + 50s), 10s) << "to the end of the window";
  EXPECT_EQ(wrong.add(client, start + 59'999ms), 1s);
  EXPECT_EQ(wrong.add(make_address("192.0.2.2"), start + 50s), 0s) << "another client";
  EXPECT_EQ(wrong.add(client, start + 60s), 0s) << "another window";
  EXPECT_EQ(wrong.count(), WrongTokens::free + 4);
}

TEST(WrongTokens, a_network_of_ipv6_is_one_client) {
  WrongTokens wrong;
  const TimePoint now{1h};
  for (std::uint32_t i = 0; i < WrongTokens::free; ++i) {
    (void)wrong.add(make_address("2001:db8::" + std::to_string(i + 1)), now);
  }
  EXPECT_GT(wrong.add(make_address("2001:db8::ffff"), now), 0s);
}

TEST(WrongTokens, of_too_many_clients_the_first_is_forgotten) {
  WrongTokens wrong;
  const TimePoint now{1h};
  const auto client = [](std::size_t i) {
    return boost::asio::ip::address{
        boost::asio::ip::address_v4{static_cast<std::uint32_t>(0x0a000000 + i)}};
  };
  for (std::size_t i = 0; i < WrongTokens::clients; ++i) {
    for (std::uint32_t k = 0; k < WrongTokens::free; ++k) {
      (void)wrong.add(client(i), now + std::chrono::milliseconds{i});
    }
  }
  EXPECT_GT(wrong.add(client(0), now + 1s), 0s);
  (void)wrong.add(client(WrongTokens::clients), now + 1s);
  EXPECT_GT(wrong.add(client(1), now + 1s), 0s);
  EXPECT_EQ(wrong.add(client(0), now + 1s), 0s);
}

}  // namespace
}  // namespace fixkeep::net
