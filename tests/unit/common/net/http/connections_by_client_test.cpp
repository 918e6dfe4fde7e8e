#include "common/net/http/connections_by_client.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/base/random.hpp"

namespace fixkeep::net {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::make_address;

struct Connection {
  address from;
  ConnectionsByClient<Connection*>::Place place;
  bool quiet = true;
  std::uint64_t since = 0;
};

struct ConnectionsByClientTest : testing::Test {
  Connection& add(const std::string& from) {
    auto& made = *made_.emplace_back(std::make_unique<Connection>());
    made.from = make_address(from);
    made.place = connections.add(made.from, &made);
    return made;
  }

  // For somebody who has none yet.
  [[nodiscard]] Connection* first_to_go() const {
    return connections.first_to_go_for(make_address("192.0.2.1"));
  }

  ConnectionsByClient<Connection*> connections;

 private:
  std::vector<std::unique_ptr<Connection>> made_;
};

TEST_F(ConnectionsByClientTest, the_first_to_go_is_the_quietest_of_the_client_with_the_most) {
  EXPECT_EQ(first_to_go(), nullptr);
  auto& alone = add("127.0.0.1");
  auto& first = add("127.0.0.2");
  auto& second = add("127.0.0.2");
  EXPECT_EQ(first_to_go(), &first) << "though another one is older";
  connections.become(first.place, ConnectionUse::quiet);
  EXPECT_EQ(first_to_go(), &second) << "the first one was heard of";
  connections.become(second.place, ConnectionUse::busy);
  EXPECT_EQ(first_to_go(), &alone) << "one each, and it is the oldest";
  EXPECT_EQ(connections.first_to_go_of(first.from), &first);
  connections.become(first.place, ConnectionUse::busy);
  EXPECT_EQ(connections.first_to_go_of(first.from), nullptr);
  connections.become(alone.place, ConnectionUse::busy);
  EXPECT_EQ(first_to_go(), &first) << "the latest that is busy, of the client that has most";
}

TEST_F(ConnectionsByClientTest, where_none_is_quiet_who_has_most_loses_the_latest_to_who_has_less) {
  std::vector<Connection*> many;
  for (int i = 0; i < 4; ++i) many.push_back(&add("127.0.0.2"));
  auto& kept = add("127.0.0.3");
  auto& few = add("127.0.0.3");
  for (auto* const one : many) connections.become(one->place, ConnectionUse::busy);
  connections.become(few.place, ConnectionUse::busy);
  connections.become(kept.place, ConnectionUse::kept);
  EXPECT_EQ(first_to_go(), many[3]);
  EXPECT_EQ(connections.first_to_go_for(few.from), many[3]) << "4 and 2 become 3 and 3";
  EXPECT_EQ(connections.first_to_go_for(many[0]->from), nullptr) << "of its own";
  connections.remove(many[3]->place);
  EXPECT_EQ(connections.first_to_go_for(few.from), nullptr) << "3 and 2 would become 2 and 3";
  for (int i = 0; i < 3; ++i) connections.become(many[i]->place, ConnectionUse::kept);
  EXPECT_EQ(first_to_go(), nullptr) << "those that are kept go for nobody";
}

// It may be in its handshake: a client with many waiting requests must not end it by opening more.
TEST_F(ConnectionsByClientTest, a_young_one_goes_for_no_client_with_more) {
  const auto for_client = [&](const std::string& from, const Connection* young) {
    return connections.first_to_go_for(make_address(from),
                                       [&](const Connection* one) { return one == young; });
  };
  std::vector<Connection*> greedy;
  for (int i = 0; i < 5; ++i) greedy.push_back(&add("127.0.0.2"));
  for (auto* const one : greedy) connections.become(one->place, ConnectionUse::busy);
  auto& young = add("127.0.0.3");
  EXPECT_EQ(for_client("127.0.0.2", &young), nullptr);
  EXPECT_EQ(for_client("127.0.0.2", nullptr), &young) << "it is old now";
  EXPECT_EQ(for_client("127.0.0.4", &young), &young) << "one goes for one";
  EXPECT_EQ(for_client("127.0.0.3", &young), &young) << "its own";
  auto& busy = add("127.0.0.4");
  connections.become(busy.place, ConnectionUse::busy);
  EXPECT_EQ(for_client("127.0.0.4", &young), greedy[4]) << "one of the client with most";
  connections.become(greedy[0]->place, ConnectionUse::quiet);
  EXPECT_EQ(for_client("127.0.0.2", &young), greedy[0]) << "an own one is quiet";
  auto& second = add("127.0.0.3");
  EXPECT_EQ(for_client("127.0.0.4", &young), &young) << "its client has two, the newcomer's one";
  connections.remove(second.place);
}

// The other clients' addresses are before and behind that of the newcomer.
TEST_F(ConnectionsByClientTest, a_newcomer_is_last_among_many_with_one_each) {
  for (int i = 0; i < 100; ++i) add("10.0.0." + std::to_string(i));
  auto& newcomer = add("10.0.0.200");
  for (int i = 0; i < 100; ++i) {
    auto* const first = first_to_go();
    ASSERT_NE(first, &newcomer);
    connections.remove(first->place);
  }
  EXPECT_EQ(first_to_go(), &newcomer);
}

TEST_F(ConnectionsByClientTest, a_network_of_ipv6_is_one_client) {
  auto& first = add("2001:db8::1");
  add("2001:db8::ffff:2");
  add("2001:db8:0:1::1");
  EXPECT_EQ(connections.of(make_address("2001:db8::3")), 2U);
  EXPECT_EQ(first_to_go(), &first);
}

// Against a look at all of them.
TEST_F(ConnectionsByClientTest, is_right_after_any_changes) {
  Random random{11};
  std::vector<Connection*> there;
  std::uint64_t now = 0;
  const auto with = [&](bool quiet, const address& from) {
    return std::count_if(there.begin(), there.end(), [&](const Connection* connection) {
      return connection->quiet == quiet && connection->from == from;
    });
  };
  for (int step = 0; step < 20'000; ++step) {
    const auto what = there.empty() ? 0 : random.below(there.size() < 40 ? 5 : 7);
    if (what < 2) {
      there.push_back(&add("10.0.0." + std::to_string(random.below(6))));
      there.back()->since = ++now;
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(random.below(there.size()));
    Connection& one = *there[static_cast<std::size_t>(at)];
    if (what < 4) {
      connections.become(one.place, ConnectionUse::busy);
      one.quiet = false;
      one.since = ++now;
    } else if (what == 4) {
      connections.become(one.place, ConnectionUse::quiet);
      one.quiet = true;
      one.since = ++now;
    } else {
      connections.remove(one.place);
      there.erase(there.begin() + at);
    }
    std::ptrdiff_t most_quiet = 0;
    std::ptrdiff_t most_busy = 0;
    for (const auto* connection : there) {
      most_quiet = std::max(most_quiet, with(true, connection->from));
      most_busy = std::max(most_busy, with(false, connection->from));
    }
    const auto* const first = first_to_go();
    ASSERT_EQ(first == nullptr, most_quiet == 0 && most_busy < 2) << step;
    if (first == nullptr) continue;
    ASSERT_EQ(first->quiet, most_quiet > 0);
    ASSERT_EQ(with(first->quiet, first->from), first->quiet ? most_quiet : most_busy);
    for (const auto* connection : there) {
      if (connection->quiet != first->quiet || connection->from != first->from) continue;
      ASSERT_LE(first->quiet ? first->since : connection->since,
                first->quiet ? connection->since : first->since)
          << step;
    }
  }
}

}  // namespace
}  // namespace fixkeep::net
