// The behaviour of PostgreSQL alone and its number of requests.
#include <postgresql/libpq-fe.h>

#include "lock/engines/postgres/session.hpp"
#include "lock/tests/engines/engine_fixture.hpp"

namespace fixkeep::engine {

std::unique_ptr<LockServers> make_lock_servers() {
  return std::make_unique<PostgresServer>();
}

namespace {

using namespace std::chrono_literals;

// An administrator, with a session of its own.
class Administrator {
 public:
  explicit Administrator(std::uint16_t port)
      : connection_(
            PQconnectdb(("host=127.0.0.1 user=fixkeep dbname=fixkeep sslmode=disable port=" +
                         std::to_string(port))
                            .c_str()),
            PQfinish) {
    EXPECT_EQ(PQstatus(connection_.get()), CONNECTION_OK) << PQerrorMessage(connection_.get());
  }

  // Returns the first value of the answer.
  std::string says(const std::string& sql) {
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result{
        PQexec(connection_.get(), sql.c_str()), PQclear};
    const auto status = PQresultStatus(result.get());
    EXPECT_TRUE(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        << PQresultErrorMessage(result.get());
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
  }
  // Returns the payload of the next NOTIFY; empty if there is none.
  std::string heard() {
    says("SELECT 1");
    const std::unique_ptr<PGnotify, void (*)(void*)> notice{PQnotifies(connection_.get()),
                                                            PQfreemem};
    return notice ? notice->extra : "";
  }

 private:
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
};

class PostgresEngineTest : public EngineFixture {
 protected:
  Administrator administrator() { return Administrator{servers->addresses().front().port}; }
  static std::string name(const std::string& key) {
    return std::string{testing::UnitTest::GetInstance()->current_test_info()->name()} + '/' + key;
  }
};

TEST_F(PostgresEngineTest, two_requests_for_an_uncontended_lock) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(becomes_ready(one));
  ASSERT_TRUE(acquires(one, "k"));
  one.release("k", "first");
  const auto before = one.engine->statistics().requests_sent;
  constexpr int rounds = 20;
  for (int i = 0; i < rounds; ++i) {
    ASSERT_TRUE(acquires(one, "k"));
    EXPECT_FALSE(one.grant("k").needs_fence);
    one.release("k", std::to_string(i));
  }
  ASSERT_TRUE(acquires(one, "k"));
  const auto sent = one.engine->statistics().requests_sent - before;
  EXPECT_GE(sent, 2U * rounds + 1);
  EXPECT_LE(sent, 2U * rounds + 2) << "old rows are removed once";
  EXPECT_GT(one.engine->statistics().bytes_sent, 50U * sent);
  EXPECT_GT(one.engine->statistics().bytes_received, 50U * sent);
}

TEST_F(PostgresEngineTest, a_waiter_gets_the_value_and_no_fence) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(one, "k"));
  two.acquire("k");
  run_for(context, 100ms);
  EXPECT_FALSE(two.holds("k"));
  one.release("k", "rooms");
  ASSERT_TRUE(until([&] { return two.holds("k"); }));
  EXPECT_FALSE(two.grant("k").needs_fence);
  EXPECT_EQ(two.grant("k").value.bytes, "rooms");
}

TEST_F(PostgresEngineTest, an_abandoned_wait_leaves_nothing_and_an_abandoned_hold_costs_a_fence) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  EngineUser three{context, options(3)};
  ASSERT_TRUE(acquires(one, "k"));
  two.acquire("k");
  run_for(context, 100ms);
  two.abandon("k");
  one.release("k", "v");
  ASSERT_TRUE(acquires(three, "k"));
  EXPECT_FALSE(three.grant("k").needs_fence);
  three.abandon("k");
  ASSERT_TRUE(acquires(two, "k"));
  EXPECT_TRUE(two.grant("k").needs_fence);
}

TEST_F(PostgresEngineTest, every_release_is_told_and_wakes_the_waiters) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "k"));
  auto boss = administrator();
  boss.says("LISTEN fixkeep_locks");
  one.release("k", "v");
  ASSERT_TRUE(until([&] { return boss.heard() == name("k"); }));

  boss.says("SELECT pg_advisory_lock(hashtextextended('" + name("k") + "', 0))");
  one.acquire("k");
  run_for(context, 100ms);
  const auto before = one.engine->statistics().requests_sent;
  for (int i = 0; i < 40; ++i) {
    boss.says("NOTIFY fixkeep_locks, '" + name("k") + "'");
    run_for(context, 10ms);
  }
  EXPECT_TRUE(until([&] { return one.engine->statistics().requests_sent >= before + 15; }, 2s));
  boss.says("SELECT pg_advisory_unlock_all()");
  EXPECT_TRUE(until([&] { return one.holds("k"); })) << "nobody told, so it asks by itself";
}

TEST_F(PostgresEngineTest, a_refused_acquire_leaves_no_lock_behind) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(becomes_ready(one) && becomes_ready(two));
  auto boss = administrator();
  boss.says("ALTER TABLE fixkeep_locks ADD CONSTRAINT never CHECK (epoch < 0) NOT VALID");
  one.acquire("k");
  EXPECT_TRUE(until([&] { return !one.engine->ready(); }));
  run_for(context, 500ms);  // it asks again and again
  boss.says("ALTER TABLE fixkeep_locks DROP CONSTRAINT never");
  EXPECT_TRUE(until([&] { return one.holds("k") && one.engine->ready(); }));
  EXPECT_GT(one.engine->statistics().failures_refused, 0U);
  one.release("k", "v");
  EXPECT_TRUE(acquires(two, "k"));
}

TEST_F(PostgresEngineTest, a_session_that_ended_at_the_server_is_lost_at_once) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(one, "k"));
  auto boss = administrator();
  const auto first = one.grant("k").token;
  two.acquire("k");
  run_for(context, 100ms);
  boss.says(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE application_name = 'fixkeep-1'");
  ASSERT_TRUE(until([&] { return one.keys["k"].losses == 1; }, 1500ms));
  ASSERT_TRUE(until([&] { return two.holds("k"); }));
  EXPECT_TRUE(two.grant("k").needs_fence);
  EXPECT_GT(two.grant("k").token, first);
  EXPECT_TRUE(becomes_ready(one));
}

// The paused master's sockets stay open: the kernel acknowledges everything.
TEST_F(PostgresEngineTest, a_paused_holder_loses_the_lock_after_its_ttl) {
  boost::asio::io_context paused{1};
  EngineUser one{paused, options(1)};
  EngineUser two{context, options(2)};
  one.acquire("k");
  ASSERT_TRUE(run_until(
      paused, [&] { return one.holds("k"); }, 3s));
  const auto first = one.grant("k").token;
  ASSERT_TRUE(acquires(two, "k", 6s));
  EXPECT_GE(two.keys["k"].granted_at - one.keys["k"].granted_at, 1500ms);
  EXPECT_TRUE(two.grant("k").needs_fence);
  EXPECT_GT(two.grant("k").token, first);
  one.release("k", "too late");
  ASSERT_TRUE(run_until(
      paused, [&] { return one.engine->statistics().connections_lost == 1; }, 3s));
  two.release("k", "newer");
  ASSERT_TRUE(acquires(two, "k"));
  EXPECT_EQ(two.grant("k").value.bytes, "newer");
}

TEST_F(PostgresEngineTest, old_rows_are_removed) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "k"));
  auto boss = administrator();
  boss.says("UPDATE fixkeep_locks SET used = now() - interval '1 day'");
  EngineUser two{context, options(2)};
  EXPECT_TRUE(until([&] { return boss.says("SELECT count(*) FROM fixkeep_locks") == "0"; }));
  one.release("k", "v");
  ASSERT_TRUE(acquires(two, "k"));
  EXPECT_TRUE(two.grant("k").needs_fence) << "nobody knows who had it before";
  EXPECT_GT(two.grant("k").token.counter, one.keys["k"].highest.counter);
}

TEST_F(PostgresEngineTest, a_refusal_names_the_setting) {
  auto wrong = options(1);
  wrong.username = "nobody";
  EngineUser one{context, wrong};
  ASSERT_TRUE(until([&] { return one.engine->statistics().failures_refused > 0; }));
  const auto& reason = one.engine->statistics().last_failure;
  EXPECT_NE(reason.find("role \"nobody\" does not exist"), std::string::npos) << reason;
  EXPECT_EQ(postgres_advice(reason), "set lock.username and lock.password");
  EXPECT_FALSE(one.engine->ready());
  EXPECT_EQ(postgres_advice("connection refused"), "check lock.servers");
}

}  // namespace
}  // namespace fixkeep::engine
