// Tokens grow over forgetting: a forgotten key leaves a floor behind. Every later grant is above
// it. It travels between masters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The token of the next hold of `key` by the master.
FencingToken hold(TableMesh& mesh, int master, const std::string& key) {
  mesh.take(master, key);
  // two-phase tries again, coordinator waits for the leases of those who are gone.
  for (int i = 0; i < 200 && mesh.state(master, key) != "acquired"; ++i) {
    mesh.pass(milliseconds{100});
  }
  EXPECT_EQ(mesh.state(master, key), "acquired");
  EXPECT_EQ(mesh.last_grant(master).key, GroupKey{key});
  const auto token = mesh.last_grant(master).token;
  mesh.give(master, key);
  return token;
}

LockTableOptions options(const std::string& strategy) {
  return {.strategy = strategy, .wait = seconds{60}, .idle = seconds{30}};
}

class LockTableFloor : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(all, LockTableFloor, testing::ValuesIn(mesh_locks_without()), lock_of);

// A lock with quorums grants nothing to a master without a quorum.
class LockTableFloorOfOne : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(all, LockTableFloorOfOne,
                         testing::ValuesIn(mesh_locks_without({"maekawa", "tree-quorum"})),
                         lock_of);

TEST_P(LockTableFloor, tokens_grow_over_forgetting_whoever_asks_next) {
  TableMesh mesh{3, options(GetParam())};
  FencingToken last;
  for (const int master : {1, 1, 2, 3, 2, 1}) {
    for (int times = 0; times < 2; ++times) {
      const auto token = hold(mesh, master, "a");
      EXPECT_GT(token, last) << master;
      last = token;
    }
    mesh.pass(seconds{100});
    for (const int each : {1, 2, 3}) EXPECT_EQ(mesh.state(each, "a"), "unknown");
  }
}

TEST_P(LockTableFloorOfOne, a_restarted_master_has_learnt_the_floor_before_it_is_alone) {
  TableMesh mesh{2, options(GetParam())};
  (void)hold(mesh, 2, "a");
  const auto last = hold(mesh, 1, "a");  // what 2 is told by nobody, only the workers know
  mesh.pass(seconds{100});
  mesh.restart(2);
  mesh.connect(1, 2);
  mesh.deliver_all();
  mesh.disconnect(1, 2);
  EXPECT_GT(hold(mesh, 2, "a"), last);
}

TEST_P(LockTableFloorOfOne, a_restarted_master_has_learnt_of_what_is_not_forgotten_yet) {
  TableMesh mesh{2, options(GetParam())};
  (void)hold(mesh, 1, "a");
  const auto last = hold(mesh, 1, "a");
  mesh.restart(2);
  mesh.connect(1, 2);
  mesh.deliver_all();
  mesh.disconnect(1, 2);
  EXPECT_GT(hold(mesh, 2, "a"), last);
}

TEST(LockTableForgetting, a_key_that_made_room_for_another_leaves_its_floor_behind) {
  TableMesh mesh{1, {.keys = 1}};
  FencingToken last;
  for (const auto* key : {"a", "a", "b", "a", "c", "a"}) {
    const auto token = hold(mesh, 1, key);
    if (std::string{key} == "a") {
      EXPECT_GT(token, last);
      last = token;
    }
  }
}

TEST_P(LockTableFloor, what_a_worker_has_seen_is_below_every_later_grant) {
  TableMesh mesh{3, options(GetParam())};
  EXPECT_LT(hold(mesh, 1, "a").counter, 50U);
  mesh.acquire(2, "a");  // waits, or is granted at once: in both cases it knows of "a" already
  mesh.table(3).raise_floor(50);
  mesh.deliver_all();
  mesh.pass(seconds{1});
  mesh.give(2, "a");
  EXPECT_GT(hold(mesh, 3, "a").counter, 50U);
  EXPECT_GT(hold(mesh, 3, "b").counter, 50U);
}

// The token of "b", when its peer is gone.
std::uint64_t alone_after(LoneTable& lone, const LockMessage& heard) {
  EXPECT_TRUE(lone.receive(two, heard));
  lone.abandon("a");
  lone.table.disconnected(two, lone.now, lone.actions);
  (void)lone.take_actions();
  lone.acquire("b");
  return std::get<KeyGranted>(lone.actions.at(0)).token.counter;
}

TEST(LockTableForgetting, a_question_that_a_full_table_could_not_remember_counts_too) {
  LoneTable lone{{.self = one, .peers = {two}, .keys = 1}};
  lone.acquire("a");  // the table is full
  EXPECT_EQ(alone_after(lone, question("b", 1, {7, two})), 8U);
}

TEST(LockTableForgetting, the_lock_of_a_server_is_asked_for_a_token_above_the_floor) {
  for (const auto* strategy :
       {"redis", "redlock", "etcd", "zookeeper", "postgres", "kubernetes-lease"}) {
    LockTable table{{.strategy = strategy, .self = MasterId{1}, .idle = seconds{30}},
                    start_of_time};
    TableActions actions;
    const auto acquire_of = [&](const std::string& key, Duration after) {
      actions.clear();
      table.acquire(GroupKey{key}, start_of_time + after, actions);
      return std::get<OrderEngine>(actions.at(0)).order;
    };
    const auto first = acquire_of("a", {});
    EXPECT_EQ(first.floor, 0U);
    const EngineReply granted{first.round, Granted{{7, MasterId{1}}, {}, false}};
    table.engine_said(GroupKey{"a"}, granted, start_of_time, actions);
    table.release(GroupKey{"a"}, {9, MasterId{1}}, {}, start_of_time, actions);
    table.tick(start_of_time + seconds{31}, actions);
    EXPECT_TRUE(table.status(1).empty());
    const auto second = acquire_of("a", seconds{40});
    EXPECT_EQ(second.floor, 9U) << strategy;
    EXPECT_EQ(second.token, FencingToken{}) << "what is known of this key alone";
    EXPECT_EQ(acquire_of("b", seconds{40}).floor, 9U) << strategy;
  }
}

TEST(LockTableForgetting, the_last_counter_there_is_does_not_wrap) {
  LoneTable lone{{.self = one, .peers = {two}}};
  EXPECT_EQ(alone_after(lone, question("b", 1, {largest_counter, two})), largest_counter);
}

}  // namespace
}  // namespace fixkeep::lock
