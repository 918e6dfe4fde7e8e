// The behaviour of etcd alone and its number of requests.
#include "lock/tests/engines/engine_fixture.hpp"

namespace fixkeep::engine {

std::unique_ptr<LockServers> make_lock_servers() {
  return std::make_unique<EtcdServers>(1);
}

namespace {

using namespace std::chrono_literals;

using EtcdEngineTest = EngineFixture;

TEST_F(EtcdEngineTest, two_requests_for_an_uncontended_lock) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(becomes_ready(one));
  const auto before = one.engine->statistics().requests_sent;
  constexpr int rounds = 20;
  for (int i = 0; i < rounds; ++i) {
    ASSERT_TRUE(acquires(one, "k"));
    one.release("k", std::to_string(i));
  }
  ASSERT_TRUE(acquires(one, "k"));
  const auto sent = one.engine->statistics().requests_sent - before;
  EXPECT_GE(sent, 2U * rounds + 1);
  EXPECT_LE(sent, 2U * rounds + 3) << "a renewal or two may come between";
  EXPECT_GT(one.engine->statistics().bytes_sent, 100U * sent);
  EXPECT_GT(one.engine->statistics().bytes_received, 100U * sent);
}

TEST_F(EtcdEngineTest, who_abandons_last_costs_no_fence) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  EngineUser three{context, options(3)};
  ASSERT_TRUE(acquires(one, "k"));
  two.acquire("k");
  run_for(context, 150ms);
  two.abandon("k");
  run_for(context, 150ms);
  three.acquire("k");
  run_for(context, 150ms);
  one.release("k", "v");
  ASSERT_TRUE(until([&] { return three.holds("k"); }));
  EXPECT_FALSE(three.grant("k").needs_fence);
  // An entry with others behind it cannot take itself out of the order.
  two.acquire("k");
  run_for(context, 150ms);
  one.acquire("k");
  run_for(context, 150ms);
  two.abandon("k");
  three.release("k", "w");
  ASSERT_TRUE(until([&] { return one.holds("k"); }));
  EXPECT_EQ(one.grant("k").value.bytes, "w");
  EXPECT_TRUE(one.grant("k").needs_fence);
}

// A cluster of three: each is away once. Without their leader the others need some seconds to elect
// another, more on a busy machine. The first address of the list is one where nobody is at all.
TEST(EtcdClusterTest, goes_on_with_another_member_when_one_is_away) {
  EtcdServers servers{3};
  servers.start();
  boost::asio::io_context context{1};
  auto addresses = servers.addresses();
  addresses.insert(addresses.begin(), {"127.0.0.1", 1});
  EngineUser one{context,
                 {.strategy = "etcd",
                  .self = MasterId{1},
                  .cluster = "c",
                  .servers = addresses,
                  .ttl = 6s,
                  .reply = 700ms}};
  for (std::size_t away = 0; away < 3; ++away) {
    servers.member(away).pause();
    one.acquire("k");
    EXPECT_TRUE(run_until(
        context, [&] { return one.holds("k"); }, 15s))
        << away;
    servers.member(away).resume();
    ASSERT_TRUE(run_until(
        context, [&] { return one.holds("k"); }, 15s));
    one.release("k", "v");
  }
  EXPECT_EQ(one.engine->statistics().locks_lost, 0U);
}

}  // namespace
}  // namespace fixkeep::engine
