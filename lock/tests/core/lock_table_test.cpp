// The caller's side of the table: grants, bounded waits and holds, abandons, counters.
#include "lock/core/lock_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class LockTableStrategies : public testing::TestWithParam<std::string> {};

TEST_P(LockTableStrategies, grants_every_key_once_it_is_free) {
  TableMesh mesh{3, {.strategy = GetParam()}};
  for (int master = 1; master <= 3; ++master) { mesh.hold(master, "a"); }
  const auto news = mesh.take_news();
  ASSERT_EQ(news.size(), 3U);
  EXPECT_TRUE(news[2].starts_with("3 granted a"));
}

INSTANTIATE_TEST_SUITE_P(All, LockTableStrategies, testing::ValuesIn(mesh_locks_without()),
                         lock_of);

TEST(LockTable, keys_do_not_wait_for_each_other) {
  TableMesh mesh{3};
  mesh.acquire(1, "a");
  mesh.acquire(2, "b");
  mesh.take(3, "a");
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted a fence", "2 granted b fence"));
  mesh.give(1, "a", "rooms of a");
  EXPECT_THAT(mesh.take_news(), ElementsAre("3 granted a fence"));
  EXPECT_EQ(mesh.last_grant(3).value.bytes, "rooms of a");
}

// The newest value wins, and its writer may have kept silent about what it had read.
TEST(LockTable, a_grant_brings_what_earlier_holders_told_themselves) {
  TableMesh mesh{3};
  mesh.hold(1, "a", "rooms of 1");
  mesh.hold(2, "a", "");
  mesh.take(3, "a");
  EXPECT_EQ(mesh.last_grant(3).value.bytes, "");
  EXPECT_THAT(mesh.last_grant(3).earlier, ElementsAre("rooms of 1"));
  mesh.give(3, "a", "rooms of 3");
  mesh.hold(2, "a", "rooms of 2");
  mesh.take(3, "a");
  EXPECT_THAT(mesh.last_grant(3).earlier, IsEmpty());
}

TEST(LockTable, a_fence_that_an_earlier_holder_owes_is_not_forgotten) {
  TableMesh mesh{3, {.lease = seconds{3}}};
  for (int master = 1; master <= 3; ++master) mesh.hold(master, "a", "rooms");
  mesh.take(1, "a");
  mesh.pass(seconds{3});  // 1 leaves an uncertain value
  mesh.deliver_all();
  mesh.hold(2, "a", "rooms");  // which has fenced, as it says
  (void)mesh.take_news();
  mesh.take(3, "a");
  EXPECT_FALSE(mesh.last_grant(3).value.uncertain);
  EXPECT_THAT(mesh.take_news(), ElementsAre("3 granted a fence"));
  mesh.give(3, "a", "rooms");
  mesh.take(3, "a");
  EXPECT_THAT(mesh.take_news(), ElementsAre("3 granted a"));
}

TEST(LockTable, everybody_holds_at_once_without_a_lock) {
  TableMesh mesh{2, {.strategy = "none"}};
  mesh.acquire(1, "a");
  mesh.acquire(2, "a");
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted a", "2 granted a"));
  EXPECT_EQ(mesh.table(1).statistics().messages_sent, 0U);
}

TEST(LockTable, a_wait_is_bounded_and_ends_once) {
  TableMesh mesh{2, {.wait = seconds{2}, .lease = seconds{60}}};
  mesh.take(1, "a");
  mesh.acquire(2, "a");
  (void)mesh.take_news();
  mesh.pass(milliseconds{1999});
  EXPECT_THAT(mesh.take_news(), IsEmpty());
  mesh.pass(milliseconds{1});
  EXPECT_THAT(mesh.take_news(), ElementsAre("2 lost a wait"));
  EXPECT_EQ(mesh.table(2).statistics().wait_timeouts, 1U);
  mesh.give(1, "a");
  EXPECT_THAT(mesh.take_news(), IsEmpty());
  mesh.take(2, "a");
  EXPECT_THAT(mesh.take_news(), ElementsAre("2 granted a fence"));
}

TEST(LockTable, a_hold_is_bounded_and_its_end_is_uncertain) {
  TableMesh mesh{2, {.wait = seconds{20}, .lease = seconds{3}}};
  for (int master = 1; master <= 2; ++master) { mesh.hold(master, "a", "rooms"); }
  mesh.take(1, "a");
  (void)mesh.take_news();
  mesh.acquire(2, "a");
  mesh.pass(milliseconds{2999});
  EXPECT_THAT(mesh.take_news(), IsEmpty());
  mesh.pass(milliseconds{1});
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 lost a lease", "2 granted a fence"));
  EXPECT_TRUE(mesh.last_grant(2).value.uncertain);
  EXPECT_EQ(mesh.last_grant(2).value.bytes, "rooms");  // what was known is not forgotten
  EXPECT_EQ(mesh.table(1).statistics().lease_timeouts, 1U);
}

TEST(LockTable, a_second_grant_needs_no_fence_in_a_healthy_mesh_unless_always) {
  for (const bool always : {false, true}) {
    TableMesh mesh{2, {.always_fence = always}};
    for (int i = 0; i < 2; ++i) { mesh.hold(1, "a"); }
    EXPECT_THAT(mesh.take_news(),
                ElementsAre("1 granted a fence", always ? "1 granted a fence" : "1 granted a"));
  }
}

TEST(LockTable, abandons_at_any_time_and_in_vain) {
  TableMesh mesh{3};
  mesh.abandon(1, "a");  // never heard of
  mesh.acquire(1, "a");
  mesh.abandon(1, "a");  // soliciting
  mesh.deliver_all();
  mesh.take(1, "a");
  (void)mesh.take_news();
  mesh.abandon(1, "a");  // holding: no effect
  EXPECT_EQ(mesh.state(1, "a"), "acquired");
  mesh.acquire(2, "a");
  mesh.abandon(2, "a");  // lurking
  mesh.give(1, "a");
  EXPECT_THAT(mesh.take_news(), IsEmpty());
  EXPECT_EQ(mesh.table(1).statistics().abandons, 1U);
  EXPECT_EQ(mesh.table(2).statistics().abandons, 1U);
}

TEST(LockTable, counts_acquisitions_messages_bytes_and_times) {
  TableMesh mesh{3};
  mesh.acquire(1, "a");
  mesh.pass(milliseconds{3});
  mesh.give(1, "a", "rooms");
  const auto& statistics = mesh.table(1).statistics();
  EXPECT_EQ(statistics.acquisitions, 1U);
  EXPECT_EQ(statistics.messages_sent, 4U);
  EXPECT_EQ(statistics.bytes_sent, mesh.lock_frame_bytes(1));
  EXPECT_EQ(mesh.table(2).statistics().messages_sent, 1U);
  EXPECT_EQ(mesh.table(2).statistics().bytes_sent, mesh.lock_frame_bytes(2));
  EXPECT_EQ(statistics.waits.count(), 1U);
  // Granted only when time passed: 3 ms are below 2^12 microseconds and not below 2^11.
  EXPECT_EQ(statistics.waits.counts()[12], 1U);
  EXPECT_EQ(statistics.holds.counts()[0], 1U);
}

TEST(LockTable, status_lists_keys_in_order_up_to_a_limit) {
  TableMesh mesh{2};
  for (const auto* key : {"c", "a", "b"}) mesh.take(1, key);
  const auto all = mesh.table(1).status(2);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].key.text(), "a");
  EXPECT_EQ(all[1].key.text(), "b");
  EXPECT_EQ(all[0].state, "acquired");
  EXPECT_EQ(all[0].token.counter, 1U);
}

}  // namespace
}  // namespace fixkeep::lock
