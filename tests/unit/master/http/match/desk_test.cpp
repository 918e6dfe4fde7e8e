#include "master/http/match/desk.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

TEST(MatchDesk, counts_a_client_by_its_address_or_by_its_ipv6_network) {
  const auto client = [](const char* address) {
    return client_of(boost::asio::ip::make_address(address)).text();
  };
  EXPECT_EQ(client("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(client("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(client("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(client("2001:db8:1:2::9"), client("2001:db8:1:2:3:4:5:6"));
  EXPECT_NE(client("2001:db8:1:3::9"), client("2001:db8:1:2::9"));
}

TEST(MatchDesk, tells_a_client_with_too_many_starting_rooms_to_come_back) {
  const auto answer = to_answer({TicketId{1}, Refusal::too_many_rooms, std::chrono::seconds{5}},
                                CapacityLack::workers_full);
  EXPECT_EQ(answer.status, 429U);
  EXPECT_EQ(answer.retry_after_seconds, 5U);
  EXPECT_NE(answer.body.find("urn:fixkeep:error:too-many-starting-rooms"), std::string::npos);
}

TEST(MatchDesk, tells_a_player_who_sits_elsewhere_so_and_when_to_come_back) {
  const auto answer = to_answer({TicketId{1}, Refusal::already_seated, std::chrono::seconds{5}},
                                CapacityLack::workers_full);
  EXPECT_EQ(answer.status, 409U);
  EXPECT_EQ(answer.retry_after_seconds, 5U);
  EXPECT_NE(answer.body.find("urn:fixkeep:error:already-seated"), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::master
