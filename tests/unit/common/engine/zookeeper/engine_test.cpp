// What only ZooKeeper does, and how many requests it takes.
#include <zookeeper/zookeeper.h>

#include "tests/unit/common/engine/engine_fixture.hpp"

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

}  // namespace
}  // namespace fixkeep::engine
