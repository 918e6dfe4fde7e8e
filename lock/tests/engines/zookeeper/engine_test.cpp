// The behaviour of ZooKeeper alone and its number of requests.
#include <zookeeper/zookeeper.h>

#include "lock/tests/engines/engine_fixture.hpp"

namespace fixkeep::engine {

std::unique_ptr<LockServers> make_lock_servers() {
  return std::make_unique<ZookeeperServer>();
}

namespace {

using namespace std::chrono_literals;

using ZookeeperEngineTest = EngineFixture;

TEST_F(ZookeeperEngineTest, four_requests_in_two_flights_for_an_uncontended_lock) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "k"));
  one.release("k", "");
  ASSERT_TRUE(acquires(one, "k"));
  one.release("k", "");
  const auto before = one.engine->statistics();
  constexpr int rounds = 20;
  for (int i = 0; i < rounds; ++i) {
    ASSERT_TRUE(acquires(one, "k"));
    one.release("k", std::to_string(i));
  }
  const auto after = one.engine->statistics();
  EXPECT_GE(after.requests_sent - before.requests_sent, 4U * rounds);
  EXPECT_LE(after.requests_sent - before.requests_sent, 4U * rounds + 2) << "or a heartbeat";
  EXPECT_GT(after.bytes_sent - before.bytes_sent, 100U * rounds);
  EXPECT_GT(after.bytes_received - before.bytes_received, 100U * rounds);
}

TEST_F(ZookeeperEngineTest, a_session_with_nothing_to_ask_is_kept_alive) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(becomes_ready(one));
  const auto asked = [&] { return one.engine->statistics().requests_sent; };
  EXPECT_TRUE(until([&, before = asked()] { return asked() >= before + 2; }, 20s));
}

TEST_F(ZookeeperEngineTest, password_keeps_others_out) {
  auto secret = options(1);
  secret.username = "fixkeep";
  secret.password = "right";
  auto wrong = options(2);
  wrong.username = "fixkeep";
  wrong.password = "wrong";
  EngineUser one{context, secret};
  EngineUser two{context, wrong};
  secret.self = MasterId{3};
  EngineUser three{context, secret};
  ASSERT_TRUE(acquires(one, "k"));
  one.release("k", "v");
  EXPECT_FALSE(acquires(two, "k", 500ms));
  EXPECT_TRUE(acquires(three, "k"));
}

TEST_F(ZookeeperEngineTest, a_cluster_with_a_password_shares_its_server_with_other_clusters) {
  servers->member(0).kill();
  servers->lose_data();
  servers->member(0).start();
  auto secret = options(1);
  secret.username = "fixkeep";
  secret.password = "right";
  EngineUser first{context, secret};
  ASSERT_TRUE(acquires(first, "k"));
  auto open = options(1);
  open.cluster = "without-a-password";
  EngineUser second{context, open};
  EXPECT_TRUE(acquires(second, "k"));
  auto other = secret;
  other.cluster = "with-another-one";
  other.username = "other";
  EngineUser third{context, other};
  EXPECT_TRUE(acquires(third, "k"));
}

// The group's node is missing, and nobody but the owner of the cluster's may make it.
TEST_F(ZookeeperEngineTest, a_server_that_refuses_what_is_missing_refuses_until_it_does_it) {
  auto secret = options(1);
  secret.username = "fixkeep";
  secret.password = "right";
  auto wrong = options(2);
  wrong.username = "fixkeep";
  wrong.password = "wrong";
  EngineUser one{context, secret};
  ASSERT_TRUE(acquires(one, "k"));
  EngineUser two{context, wrong};
  ASSERT_TRUE(becomes_ready(two));
  EXPECT_FALSE(acquires(two, "other", 1500ms));
  EXPECT_EQ(two.ready_changes, (std::vector{true, false})) << "it says no, and then nothing else";
}

}  // namespace
}  // namespace fixkeep::engine
