// The order of the queue of etcd and ZooKeeper against a real server.
#include "lock/tests/engines/engine_fixture.hpp"

namespace fixkeep::engine {
namespace {

using namespace std::chrono_literals;

using QueueOrderTest = EngineFixture;

TEST_F(QueueOrderTest, waiters_are_served_in_their_order) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  EngineUser three{context, options(3)};
  std::vector<std::string> order;
  const auto note = [&](std::string who) {
    return [&order, who](const std::string&) { order.push_back(who); };
  };
  one.on_granted = note("one");
  two.on_granted = note("two");
  three.on_granted = note("three");
  ASSERT_TRUE(acquires(one, "k"));
  two.acquire("k");
  run_for(context, 150ms);
  three.acquire("k");
  run_for(context, 150ms);
  EXPECT_FALSE(two.holds("k") || three.holds("k"));
  one.release("k", "1");
  one.acquire("k");
  ASSERT_TRUE(until([&] { return two.holds("k"); }));
  EXPECT_FALSE(two.grant("k").needs_fence);
  EXPECT_EQ(two.grant("k").value.bytes, "1");
  two.release("k", "2");
  ASSERT_TRUE(until([&] { return three.holds("k"); }));
  EXPECT_EQ(three.grant("k").value.bytes, "2");
  three.release("k", "3");
  ASSERT_TRUE(until([&] { return one.holds("k"); }));
  EXPECT_EQ(one.grant("k").value.bytes, "3");
  EXPECT_EQ(order, (std::vector<std::string>{"one", "two", "three", "one"}));
}

}  // namespace
}  // namespace fixkeep::engine
