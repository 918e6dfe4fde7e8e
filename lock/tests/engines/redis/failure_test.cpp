// The engine of redis and redlock against real servers that fail.
#include <csignal>

#include "lock/tests/engines/redis/fixture.hpp"
#include "tests/support/own_network.hpp"

namespace fixkeep::engine {
namespace {

constexpr milliseconds busy{500};  // so late may a busy machine let us run

struct RedisFailureTest : RedisEngineTest {
  // How many can be spared.
  [[nodiscard]] std::size_t minority() const { return (servers->size() - 1) / 2; }
};
INSTANTIATE_TEST_SUITE_P(Redis, RedisFailureTest, testing::Values("redis", "redlock"),
                         subject_name);

TEST_P(RedisFailureTest, servers_killed_under_a_holder_cost_it_the_lock_within_ttl) {
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  ASSERT_TRUE(acquire(master, "k"));
  const auto before = std::chrono::steady_clock::now();
  kill_all();
  ASSERT_TRUE(run_until([&] { return master.keys["k"].losses == 1; }, ttl + busy));
  EXPECT_LE(std::chrono::steady_clock::now() - before, ttl + busy);
  EXPECT_EQ(master.readiness, (std::vector<bool>{true, false}));
  EXPECT_EQ(master.engine->statistics().locks_lost, 1U);
  EXPECT_GE(master.engine->statistics().connections_lost, minority() + 1);
  EXPECT_GE(master.engine->statistics().failures_unreachable, minority() + 1);
  EXPECT_EQ(master.engine->statistics().reconnects, 0U);
  EXPECT_NE(master.engine->statistics().last_failure.find("127.0.0.1:"), std::string::npos);

  // Later calls for the round change nothing.
  master.acquire("k");
  restart_all();
  ASSERT_TRUE(run_until([&] { return master.keys["k"].held.has_value(); }));
  EXPECT_TRUE(master.keys["k"].held->needs_fence) << "the servers have forgotten all";
  EXPECT_GE(master.engine->statistics().reconnects, minority() + 1);
  EXPECT_EQ(master.readiness, (std::vector<bool>{true, false, true}));
}

TEST_P(RedisFailureTest, a_server_that_has_restarted_does_not_count_before_ttl_has_passed) {
  ttl = milliseconds{800};
  start_all({1, 2});
  auto& first = *masters[1];
  auto& second = *masters[2];
  ASSERT_TRUE(acquire(first, "k"));
  second.acquire("k");
  kill_all();
  restart_all();
  const auto restarted = std::chrono::steady_clock::now();
  // They would grant it at once, and the first one still believes to hold it.
  const auto granted = [&] { return second.keys["k"].held.has_value(); };
  EXPECT_TRUE(run_until([&] {
    EXPECT_FALSE(granted() && first.keys["k"].held);
    return granted();
  }));
  EXPECT_GE(std::chrono::steady_clock::now() - restarted, ttl - milliseconds{300});
  EXPECT_EQ(first.keys["k"].losses, 1);
}

TEST_P(RedisFailureTest, a_minority_may_come_and_go_under_a_holder) {
  ttl = milliseconds{1500};  // nothing is extended while a server is started
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  ASSERT_TRUE(acquire(master, "k"));
  for (std::size_t i = 0; i < minority(); ++i) ASSERT_TRUE(servers->kill(i));
  run_for(ttl + milliseconds{100});
  for (std::size_t i = 0; i < minority(); ++i) ASSERT_TRUE(servers->restart(i));
  run_for(ttl + milliseconds{100});
  EXPECT_EQ(master.keys["k"].losses, 0);
  EXPECT_EQ(master.readiness, (std::vector<bool>{true}));
  master.release("k", "rooms");
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_EQ(master.keys["k"].held->value.bytes, "rooms");
}

TEST_P(RedisFailureTest, connections_that_break_do_not_cost_the_lock) {
  ttl = milliseconds{2000};  // a busy machine keeps no server silent for as long
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  ASSERT_TRUE(acquire(master, "k"));
  command_all({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  ASSERT_TRUE(run_until([&] { return master.readiness.size() == 3; }));
  EXPECT_TRUE(master.engine->ready()) << "a server that is known to have stayed is not waited for";
  run_for(ttl + milliseconds{100});
  EXPECT_EQ(master.keys["k"].losses, 0);
  master.release("k", "rooms");
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_EQ(master.keys["k"].held->value.bytes, "rooms");
  EXPECT_FALSE(master.keys["k"].held->needs_fence);
}

TEST_P(RedisFailureTest, a_release_whose_answer_was_lost_is_sent_again) {
  ttl = milliseconds{2000};
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  ASSERT_TRUE(acquire(master, "k"));
  command_all({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  master.release("k", "rooms");  // into connections that are closed already
  ASSERT_TRUE(acquire(master, "k", {}, ttl / 2)) << "freed, not lapsed";
  EXPECT_EQ(master.keys["k"].held->value.bytes, "rooms");
  EXPECT_FALSE(master.keys["k"].held->needs_fence);
}

TEST_P(RedisFailureTest, an_idle_engine_notices_a_server_that_hangs) {
  auto& master = start(1);
  for (std::size_t i = 0; i <= minority(); ++i) servers->pause(i);
  EXPECT_TRUE(run_until([&] { return !master.engine->ready(); }));
  EXPECT_GE(master.engine->statistics().failures_timeout, 1U);
  for (std::size_t i = 0; i <= minority(); ++i) servers->resume(i);
  EXPECT_TRUE(run_until([&] { return master.engine->ready(); }));
}

TEST_P(RedisFailureTest, waiting_for_servers_that_are_away_ends_with_the_abandon) {
  auto& master = start(1);
  kill_all();
  master.acquire("k");
  run_for(ttl);
  EXPECT_TRUE(master.keys["k"].asking) << "the engine waits: its caller bounds it";
  master.abandon("k");
  restart_all();
  ASSERT_TRUE(run_until([&] { return master.engine->ready(); }));
  run_for(milliseconds{50});
  EXPECT_EQ(master.unasked, 0);
}

TEST_P(RedisFailureTest, the_lock_of_another_owner_is_neither_freed_nor_renewed) {
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  ASSERT_TRUE(acquire(master, "k"));
  const std::string lock = "fixkeep/test/{k}:lock";
  const auto mine = command(0, {"GET", lock});
  EXPECT_EQ(mine.size(), 3 + 32U) << mine;
  command_all({"SET", lock, "m9-somebody", "PX", "2000"});
  EXPECT_TRUE(run_until([&] { return master.keys["k"].losses == 1; }, ttl + busy));
  for (std::size_t i = 0; i < servers->size(); ++i)
    EXPECT_EQ(command(i, {"GET", lock}), "m9-somebody");

  command_all({"DEL", lock});
  ASSERT_TRUE(acquire(master, "k"));
  command_all({"SET", lock, "m9-somebody", "PX", "2000"});
  master.release("k", "rooms");
  run_for(milliseconds{30});
  for (std::size_t i = 0; i < servers->size(); ++i) {
    EXPECT_EQ(command(i, {"GET", lock}), "m9-somebody");
    EXPECT_NE(command(i, {"HGET", "fixkeep/test/{k}:record", "state"}), "clean");
  }
}

TEST_P(RedisFailureTest, scripts_that_the_server_has_dropped_are_sent_again) {
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  for (int turn = 0; turn < 2; ++turn) {
    command_all({"SCRIPT", "FLUSH"});
    ASSERT_TRUE(acquire(master, "k"));
    EXPECT_FALSE(master.keys["k"].held->needs_fence);
    command_all({"SCRIPT", "FLUSH"});
    master.release("k", "rooms" + std::to_string(turn));
  }
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_EQ(master.keys["k"].held->value.bytes, "rooms1");
}

TEST_P(RedisFailureTest, a_server_that_refuses_to_write_grants_nothing_until_it_does) {
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  command_all({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_FALSE(acquire(master, "k", {}, ttl));
  EXPECT_EQ(master.keys["k"].losses, 0);
  EXPECT_GE(master.engine->statistics().failures_refused, 1U);
  EXPECT_NE(master.engine->statistics().last_failure.find("maxmemory"), std::string::npos);
  EXPECT_TRUE(run_until([&] { return !master.engine->ready(); })) << "which /readyz tells";
  command_all({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(run_until([&] { return master.keys["k"].held.has_value(); }));
}

// After a failover behind one address: the connection is still to the old primary.
TEST_P(RedisFailureTest, a_primary_that_has_become_a_replica_is_left_and_its_successor_found) {
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  command_all({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_FALSE(acquire(master, "k", {}, ttl));
  EXPECT_TRUE(run_until([&] {
    const auto& why = master.engine->statistics().last_failure;
    return !master.engine->ready() && why.find("it is a replica") != std::string::npos;
  })) << master.engine->statistics().last_failure;
  run_for(milliseconds{300});
  EXPECT_FALSE(master.engine->ready()) << "and it stays so, though servers answer";
  command_all({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(run_until([&] { return master.keys["k"].held.has_value(); }));
  EXPECT_TRUE(master.engine->ready());
}

TEST_P(RedisFailureTest, rubbish_in_the_record_is_met_with_a_fence_or_a_wait) {
  auto& master = start(1);
  ASSERT_TRUE(reach_all_servers(master, "k"));
  const std::string record = "fixkeep/test/{k}:record";
  command_all({"HSET", record, "value", "?"});
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_TRUE(master.keys["k"].held->needs_fence);
  EXPECT_TRUE(master.keys["k"].held->value.bytes.empty());
  master.release("k", "rooms");
  run_for(milliseconds{20});

  command_all({"HSET", record, "counter", "99999999999999999999999"});
  EXPECT_FALSE(acquire(master, "k", {}, ttl));
  command_all({"HSET", record, "counter", "7"});
  ASSERT_TRUE(run_until([&] { return master.keys["k"].held.has_value(); }));
  EXPECT_GT(master.keys["k"].held->token.counter, 7U);
}

TEST_P(RedisFailureTest, a_release_that_meets_a_higher_counter_writes_nothing) {
  auto& master = start(1);
  const std::string record = "fixkeep/test/{k}:record";
  ASSERT_TRUE(reach_all_servers(master, "k"));
  ASSERT_TRUE(acquire(master, "k"));
  master.release("k", "rooms");
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_EQ(command(0, {"HGET", record, "state"}), "held");
  command_all({"HSET", record, "counter", "2000000000000000001"});
  master.release("k", "from long ago");
  ASSERT_TRUE(acquire(master, "k"));
  EXPECT_EQ(master.keys["k"].held->value.bytes, "rooms");
  EXPECT_EQ(master.keys["k"].held->token.counter, 2'000'000'000'000'000'002U);
  EXPECT_FALSE(master.keys["k"].held->needs_fence) << "what was clean is clean again";
}

TEST_P(RedisFailureTest, only_who_knows_the_password_gets_in) {
  command_all({"ACL", "SETUSER", "keeper", "on", ">sesame", "~*", "+@all"});
  command_all({"CONFIG", "SET", "requirepass", "open"});
  auto with = options(1);
  with.password = "open";
  auto& master = start(with);
  ASSERT_TRUE(run_until([&] { return master.engine->ready(); }));
  EXPECT_TRUE(acquire(master, "k"));

  with = options(2);
  with.username = "keeper";
  with.password = "sesame";
  auto& named = start(with);
  EXPECT_TRUE(run_until([&] { return named.engine->ready(); }));

  with = options(3);
  with.password = "shut";
  auto& wrong = start(with);
  auto& none = start(options(4));
  run_for(ttl * 2);
  EXPECT_FALSE(wrong.engine->ready());
  EXPECT_FALSE(none.engine->ready());
}

const auto* const names = ::testing::AddGlobalTestEnvironment(new test::NameOfThisMachine);

struct RedisAtLocalhost : RedisFailureTest {};
INSTANTIATE_TEST_SUITE_P(Redis, RedisAtLocalhost, testing::Values("redis", "redlock"),
                         subject_name);

TEST_P(RedisAtLocalhost, an_address_where_nobody_listens_does_not_disturb_the_others) {
  ttl = milliseconds{2000};  // a busy machine keeps no server silent for as long
  auto with = options(1);
  for (std::size_t i = 0; i < minority(); ++i) with.servers[i] = {"localhost", 1};
  if (minority() == 0) with.servers[0].host = "localhost";
  auto& master = start(with);
  ASSERT_TRUE(run_until([&] { return master.engine->ready(); }));
  EXPECT_TRUE(acquire(master, "k"));
}

}  // namespace
}  // namespace fixkeep::engine
