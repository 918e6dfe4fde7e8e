// The promises that every strategy keeps when masters die, sleep or cannot reach each other.
#include "lock/tests/conformance/conformance.hpp"
#include "lock/tests/conformance/subjects.hpp"
#include "worker/core/promises.hpp"

namespace fixkeep::conformance {
namespace {

class LockFailures : public LockConformance {};
SUBJECTS(LockFailures);

TEST_P(LockFailures, a_killed_holder_is_succeeded_by_one_who_fences) {
  // In a grid of four the quorum of the first is without the last one.
  const int masters = subject().survives_any_crash() ? 3 : 4;
  LockWorld world{options(masters)};
  for (int m = 1; m <= masters; ++m) {
    ASSERT_TRUE(world.acquire(m, "k"));
    world.master(m).release("k", "rooms");
  }
  ASSERT_TRUE(world.acquire(masters, "k"));
  const auto token = world.master(masters).key("k").held->token;
  world.master(1).acquire("k");
  world.run_for(milliseconds{50});
  world.kill(masters);
  EXPECT_TRUE(
      world.run_until([&] { return world.master(1).key("k").held.has_value(); }, patience(world)));
  ASSERT_TRUE(world.master(1).key("k").held);
  EXPECT_TRUE(world.master(1).key("k").held->needs_fence);
  // Only the fence can find an untold order of a dead master. A server has it written down.
  if (subject().engine()) {
    EXPECT_GT(world.master(1).key("k").held->token, token);
    EXPECT_EQ(world.master(1).key("k").held->value.bytes, "rooms");
  }
  EXPECT_EQ(world.double_grants(), 0);
}

// The pause that is longer than the lease: nothing can tell the sleeper in time. It must learn that
// it lost the lock before it acts again. The fence refuses its earlier order.
TEST_P(LockFailures, a_paused_holder_learns_its_loss_and_its_late_order_is_refused) {
  const int last = subject().survives_any_crash() ? 3 : 4;  // as above
  LockWorld world{options(last)};
  for (int m = 1; m <= last; ++m) {
    ASSERT_TRUE(world.acquire(m, "k"));
    world.master(m).release("k", "rooms");
  }
  // A lock may grant these holds without a message.
  for (int hold = 0; hold < 5; ++hold) {
    if (hold > 0) world.master(last).release("k", "rooms");
    ASSERT_TRUE(world.acquire(last, "k"));
  }
  const auto old_grant = *world.master(last).key("k").held;
  world.master(1).acquire("k");
  world.pause(last);
  ASSERT_TRUE(world.run_until([&] { return !world.master(1).key("k").waiting; }, patience(world)));
  ASSERT_TRUE(world.master(1).key("k").held);
  const auto new_grant = *world.master(1).key("k").held;
  EXPECT_TRUE(new_grant.needs_fence);

  // The workers' side of both: 1 fences as it was told, then the sleeper's order arrives.
  const GroupKey group{"k"};
  worker::Promises promises{std::chrono::seconds{60}};
  FencingToken fence = new_grant.token;
  EXPECT_TRUE(promises.promise(group, fence, TimePoint{}));
  EXPECT_FALSE(promises.allow(group, {old_grant.token, 0, {}}, old_grant.value.fence, TimePoint{}));
  EXPECT_TRUE(promises.allow(group, {new_grant.token, 0, {}}, fence, TimePoint{}));

  world.resume(last);
  EXPECT_TRUE(
      world.run_until([&] { return !world.master(last).key("k").held; }, milliseconds{1000}));
  EXPECT_TRUE(world.master(last).key("k").lost);
  world.master(1).release("k", "rooms");
  // And it is as good as new.
  EXPECT_TRUE(world.acquire(last, "k", patience(world)));
}

TEST_P(LockFailures, a_split_mesh_never_has_two_holders_without_a_fence) {
  const int masters = 5;
  LockWorld world{options(masters)};
  for (int m = 1; m <= masters; ++m) {
    ASSERT_TRUE(world.acquire(m, "k"));
    world.master(m).release("k", "rooms");
  }
  world.cut({1, 2}, {3, 4, 5});
  int holds = 0;
  const auto work = [&] {
    for (int m = 1; m <= masters; ++m) {
      const auto& key = world.master(m).key("k");
      if (key.held && ++holds % 3 != 0) {
        world.master(m).release("k", "rooms");
      } else if (!key.held && !key.waiting) {
        world.master(m).acquire("k");
      }
    }
    return false;
  };
  (void)world.run_until(work, milliseconds{2500});
  EXPECT_EQ(world.unfenced_double_grants(), 0);
  if (subject().survives_partitions()) { EXPECT_EQ(world.double_grants(), 0); }
  world.mend_links();
  for (int m = 1; m <= masters; ++m) {
    if (world.master(m).key("k").held) world.master(m).release("k", "rooms");
    if (world.master(m).key("k").waiting) world.master(m).abandon("k");
  }
  // Once whole, every master gets it again.
  for (int m = 1; m <= masters; ++m) {
    EXPECT_TRUE(world.acquire(m, "k", patience(world))) << m;
    world.master(m).release("k", "rooms");
  }
}

}  // namespace
}  // namespace fixkeep::conformance
