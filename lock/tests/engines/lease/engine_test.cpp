// The behaviour of Leases of Kubernetes alone and their number of requests.
#include "common/net/kubernetes/api_client.hpp"
#include "lock/engines/lease/object.hpp"
#include "lock/tests/engines/engine_fixture.hpp"

namespace fixkeep::engine {

std::unique_ptr<LockServers> make_lock_servers() {
  return std::make_unique<ApiServer>();
}

namespace {

using namespace std::chrono_literals;

class LeaseEngineTest : public EngineFixture {
 protected:
  // A call by an administrator, to the Lease of the key.
  kubernetes::ApiAnswer says(const std::string& method, const std::string& key,
                             const std::string& body = {}) {
    const auto server = servers->addresses().front();
    const kubernetes::Access access{.host = server.host, .port = server.port, .plain = true};
    return kubernetes::ask_and_wait(access,
                                    {.method = method,
                                     .target = "/apis/coordination.k8s.io/v1/namespaces/default/"
                                               "leases/" +
                                               lease_name(options(1).cluster, GroupKey{key}),
                                     .body = body,
                                     .content_type = "application/merge-patch+json"},
                                    10s);
  }
  std::optional<LeaseObject> lease(const std::string& key) {
    return read_lease(kubernetes::parsed(says("GET", key).body));
  }
};

TEST_F(LeaseEngineTest, three_requests_for_an_uncontended_lock) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(becomes_ready(one));
  ASSERT_TRUE(acquires(one, "k"));
  one.release("k", "first");
  run_for(context, 100ms);
  const auto before = one.engine->statistics().requests_sent;
  constexpr int rounds = 20;
  for (int i = 0; i < rounds; ++i) {
    ASSERT_TRUE(acquires(one, "k"));
    EXPECT_FALSE(one.grant("k").needs_fence);
    one.release("k", std::to_string(i));
  }
  ASSERT_TRUE(acquires(one, "k"));
  const auto sent = one.engine->statistics().requests_sent - before;
  EXPECT_GE(sent, 3U * rounds + 2);
  EXPECT_LE(sent, 3U * rounds + 12) << "signs of life come between";
}

TEST_F(LeaseEngineTest, a_release_wakes_the_waiter_with_its_value) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(one, "k"));
  two.acquire("k");
  run_for(context, 300ms);
  EXPECT_FALSE(two.holds("k"));
  one.release("k", "rooms");
  ASSERT_TRUE(until([&] { return two.holds("k"); }));
  EXPECT_FALSE(two.grant("k").needs_fence);
  EXPECT_EQ(two.grant("k").value.bytes, "rooms");
  EXPECT_GT(two.grant("k").token, one.keys["k"].highest);
}

TEST_F(LeaseEngineTest, an_object_says_who_holds_it) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "k"));
  auto found = lease("k");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->holder.starts_with("m1-")) << found->holder;
  EXPECT_EQ(found->duration, 2s);
  EXPECT_EQ(found->epoch, one.grant("k").token.counter);
  one.release("k", "v");
  ASSERT_TRUE(until([&] {
    found = lease("k");
    return found && found->holder.empty();
  }));
  ASSERT_TRUE(found->record);
  EXPECT_EQ(found->record->value.bytes, "v");
}

TEST_F(LeaseEngineTest, a_long_hold_is_renewed) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(one, "k"));
  two.acquire("k");
  run_for(context, 5s);
  EXPECT_TRUE(one.holds("k"));
  EXPECT_FALSE(two.holds("k"));
  one.release("k", "long");
  ASSERT_TRUE(until([&] { return two.holds("k"); }));
  EXPECT_EQ(two.grant("k").value.bytes, "long");
}

TEST_F(LeaseEngineTest, a_paused_holder_loses_the_lock_after_its_ttl) {
  boost::asio::io_context paused{1};
  EngineUser one{paused, options(1)};
  EngineUser two{context, options(2)};
  one.acquire("k");
  ASSERT_TRUE(run_until(
      paused, [&] { return one.holds("k"); }, 3s));
  const auto first = one.grant("k").token;
  ASSERT_TRUE(acquires(two, "k", 8s));
  EXPECT_GE(two.keys["k"].granted_at - one.keys["k"].granted_at, 1900ms);
  EXPECT_TRUE(two.grant("k").needs_fence);
  EXPECT_GT(two.grant("k").token, first);
  one.release("k", "too late");
  run_for(paused, 300ms);
  two.release("k", "newer");
  ASSERT_TRUE(acquires(two, "k"));
  EXPECT_EQ(two.grant("k").value.bytes, "newer");
}

TEST_F(LeaseEngineTest, a_lease_that_another_took_is_lost_at_the_next_renewal) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "k"));
  EXPECT_EQ(says("PATCH", "k", R"({"spec":{"holderIdentity":"somebody"}})").status, 200U);
  ASSERT_TRUE(until([&] { return one.keys["k"].losses == 1; }, 1500ms));
  EXPECT_EQ(one.engine->statistics().locks_lost, 1U);
}

TEST_F(LeaseEngineTest, a_note_of_an_operator_costs_nothing) {
  EngineUser one{context, options(1)};
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(one, "k"));
  EXPECT_EQ(says("PATCH", "k", R"({"metadata":{"annotations":{"note":"mine"}}})").status, 200U);
  run_for(context, 3s);
  ASSERT_TRUE(one.holds("k"));
  EXPECT_EQ(says("PATCH", "k", R"({"metadata":{"annotations":{"note":"again"}}})").status, 200U);
  one.release("k", "v");
  ASSERT_TRUE(acquires(two, "k"));
  EXPECT_EQ(two.grant("k").value.bytes, "v");
}

TEST_F(LeaseEngineTest, a_deleted_lease_costs_the_lock_and_no_token) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "k"));
  one.release("k", "v");
  ASSERT_TRUE(acquires(one, "k"));
  const auto first = one.grant("k").token;
  EXPECT_EQ(says("DELETE", "k").status, 200U);
  ASSERT_TRUE(until([&] { return one.keys["k"].losses == 1; }));
  EngineUser two{context, options(2)};
  ASSERT_TRUE(acquires(two, "k"));
  EXPECT_TRUE(two.grant("k").needs_fence);
  EXPECT_GT(two.grant("k").token.counter, first.counter);
}

TEST_F(LeaseEngineTest, unused_leases_are_deleted) {
  EngineUser one{context, options(1)};
  ASSERT_TRUE(acquires(one, "k"));
  one.release("k", "v");
  ASSERT_TRUE(until([&] {
    const auto found = lease("k");
    return found && found->holder.empty();
  }));
  const auto old = lease_time(std::chrono::system_clock::now() - 3h);
  EXPECT_EQ(says("PATCH", "k", R"({"spec":{"renewTime":")" + old + "\"}}").status, 200U);
  EngineUser two{context, options(2)};
  EXPECT_TRUE(until([&] { return says("GET", "k").status == 404; }));
}

}  // namespace
}  // namespace fixkeep::engine
