// The engine of redis and redlock against real servers that stay.
#include "lock/engines/redis/engine.hpp"

#include "lock/tests/engines/redis/fixture.hpp"

namespace fixkeep::engine {
namespace {

INSTANTIATE_TEST_SUITE_P(Redis, RedisEngineTest, testing::Values("redis", "redlock"), subject_name);

TEST_P(RedisEngineTest, the_value_travels_with_the_lock_and_the_tokens_grow) {
  start_all({1, 2});
  auto& first = *masters[1];
  auto& second = *masters[2];
  ASSERT_TRUE(acquire(first, "k"));
  const auto granted = *first.keys["k"].held;
  EXPECT_EQ(granted.token.master, MasterId{1});
  EXPECT_GT(granted.token.counter, 0U);
  EXPECT_TRUE(granted.value.bytes.empty());
  EXPECT_TRUE(granted.needs_fence) << "nobody knows what was before the record";
  first.release("k", std::string{"rooms\0\xff", 7});

  ASSERT_TRUE(acquire(second, "k"));
  const auto next = *second.keys["k"].held;
  EXPECT_GT(next.token, granted.token);
  EXPECT_EQ(next.value.bytes, (std::string{"rooms\0\xff", 7}));
  EXPECT_EQ(next.value.stamp, granted.token);
  EXPECT_FALSE(next.needs_fence);
  second.release("k", "more");

  ASSERT_TRUE(acquire(first, "k", granted.token));
  EXPECT_GT(first.keys["k"].held->token, next.token);
  EXPECT_EQ(first.keys["k"].held->value.bytes, "more");
}

TEST_P(RedisEngineTest, a_token_is_above_what_the_caller_knows) {
  auto& master = start(1);
  constexpr std::uint64_t large = (std::uint64_t{1} << 60U) + 1;  // no double has this value
  ASSERT_TRUE(acquire(master, "k", {large, MasterId{7}}));
  EXPECT_EQ(master.keys["k"].held->token.counter, large + 1);
  master.release("k", "");
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_EQ(master.keys["k"].held->token.counter, large + 2);
}

TEST_P(RedisEngineTest, an_uncertain_value_needs_a_fence) {
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  for (const bool uncertain : {false, true, false}) {
    ASSERT_TRUE(acquire(master, "k"));
    master.release("k", "rooms", uncertain);
    ASSERT_TRUE(acquire(master, "k"));
    EXPECT_EQ(master.keys["k"].held->needs_fence, uncertain);
    master.release("k", "rooms");
  }
}

TEST_P(RedisEngineTest, an_uncontended_lock_costs_two_requests_a_server) {
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  const auto all_is_answered = [&] {
    const auto& statistics = master.engine->statistics();
    return statistics.replies_received == statistics.requests_sent;
  };
  ASSERT_TRUE(run_until(all_is_answered));
  const auto before = master.engine->statistics();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(acquire(master, "k"));
    EXPECT_FALSE(master.keys["k"].held->needs_fence);
    master.release("k", "rooms");
  }
  ASSERT_TRUE(run_until(all_is_answered));
  const auto& after = master.engine->statistics();
  EXPECT_EQ(after.requests_sent - before.requests_sent, 20 * servers->size());
  EXPECT_EQ(after.replies_received - before.replies_received, 20 * servers->size());
  EXPECT_GT(after.bytes_sent - before.bytes_sent, 20 * servers->size() * 100);
  EXPECT_GT(after.bytes_received, before.bytes_received);
}

TEST_P(RedisEngineTest, abandoning_lets_the_next_one_in_and_says_nothing_more) {
  start_all({1, 2});
  auto& first = *masters[1];
  auto& second = *masters[2];
  ASSERT_TRUE(reach_all_servers(first, "k"));
  ASSERT_TRUE(acquire(first, "k"));
  second.acquire("k");
  run_for(milliseconds{30});
  second.abandon("k");
  first.release("k", "newer");
  run_for(milliseconds{50});
  EXPECT_FALSE(second.keys["k"].held);

  // While the question is on its way, and after the grant.
  first.acquire("k");
  first.abandon("k");
  ASSERT_TRUE(acquire(first, "k"));
  first.abandon("k");
  ASSERT_TRUE(acquire(second, "k", {}, ttl / 2)) << "freed, not lapsed";
  EXPECT_EQ(second.keys["k"].held->value.bytes, "newer");
  EXPECT_FALSE(second.keys["k"].held->needs_fence) << "whoever abandons has not used the lock";
  EXPECT_EQ(first.unasked + second.unasked, 0);
}

TEST_P(RedisEngineTest, a_grant_given_up_leaves_the_need_for_a_fence) {
  auto& master = start(1);
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_TRUE(master.keys["k"].held->needs_fence);
  master.abandon("k");
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_TRUE(master.keys["k"].held->needs_fence);
}

TEST_P(RedisEngineTest, a_lock_is_renewed_for_as_long_as_it_is_held) {
  start_all({1, 2});
  auto& first = *masters[1];
  auto& second = *masters[2];
  ASSERT_TRUE(acquire(first, "k"));
  EXPECT_FALSE(acquire(second, "k", {}, ttl * 3));
  EXPECT_EQ(first.keys["k"].losses, 0);
  first.release("k", "rooms");
  EXPECT_TRUE(run_until([&] { return second.keys["k"].held.has_value(); }));
}

TEST_P(RedisEngineTest, stopping_frees_the_locks_and_leaves_the_fence_to_the_next) {
  start_all({1, 2});
  auto& first = *masters[1];
  auto& second = *masters[2];
  ASSERT_TRUE(reach_all_servers(second, "k"));
  ASSERT_TRUE(acquire(first, "k"));
  first.engine->stop(milliseconds{500});
  EXPECT_FALSE(first.engine->ready());
  ASSERT_TRUE(acquire(second, "k", {}, ttl / 2)) << "freed, not lapsed";
  EXPECT_TRUE(second.keys["k"].held->needs_fence);
  EXPECT_EQ(first.keys["k"].losses, 0) << "nothing is said any more";
}

TEST_P(RedisEngineTest, keys_and_clusters_do_not_wait_for_each_other) {
  auto& first = start(1);
  auto elsewhere = options(2);
  elsewhere.cluster = "other";
  auto& other = start(elsewhere);
  ASSERT_TRUE(run_until([&] { return other.engine->ready(); }));
  ASSERT_TRUE(acquire(first, "k"));
  EXPECT_TRUE(acquire(first, "another", {}, ttl));
  EXPECT_TRUE(acquire(other, "k", {}, ttl));
}

TEST_P(RedisEngineTest, an_acquire_beyond_the_bound_is_lost) {
  auto few = options(1);
  few.keys = 2;
  auto& master = start(few);
  ASSERT_TRUE(run_until([&] { return master.engine->ready(); }));
  ASSERT_TRUE(acquire(master, "a"));
  ASSERT_TRUE(acquire(master, "b"));
  EXPECT_FALSE(acquire(master, "c", {}, milliseconds{20}));
  EXPECT_EQ(master.keys["c"].losses, 1);
  master.release("a", "");
  run_for(milliseconds{20});
  EXPECT_TRUE(acquire(master, "c"));
}

TEST_P(RedisEngineTest, a_reply_may_be_answered_at_once) {
  auto& master = start(1);
  int grants = 0;
  master.on_granted = [&](const std::string& key) {
    if (++grants == 100) return;
    master.release(key, std::to_string(grants));
    master.acquire(key);
  };
  master.acquire("k");
  ASSERT_TRUE(run_until([&] { return grants == 100; }));
  EXPECT_EQ(master.keys["k"].held->value.bytes, "99");
}

TEST_P(RedisEngineTest, addresses_that_are_of_no_use_are_an_error) {
  auto wrong = options(1);
  wrong.servers.push_back({"127.0.0.1", 1});
  EXPECT_FALSE(make_engine(context, wrong, {}).has_value());
  wrong.servers.clear();
  EXPECT_FALSE(make_engine(context, wrong, {}).has_value());
  wrong = options(1);
  wrong.ttl = milliseconds{1};
  EXPECT_FALSE(make_engine(context, wrong, {}).has_value());
}

}  // namespace
}  // namespace fixkeep::engine
