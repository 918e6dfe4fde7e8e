// The promises of every strategy to its caller (docs/locks.md, "What every lock gives") without
// faults.
#include "lock/tests/conformance/conformance.hpp"
#include "lock/tests/conformance/subjects.hpp"

namespace fixkeep::conformance {
namespace {

class LockPromises : public LockConformance {};
SUBJECTS(LockPromises);

TEST_P(LockPromises, one_holder_at_a_time_with_tokens_that_grow) {
  for (const int masters : {2, 3, 5, 9}) {
    LockWorld world{options(masters)};
    constexpr int holds_each = 3;
    std::vector<int> left(static_cast<std::size_t>(masters) + 1, holds_each);
    const auto busy = [&] {
      bool more = false;
      for (int m = 1; m <= masters; ++m) {
        const auto& key = world.master(m).key("k");
        auto& mine = left[static_cast<std::size_t>(m)];
        if (key.held) {
          world.master(m).release("k");
          --mine;
        } else if (!key.waiting && mine > 0) {
          world.master(m).acquire("k");
        }
        more = more || mine > 0;
      }
      return !more;
    };
    EXPECT_TRUE(world.run_until(busy, milliseconds{30'000})) << masters << " masters";
    EXPECT_EQ(world.double_grants(), 0) << masters << " masters";
    EXPECT_EQ(world.tokens_that_fell(), 0) << masters << " masters";
  }
}

TEST_P(LockPromises, the_value_travels_with_the_lock) {
  LockWorld world{options()};
  std::string written;
  for (int round = 0; round < 6; ++round) {
    const int m = round % 3 + 1;
    ASSERT_TRUE(world.acquire(m, "k")) << "round " << round;
    EXPECT_EQ(world.master(m).key("k").held->value.bytes, written) << "round " << round;
    written = "rooms of round " + std::to_string(round);
    world.master(m).release("k", written);
  }
}

TEST_P(LockPromises, a_lock_in_steady_use_needs_no_fence) {
  LockWorld world{options()};
  for (int round = 0; round < 6; ++round) {
    const int m = round % 3 + 1;
    ASSERT_TRUE(world.acquire(m, "k"));
    // Each master fences once after its start at most.
    if (round >= 3) { EXPECT_FALSE(world.master(m).key("k").held->needs_fence) << round; }
    world.master(m).release("k", "rooms");
  }
}

TEST_P(LockPromises, keys_do_not_wait_for_each_other) {
  LockWorld world{options()};
  ASSERT_TRUE(world.acquire(1, "a"));
  ASSERT_TRUE(world.acquire(2, "b"));
  ASSERT_TRUE(world.acquire(1, "c"));
  EXPECT_TRUE(world.master(1).key("a").held);
  EXPECT_EQ(world.double_grants(), 0);
}

TEST_P(LockPromises, whoever_waits_may_abandon) {
  LockWorld world{options()};
  ASSERT_TRUE(world.acquire(1, "k"));
  world.master(2).acquire("k");
  world.run_for(milliseconds{50});
  world.master(3).acquire("k");
  world.run_for(milliseconds{50});
  world.master(2).abandon("k");
  world.run_for(milliseconds{50});
  world.master(1).release("k");
  EXPECT_TRUE(world.run_until([&] { return world.master(3).key("k").held.has_value(); }));
  EXPECT_EQ(world.master(2).key("k").grants, 0);
  world.master(3).release("k");
  // While asking, too; and whoever abandoned can want it again at once.
  for (int round = 0; round < 20; ++round) {
    world.master(2).acquire("k");
    world.run_for(milliseconds{round % 4});
    if (world.master(2).key("k").held) {
      world.master(2).release("k");
    } else {
      world.master(2).abandon("k");
    }
  }
  EXPECT_TRUE(world.acquire(2, "k"));
  EXPECT_EQ(world.double_grants(), 0);
}

TEST_P(LockPromises, a_wait_is_bounded) {
  auto made = options();
  // No hold ends meanwhile. Where the lock has to be had, a wait that a busy machine ends begins
  // anew.
  made.wait = milliseconds{subject().engine() ? 3000 : 1500};
  made.lease = 4 * made.wait;
  made.server_reply = made.lease;  // or a server of a slow machine would be what is missed
  LockWorld world{made};
  world.master(1).acquire("k");
  ASSERT_TRUE(world.insists(1, "k", patience(world)));
  EXPECT_FALSE(world.acquire(2, "k", patience(world)));
  EXPECT_EQ(world.master(2).key("k").lost, lock::LostReason::wait_timeout);
  world.master(1).release("k");
  world.master(2).acquire("k");
  EXPECT_TRUE(world.insists(2, "k", patience(world)));
}

TEST_P(LockPromises, a_hold_is_bounded_and_its_end_makes_the_next_one_fence) {
  LockWorld world{options()};
  ASSERT_TRUE(world.acquire(1, "k"));
  world.master(1).release("k", "rooms");
  ASSERT_TRUE(world.acquire(1, "k"));
  world.master(2).acquire("k");
  EXPECT_TRUE(world.insists(2, "k", patience(world)));
  // On a busy machine a server may take a session for dead before our own clock ends the hold.
  const auto lost = world.master(1).key("k").lost;
  const bool by_server = subject().engine() && lost == lock::LostReason::engine_failure;
  EXPECT_TRUE(lost == lock::LostReason::lease_timeout || by_server);
  EXPECT_FALSE(world.master(1).key("k").held);
  EXPECT_TRUE(world.master(2).key("k").held->needs_fence);
  EXPECT_EQ(world.double_grants(), 0);
}

}  // namespace
}  // namespace fixkeep::conformance
