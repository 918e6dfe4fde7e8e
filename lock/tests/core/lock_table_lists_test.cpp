// Lists of masters in the table: the messages, the fences of all masters and the waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StrEq;

struct LockTableLists : testing::TestWithParam<std::string> {
  // Every master has had the lock once. None owes a fence.
  LockTableLists() {
    for (const int master : {1, 2, 3}) hold_once(master);
    (void)mesh.take_news();
  }
  void hold_once(int master) { mesh.hold(master, "a"); }
  // The holder's grant as it was told.
  std::string grant_of(int master) {
    hold_once(master);
    const auto news = mesh.take_news();
    return news.empty() ? "nothing" : news.front();
  }

  TableMesh mesh{3, {.strategy = GetParam()}};
};

TEST_P(LockTableLists, that_differ_make_every_holder_fence_until_they_do_not) {
  EXPECT_THAT(grant_of(1), StrEq("1 granted a"));
  mesh.list(1, {two, three, four});
  mesh.deliver_all();
  for (const int master : {2, 3, 2, 3}) {
    EXPECT_THAT(grant_of(master), StrEq(std::to_string(master) + " granted a fence"));
  }
  mesh.list(1, {two, three});
  mesh.deliver_all();
  for (const int master : {2, 3, 1}) (void)grant_of(master);  // the mesh has changed once more
  for (const int master : {2, 3, 1}) {
    EXPECT_THAT(grant_of(master), StrEq(std::to_string(master) + " granted a"));
  }
}

TEST_P(LockTableLists, let_a_master_go_for_whose_answer_the_others_wait) {
  mesh.take(3, "a");
  EXPECT_THAT(mesh.take_news(), ElementsAre("3 granted a"));
  mesh.acquire(1, "a");
  mesh.list(1, {two});
  mesh.list(2, {one});
  mesh.deliver_all();
  mesh.pass(std::chrono::seconds{8});  // that of a coordinator's leases included
  EXPECT_THAT(mesh.take_news(), testing::Contains("1 granted a fence"));
  EXPECT_FALSE(mesh.table(1).up(three));
}

TEST_P(LockTableLists, keep_waiting_for_a_master_that_has_just_started_only_while_it_is_listed) {
  TableMesh young{3, {.strategy = GetParam()}, false};
  young.acquire(1, "a");
  young.connect(1, 2);
  young.deliver_all();
  EXPECT_THAT(young.take_news(), IsEmpty());
  young.list(1, {two});
  young.deliver_all();
  EXPECT_TRUE(young.table(1).joined());
  EXPECT_THAT(young.take_news(), testing::Contains("1 granted a fence"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, LockTableLists,
    testing::ValuesIn(mesh_locks_without({"maekawa", "tree-quorum", "coordinator"})), lock_of);

TEST(LockTableList, of_a_peer_that_leaves_is_forgotten) {
  TableMesh mesh{3};
  EXPECT_EQ(mesh.table(1).list_refusal({two, three, four}), std::nullopt);
  mesh.list(2, {one});
  mesh.deliver_all();
  EXPECT_EQ(mesh.table(1).list_refusal({two, three, four}), (ListRefusal{ListFault::differs, two}));
  mesh.disconnect(1, 2);
  EXPECT_EQ(mesh.table(1).list_refusal({two, three, four}), (ListRefusal{ListFault::away, two}));
  mesh.connect(1, 2);
  mesh.deliver_all();
  EXPECT_EQ(mesh.table(1).list_refusal({two, three, four}), (ListRefusal{ListFault::differs, two}))
      << "its Hello says it too";
}

}  // namespace
}  // namespace fixkeep::lock
