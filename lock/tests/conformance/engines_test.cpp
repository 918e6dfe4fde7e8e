// The strategies of a server when the server is killed, comes back or cannot be reached.
#include "lock/tests/conformance/conformance.hpp"
#include "lock/tests/conformance/subjects.hpp"

namespace fixkeep::conformance {
namespace {

class LockEngines : public LockConformance {
 protected:
  void kill_all() {
    for (std::size_t i = 0; i < servers().size(); ++i) ASSERT_TRUE(servers().kill(i));
  }
  void restart_all() { ASSERT_TRUE(servers().restart_killed()); }
};
ENGINE_SUBJECTS(LockEngines);

TEST_P(LockEngines, a_wait_for_a_server_that_is_gone_is_bounded_and_says_why) {
  auto made = options();
  made.wait = milliseconds{1500};
  LockWorld world{made};
  // One wait may be too short: servers stall on a busy machine. The lock of an earlier session
  // lasts until that session ends.
  const auto is_served = [&](int number) {
    return world.run_until(
        [&] {
          auto& master = world.master(number);
          const auto& key = master.key("k");
          if (!key.held && !key.waiting) master.acquire("k");
          return key.held.has_value();
        },
        patience(world));
  };
  ASSERT_TRUE(is_served(1));
  world.master(1).release("k", "rooms");
  kill_all();
  EXPECT_FALSE(world.acquire(2, "k", milliseconds{4000}));
  EXPECT_EQ(world.master(2).key("k").lost, lock::LostReason::engine_failure);
  EXPECT_FALSE(world.master(2).engine()->ready());
  restart_all();
  EXPECT_TRUE(world.run_until([&] { return world.master(2).engine()->ready(); }, patience(world)));
  EXPECT_TRUE(is_served(2));
}

TEST_P(LockEngines, a_holder_whose_server_is_gone_loses_the_lock_in_time) {
  LockWorld world{options()};
  ASSERT_TRUE(world.acquire(1, "k"));
  const auto token = world.master(1).key("k").held->token;
  world.master(2).acquire("k");
  kill_all();
  // By the end of the lease at the latest. A waiting master does not get it meanwhile.
  EXPECT_TRUE(world.run_until([&] { return !world.master(1).key("k").held; },
                              world.options().lease + milliseconds{500}));
  EXPECT_EQ(world.master(2).key("k").grants, 0);
  restart_all();
  (void)world.run_until([&] { return !world.master(2).key("k").waiting; }, patience(world));
  if (!world.master(2).key("k").held) { ASSERT_TRUE(world.acquire(2, "k", patience(world))); }
  EXPECT_TRUE(world.master(2).key("k").held->needs_fence);
  // A Redis that starts anew has forgotten its tokens; the fence at the workers has not.
  const bool remembers = subject().strategy != "redis" && subject().strategy != "redlock";
  if (remembers) { EXPECT_GT(world.master(2).key("k").held->token, token); }
  EXPECT_EQ(world.double_grants(), 0);
}

TEST_P(LockEngines, a_restart_under_load_never_makes_two_holders) {
  LockWorld world{options()};
  const auto work = [&] {
    for (int m = 1; m <= 3; ++m) {
      const auto& key = world.master(m).key("k");
      if (key.held) {
        world.master(m).release("k", "rooms");
      } else if (!key.waiting) {
        world.master(m).acquire("k");
      }
    }
    return false;
  };
  (void)world.run_until(work, milliseconds{500});
  kill_all();
  (void)world.run_until(work, milliseconds{500});
  restart_all();
  int before = 0;
  for (int m = 1; m <= 3; ++m) before += world.master(m).key("k").grants;
  const auto served = [&] {
    (void)work();
    int after = 0;
    for (int m = 1; m <= 3; ++m) after += world.master(m).key("k").grants;
    return after >= before + 10;
  };
  EXPECT_TRUE(world.run_until(served, patience(world) + milliseconds{5000}));
  EXPECT_EQ(world.double_grants(), 0);
}

TEST_P(LockEngines, a_holder_cut_off_from_the_servers_gives_way_before_another_holds) {
  LockWorld world{options()};
  ASSERT_TRUE(world.acquire(1, "k"));
  world.master(2).acquire("k");
  world.stall_servers_of(1);
  EXPECT_TRUE(world.insists(2, "k", patience(world)));
  EXPECT_EQ(world.double_grants(), 0) << "1 had not learnt its loss when 2 was granted the lock";
  EXPECT_FALSE(world.master(1).key("k").held);
  ASSERT_TRUE(world.master(2).key("k").held);
  EXPECT_TRUE(world.master(2).key("k").held->needs_fence);
  world.master(2).release("k", "rooms");
  world.mend_servers_of(1);
  EXPECT_TRUE(world.run_until([&] { return world.master(1).engine()->ready(); }, patience(world)));
  EXPECT_TRUE(world.acquire(1, "k", patience(world)));
}

TEST_P(LockEngines, a_minority_of_servers_is_not_missed) {
  if (servers().size() == 1) {
    // Nothing to spare: the other tests say what its loss means.
    EXPECT_TRUE(subject().strategy == "redis" || subject().strategy == "zookeeper" ||
                subject().strategy == "postgres" || subject().strategy == "kubernetes-lease");
    return;
  }
  LockWorld world{options()};
  ASSERT_TRUE(servers().kill(0));
  if (servers().size() > 3) { ASSERT_TRUE(servers().kill(1)); }
  for (int m = 1; m <= 3; ++m) {
    EXPECT_TRUE(world.acquire(m, "k", patience(world))) << m;
    world.master(m).release("k", "rooms");
  }
  EXPECT_EQ(world.double_grants(), 0);
}

}  // namespace
}  // namespace fixkeep::conformance
