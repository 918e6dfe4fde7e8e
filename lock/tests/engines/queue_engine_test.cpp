// The common behaviour of etcd, ZooKeeper and PostgreSQL against a real server: make_lock_servers()
// says which. lock/tests/conformance tests the promises of every lock.
#include <thread>

#include "lock/tests/engines/engine_fixture.hpp"

namespace fixkeep::engine {
namespace {

using namespace std::chrono_literals;

using QueueEngineTest = EngineFixture;

TEST_F(QueueEngineTest, value_and_token_pass_from_one_master_to_the_next) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(one, "a/b %"));
  EXPECT_TRUE(one.grant("a/b %").needs_fence) << "nobody knows who had it before";
  EXPECT_EQ(one.grant("a/b %").value, lock::LockValue{});
  const auto first = one.grant("a/b %").token;
  const std::string bytes{"any \0 bytes\n\xff", 13};
  one.release("a/b %", bytes);

  ASSERT_TRUE(acquires(two, "a/b %"));
  const auto& granted = two.grant("a/b %");
  EXPECT_GT(granted.token, first);
  EXPECT_EQ(granted.token.master, MasterId{2});
  EXPECT_FALSE(granted.needs_fence);
  EXPECT_EQ(granted.value.bytes, bytes);
  EXPECT_EQ(granted.value.stamp, first);
  EXPECT_EQ(granted.value.fence, first);
  two.release("a/b %", "unsure", true);

  ASSERT_TRUE(acquires(one, "a/b %"));
  EXPECT_TRUE(one.grant("a/b %").needs_fence) << "the value is uncertain";
  EXPECT_TRUE(one.grant("a/b %").value.uncertain);
}

TEST_F(QueueEngineTest, groups_that_contain_one_another_are_different_locks) {
  EngineUser one{context, options(1)};
  for (const std::string name : {"g", "g/", "g/h", "g%2F", ""}) {
    ASSERT_TRUE(acquires(one, name)) << name;
  }
}

TEST_F(QueueEngineTest, many_keys_at_once) {
  // A busy machine takes its time for all of them.
  const auto patient = [&](std::uint16_t master) {
    EngineOptions made = options(master);
    made.ttl = 40s;
    made.reply = 20s;
    return made;
  };
  EngineUser one{context, patient(1)};
  EngineUser two{context, patient(2)};
  constexpr int count = 100;
  const auto all = [&](EngineUser& user) {
    for (int i = 0; i < count; ++i) {
      if (!user.holds(std::to_string(i))) return false;
    }
    return true;
  };
  for (int i = 0; i < count; ++i) one.acquire(std::to_string(i));
  ASSERT_TRUE(until([&] { return all(one); }, 60s));
  for (int i = 0; i < count; ++i) two.acquire(std::to_string(i));
  run_for(context, 300ms);
  for (int i = 0; i < count; ++i) one.release(std::to_string(i), "v");
  ASSERT_TRUE(until([&] { return all(two); }, 60s));
}

TEST_F(QueueEngineTest, stop_releases_at_once_and_leaves_nothing_behind) {
  boost::asio::io_context own{1};
  auto one = std::make_unique<EngineUser>(own, options(1));
  EngineUser two{context, options(2)};
  one->acquire("held");
  one->acquire("released");
  ASSERT_TRUE(run_until(
      own, [&] { return one->holds("held") && one->holds("released"); }, 3s));
  one->release("released", "last words");
  one->engine->stop(2s);
  own.restart();
  const auto started = Clock::now();
  own.run();  // ends only when nothing is left
  EXPECT_LT(Clock::now() - started, 2s) << "it does not wait for its limit";
  ASSERT_TRUE(acquires(two, "held", 1500ms)) << "its lease would have two seconds";
  EXPECT_TRUE(two.grant("held").needs_fence);
  ASSERT_TRUE(acquires(two, "released", 1s));
  EXPECT_FALSE(two.grant("released").needs_fence);
  EXPECT_EQ(two.grant("released").value.bytes, "last words");
}

TEST_F(QueueEngineTest, beyond_its_bound_an_acquire_is_lost) {
  auto few = options(1);
  few.keys = 2;
  EngineUser one{context, few};
  ASSERT_TRUE(acquires(one, "a"));
  ASSERT_TRUE(acquires(one, "b"));
  one.acquire("c");
  EXPECT_EQ(one.keys["c"].losses, 0U);
  ASSERT_TRUE(until([&] { return one.keys["c"].losses == 1; }));
  one.release("a", "");
  run_for(context, 100ms);
  EXPECT_TRUE(acquires(one, "c"));
}

TEST_F(QueueEngineTest, tokens_go_on_above_the_one_that_a_worker_told) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(one, "k"));
  one.release("k", "v", false, 1'000'000);
  const auto told = one.keys["k"].highest;
  ASSERT_TRUE(acquires(two, "k"));
  EXPECT_GT(two.grant("k").token.counter, told.counter);
}

TEST_F(QueueEngineTest, stalled_server_ends_the_lease_here_first) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "k"));
  servers->member(0).pause();
  const auto paused = Clock::now();
  ASSERT_TRUE(until([&] { return !one.engine->ready(); }));
  ASSERT_TRUE(until([&] { return one.keys["k"].losses == 1; }, 4s));
  EXPECT_LE(Clock::now() - paused, 2300ms) << "a lease has two seconds";
  EXPECT_EQ(one.engine->statistics().locks_lost, 1U);
  one.acquire("k");
  run_for(context, 300ms);
  EXPECT_FALSE(one.holds("k"));
  servers->member(0).resume();
  ASSERT_TRUE(until([&] { return one.engine->ready() && one.holds("k"); }, 5s));
  EXPECT_TRUE(one.grant("k").needs_fence);
  EXPECT_EQ(one.ready_changes, (std::vector<bool>{true, false, true}));
}

TEST_F(QueueEngineTest, a_stall_of_our_own_ends_the_lease_and_service_goes_on) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "held"));
  one.acquire("asked");
  std::this_thread::sleep_for(2200ms);  // the answer arrives meanwhile, and says "granted"
  ASSERT_TRUE(until([&] { return one.keys["held"].losses == 1; }));
  EXPECT_TRUE(until([&] { return one.holds("asked"); }, 6s));
  EXPECT_EQ(one.keys["asked"].losses, 0U);
  EXPECT_TRUE(acquires(one, "held", 6s));
  EXPECT_TRUE(one.grant("held").needs_fence);
}

TEST_F(QueueEngineTest, server_killed_and_back_while_one_holds_and_one_waits) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(one, "k"));
  two.acquire("k");
  run_for(context, 200ms);
  servers->member(0).kill();
  ASSERT_TRUE(until([&] { return !one.engine->ready() && !two.engine->ready(); }));
  servers->member(0).start();
  ASSERT_TRUE(until([&] { return one.engine->ready() && two.engine->ready(); }, 5s));
  if (one.keys["k"].losses == 0) {
    EXPECT_FALSE(two.holds("k"));
    one.release("k", "kept");
    ASSERT_TRUE(until([&] { return two.holds("k"); }, 5s));
    EXPECT_EQ(two.grant("k").value.bytes, "kept");
  } else {
    ASSERT_TRUE(until([&] { return two.holds("k"); }, 6s));
    EXPECT_TRUE(two.grant("k").needs_fence);
  }
  const auto& seen = one.engine->statistics();
  EXPECT_GT(seen.connections_lost, 0U);
  EXPECT_GT(seen.replies_received, 0U);
  EXPECT_GT(seen.failures_unreachable, 0U);
  EXPECT_GT(seen.reconnects, 0U);
  EXPECT_FALSE(seen.last_failure.empty());
}

TEST_F(QueueEngineTest, server_that_loses_its_memory_costs_the_locks_and_no_token) {
  EngineUser one{context, options(1)};
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(acquires(one, "k"));
    one.release("k", "v");
  }
  ASSERT_TRUE(acquires(one, "k"));
  const auto before = one.grant("k").token;
  servers->member(0).kill();
  servers->lose_data();
  servers->member(0).start();
  ASSERT_TRUE(until([&] { return one.keys["k"].losses == 1; }, 5s));
  ASSERT_TRUE(acquires(one, "k", 5s));
  EXPECT_GT(one.grant("k").token, before);
  EXPECT_TRUE(one.grant("k").needs_fence);
}

}  // namespace
}  // namespace fixkeep::engine
