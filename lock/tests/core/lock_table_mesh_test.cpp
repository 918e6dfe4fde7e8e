// The mesh's side of the table: Hellos in parts, the join, the grace, peers that break the
// protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lock/core/limits.hpp"
#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

LockTable table_of_one(std::vector<MasterId> peers = {two, three}) {
  return LockTable{{.self = one, .peers = std::move(peers)}, start_of_time};
}

TEST(LockTableMesh, waits_for_the_hellos_of_all_configured_peers) {
  TableMesh mesh{3, {}, false};
  mesh.acquire(1, "a");
  EXPECT_FALSE(mesh.table(1).joined());
  mesh.connect(1, 2);
  mesh.deliver_all();
  EXPECT_TRUE(mesh.table(1).up(two));
  EXPECT_FALSE(mesh.table(1).joined());
  EXPECT_THAT(mesh.take_news(), IsEmpty());
  mesh.connect(1, 3);
  mesh.deliver_all();
  EXPECT_TRUE(mesh.table(1).joined());
  EXPECT_FALSE(mesh.table(2).joined());
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted a fence"));
}

TEST(LockTableMesh, goes_on_alone_after_the_grace) {
  TableMesh mesh{3, {.join_grace = seconds{5}, .wait = seconds{20}}, false};
  mesh.acquire(1, "a");
  EXPECT_EQ(mesh.table(1).next_tick(), start_of_time + seconds{5});
  mesh.pass(milliseconds{4'999});
  EXPECT_THAT(mesh.take_news(), IsEmpty());
  mesh.pass(milliseconds{1});
  EXPECT_TRUE(mesh.table(1).joined());
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted a fence"));
  mesh.acquire(2, "b");  // a key that is made after the grace does not wait either
  EXPECT_THAT(mesh.take_news(), ElementsAre("2 granted b fence"));
}

// Heard of, then gone, then a key, then the last one is heard of: nobody is left to wait for.
TEST(LockTableMesh, a_key_made_while_a_peer_is_away_waits_for_it_no_longer_than_the_grace) {
  auto table = table_of_one();
  TableActions actions;
  table.connected(two, {}, start_of_time, actions);
  ASSERT_TRUE(table.receive(two, MeshHello{}, start_of_time, actions));
  table.disconnected(two, start_of_time, actions);
  table.acquire(GroupKey{"a"}, start_of_time, actions);
  table.connected(three, {}, start_of_time, actions);
  ASSERT_TRUE(table.receive(three, MeshHello{}, start_of_time, actions));
  EXPECT_TRUE(table.joined());
  actions.clear();
  table.tick(start_of_time + seconds{5}, actions);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(sent(actions[0]).kind, 1U);
}

TEST(LockTableMesh, a_lost_peer_is_not_waited_for) {
  TableMesh mesh{2};
  mesh.acquire(1, "a");
  mesh.disconnect(1, 2);
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted a fence"));
  EXPECT_FALSE(mesh.table(1).up(two));
  EXPECT_TRUE(mesh.table(1).joined());
  mesh.connect(1, 2);
  mesh.deliver_all();
  mesh.acquire(2, "a");
  EXPECT_EQ(mesh.state(2, "a"), "lurking");  // the Hello said that 1 holds it
}

TEST(LockTableMesh, a_connection_replaces_the_one_before_it) {
  TableMesh mesh{2};
  mesh.acquire(1, "a");
  mesh.connect(1, 2);  // without a word about the old one
  mesh.deliver_all();
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted a fence"));
}

TEST(LockTableMesh, says_hello_in_parts_and_in_the_order_of_the_keys) {
  auto table = table_of_one({two});
  TableActions actions;
  table.tick(start_of_time + seconds{5}, actions);
  const std::size_t held = limits::outstanding + 1;
  for (std::size_t i = 0; i < held; ++i) {
    table.acquire(GroupKey{"key " + std::to_string(10'000 + i)}, start_of_time, actions);
  }
  actions.clear();
  table.connected(two, {WorkerId{"w1"}}, start_of_time, actions);
  ASSERT_EQ(actions.size(), 2U);
  const auto& first = std::get<MeshHello>(std::get<SendToPeer>(actions[0]).message);
  const auto& second = std::get<MeshHello>(std::get<SendToPeer>(actions[1]).message);
  EXPECT_EQ(first.outstanding.size(), limits::outstanding);
  EXPECT_FALSE(first.last);
  EXPECT_THAT(first.workers, ElementsAre(WorkerId{"w1"}));
  EXPECT_EQ(second.outstanding.size(), 1U);
  EXPECT_TRUE(second.last);
  EXPECT_EQ(first.outstanding.front().key.text(), "key 10000");
  EXPECT_EQ(second.outstanding.front().key.text(), "key " + std::to_string(9'999 + held));
}

TEST(LockTableMesh, a_peer_is_up_with_the_last_part_of_its_hello) {
  auto table = table_of_one({two});
  TableActions actions;
  table.connected(two, {}, start_of_time, actions);
  actions.clear();
  ASSERT_TRUE(table.receive(two, MeshHello{{question("a", 4)}, {}, false}, {}, actions));
  EXPECT_FALSE(table.up(two));
  EXPECT_THAT(actions, IsEmpty());
  ASSERT_TRUE(table.receive(two, MeshHello{{question("b", 9)}, {}, true}, {}, actions));
  EXPECT_TRUE(table.up(two));
  EXPECT_TRUE(table.joined());
  ASSERT_EQ(actions.size(), 2U);  // both questions are answered
  EXPECT_EQ(sent(actions[0]).round, 4U);
  EXPECT_EQ(sent(actions[1]).round, 9U);
  actions.clear();
  table.acquire(GroupKey{"a"}, start_of_time, actions);
  EXPECT_THAT(actions, IsEmpty());
  EXPECT_EQ(table.status(1).at(0).state, "lurking");
}

TEST(LockTableMesh, half_a_hello_is_forgotten_with_its_connection) {
  auto table = table_of_one({two});
  TableActions actions;
  table.connected(two, {}, start_of_time, actions);
  ASSERT_TRUE(table.receive(two, MeshHello{{question("a", 4)}, {}, false}, {}, actions));
  table.disconnected(two, start_of_time, actions);
  table.connected(two, {}, start_of_time, actions);
  actions.clear();
  ASSERT_TRUE(table.receive(two, MeshHello{}, {}, actions));
  EXPECT_THAT(actions, IsEmpty());
  EXPECT_THAT(table.status(9), IsEmpty());
}

TEST(LockTableMesh, refuses_what_breaks_the_protocol) {
  LoneTable lone{{.self = one, .peers = {two, three}}};
  lone.table.disconnected(two, lone.now, lone.actions);
  EXPECT_FALSE(lone.receive(two, MeshHello{}));       // not connected
  EXPECT_FALSE(lone.receive(two, question("a", 1)));  // not connected
  lone.table.connected(two, {}, lone.now, lone.actions);
  EXPECT_FALSE(lone.receive(two, question("a", 1)));  // before its Hello
  EXPECT_TRUE(lone.receive(two, MeshHello{}));
  EXPECT_FALSE(lone.receive(two, MeshHello{}));  // twice
  EXPECT_TRUE(lone.receive(two, question("a", 1)));
}

TEST(LockTableMesh, has_no_dealings_with_masters_that_are_not_configured) {
  auto table = table_of_one();
  TableActions actions;
  for (const auto stranger : {MasterId{9}, one, MasterId{}}) {
    table.connected(stranger, {}, start_of_time, actions);
    EXPECT_THAT(actions, IsEmpty());
    EXPECT_FALSE(table.receive(stranger, MeshHello{}, start_of_time, actions));
    table.disconnected(stranger, start_of_time, actions);
    EXPECT_FALSE(table.up(stranger));
  }
  EXPECT_FALSE(table.joined());
}

}  // namespace
}  // namespace fixkeep::lock
