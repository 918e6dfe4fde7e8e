#include "common/net/link/pending_handshakes.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <vector>

namespace fixkeep::net {
namespace {

using testing::ElementsAre;

// Connections are addresses of these.
struct PendingHandshakesTest : testing::Test {
  // The client of this letter.
  int add(const std::string& client) {
    return add_from("10.0.0." + std::to_string(client.front()));
  }
  int add_from(const std::string& address) {
    connections.push_back(static_cast<int>(connections.size()));
    const int* const loser =
        pending.add(&connections.back(), boost::asio::ip::make_address(address));
    return loser == nullptr ? -1 : *loser;
  }
  std::vector<int> left() const {
    std::vector<int> numbers;
    pending.each([&](const int* connection) { numbers.push_back(*connection); });
    return numbers;
  }

  std::deque<int> connections;
  PendingHandshakes<const int*> pending{4};  // two of an address
};

TEST_F(PendingHandshakesTest, a_newcomer_takes_the_place_of_the_oldest_of_its_address) {
  EXPECT_EQ(add("a"), -1);
  EXPECT_EQ(add("b"), -1);
  EXPECT_EQ(add("a"), -1);
  EXPECT_EQ(add("a"), 0);
  EXPECT_EQ(add("a"), 2);
  EXPECT_THAT(left(), ElementsAre(1, 3, 4));
}

TEST_F(PendingHandshakesTest, a_crowd_from_many_addresses_takes_places_from_the_largest) {
  for (const char* const address : {"a", "b", "b", "c"}) EXPECT_EQ(add(address), -1);
  EXPECT_EQ(add("d"), 1) << "the older one of b";
  EXPECT_EQ(add("A"), 0) << "all have one: the oldest of all";
  EXPECT_EQ(add("e"), 2) << "and not the first address";
}

TEST_F(PendingHandshakesTest, a_network_of_ipv6_is_one_address) {
  EXPECT_EQ(add("a"), -1);
  EXPECT_EQ(add_from("2001:db8::1"), -1);
  EXPECT_EQ(add_from("2001:db8::ffff:2"), -1);
  EXPECT_EQ(add_from("2001:db8::3"), 1) << "two of an address";
}

TEST_F(PendingHandshakesTest, who_is_proven_leaves_its_place) {
  add("a");
  add("a");
  pending.remove(&connections[0]);
  EXPECT_EQ(add("a"), -1);
  EXPECT_EQ(add("a"), 1);
}

TEST_F(PendingHandshakesTest, a_single_place_is_one) {
  pending = PendingHandshakes<const int*>{1};
  EXPECT_EQ(add("a"), -1);
  EXPECT_EQ(add("b"), 0);
  EXPECT_THAT(left(), ElementsAre(1));
}

}  // namespace
}  // namespace fixkeep::net
