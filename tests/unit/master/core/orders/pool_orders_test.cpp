// What the holder of a pool's lock gathers, and what it decides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/master/core/orders/pool_holder.hpp"

namespace fixkeep::master {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using std::chrono::milliseconds;
using std::chrono::seconds;

struct PoolOrdersTest : PoolHolder {};

// --- gathering -----------------------------------------------------------------------------------

TEST_F(PoolOrdersTest, orders_one_room_for_the_claims_of_all_masters_after_a_fence_of_its_own) {
  const wire::SpawnRoom order = ordered_for_three();
  EXPECT_THAT(to_peer<wire::Gather>(m2), ElementsAre(wire::Gather{battle, our_hold}));
  EXPECT_THAT(players(order.claims), UnorderedElementsAre("ann", "bob", "cid"));
  EXPECT_EQ(order.creation.token, our_hold);
  EXPECT_EQ(order.basis, our_hold);
}

TEST_F(PoolOrdersTest, asks_every_master_that_it_is_linked_to_and_waits_for_each) {
  core.step(PeerConnected{m3}, now, actions);
  connect();
  match("ann", 1500);
  grant();
  EXPECT_THAT(to_peer<wire::Gather>(m2), SizeIs(1));
  EXPECT_THAT(to_peer<wire::Gather>(m3), SizeIs(1));
  lend({});
  EXPECT_THAT(to_worker<wire::PrepareSpawn>(), IsEmpty());
  lend({lent(1, "bob", 1500), lent(2, "cid", 1500)}, our_hold, m3);
  promise();
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), SizeIs(1));
}

TEST_F(PoolOrdersTest, waits_for_a_master_no_longer_than_its_patience) {
  connect();
  match("ann", 1500);
  match("bob", 1500);
  match("cid", 1500);
  grant();
  pass(PoolOrders::patience - milliseconds{1});
  EXPECT_THAT(to_worker<wire::PrepareSpawn>(), IsEmpty());
  pass(milliseconds{1});
  promise();
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), SizeIs(1));
  lend({lent(1, "dan", 1500)});
  EXPECT_FALSE(closed_link(m2)) << "it is late, and no liar";
  start(to_worker<wire::SpawnRoom>().front());
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2),
              ElementsAre(wire::CloseLoan{battle, our_hold, {}, true}))
      << "dan is to be decided for soon";
}

TEST_F(PoolOrdersTest, closes_the_link_of_a_master_whose_parts_contradict_the_protocol) {
  connect();
  match("ann", 1500);
  grant();
  say(m2, wire::ClaimsPart{battle, our_hold, 1, true, {}});  // the second part comes first
  EXPECT_TRUE(closed_link(m2));
}

TEST_F(PoolOrdersTest, ignores_the_answer_to_an_earlier_hold) {
  connect();
  match("ann", 1500);
  match("bob", 1500);
  grant();
  lend({lent(1, "cid", 1500)}, {6, self});
  EXPECT_FALSE(closed_link(m2));
  EXPECT_THAT(to_worker<wire::PrepareSpawn>(), IsEmpty()) << "m2 has not answered this one";
  lend({});
  promise();
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), IsEmpty()) << "two do not make a room";
}

TEST_F(PoolOrdersTest, leaves_out_a_claim_whose_rules_are_others) {
  connect();
  match("ann", 1500);
  match("bob", 1500);
  grant();
  wire::LentClaim odd = lent(1, "cid", 1500);
  odd.claim.brings = "0 1500 7";
  lend({odd});
  promise();
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), IsEmpty());
  EXPECT_FALSE(closed_link(m2));
}

TEST_F(PoolOrdersTest, does_not_wait_for_a_master_whose_link_breaks) {
  connect();
  match("ann", 1500);
  grant();
  core.step(PeerDisconnected{m2}, now, actions);
  promise();
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2), IsEmpty());
  EXPECT_TRUE(asked_lock<ReleaseLock>());
}

TEST_F(PoolOrdersTest, decides_for_nobody_of_a_master_whose_link_has_broken_since_it_answered) {
  connect();
  match("ann", 1500);
  grant();
  lend({lent(1, "bob", 1500), lent(2, "cid", 1500)});
  core.step(PeerDisconnected{m2}, now, actions);
  promise();
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), IsEmpty());
}

// --- deciding ------------------------------------------------------------------------------------

TEST_F(PoolOrdersTest, asks_for_seats_with_the_fence_that_it_builds_on) {
  connect({room(3, {{"eve", brings(1500)}})});
  match("ann", 1510);
  grant();
  lend({lent(1, "bob", 1520)});
  promise({room(3, {{"eve", brings(1500)}})});
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].basis, our_hold);
  EXPECT_THAT(players(asked[0].claims), UnorderedElementsAre("ann", "bob"));
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), IsEmpty());
}

TEST_F(PoolOrdersTest, asks_once_more_where_a_player_sits_whose_seat_could_not_be_told) {
  connect();
  match("ann", 1500);
  grant();
  lend({lent(1, "bob", 9000)});
  promise({room(3, {{"bob", brings(9000)}})});
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_THAT(players(asked[0].claims), ElementsAre("bob")) << "ann is too far from bob";
  seat(asked[0], {0});
  EXPECT_THAT(to_peer<wire::ClaimsSeated>(m2), SizeIs(1));
}

TEST_F(PoolOrdersTest, asks_for_a_seat_that_is_there_in_its_team) {
  auto with_teams = std::make_shared<plan::Rules>(*rules);
  with_teams->teams = plan::TeamRule{.count = 3, .size = 1, .number = std::nullopt};
  with_teams->size.least = 3;
  rules = std::move(with_teams);
  connect();
  match("ann", 1500);
  grant();
  lend({lent(1, "bob", 9000)});
  promise({room(3, {{"bob", "2 9000"}})});
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].claims.at(0).brings, "2 9000");
}

TEST_F(PoolOrdersTest, counts_a_player_who_waits_at_two_masters_once) {
  connect();
  match("ann", 1500);
  match("bob", 1500);
  grant();
  lend({lent(1, "ann", 1500)});
  promise();
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), IsEmpty()) << "they are two, and not three";
}

TEST_F(PoolOrdersTest, plans_for_the_oldest_of_a_players_claims_whichever_master_it_waits_at) {
  connect();
  match("ann", 1500);
  match("eve", 1500);
  pass(seconds{1});
  grant();
  wire::LentClaim party = lent(1, "bob", 1500);
  party.claim.party = {PlayerId{"ann"}, PlayerId{"cid"}};
  party.waited = seconds{5};
  lend({party});
  promise();
  const auto orders = to_worker<wire::SpawnRoom>();
  ASSERT_THAT(orders, SizeIs(1)) << "ann alone has waited for less long, and would have no third";
  EXPECT_THAT(players(orders[0].claims), ElementsAre("bob"));
}

TEST_F(PoolOrdersTest, keeps_nobody_for_a_claim_that_waits_for_another_one_of_its_player) {
  connect();
  match("ann", 1500);
  match("bob", 1500);
  pass(seconds{1});
  match("cid", 1500);
  grant();
  wire::LentClaim pair = lent(1, "cid", 1500);
  pair.claim.party = {PlayerId{"ann"}};
  pair.waited = milliseconds{500};
  lend({pair});
  promise();
  const auto orders = to_worker<wire::SpawnRoom>();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_THAT(players(orders[0].claims), UnorderedElementsAre("ann", "bob", "cid"));
}

TEST_F(PoolOrdersTest, puts_nobody_beside_a_player_of_whom_it_does_not_know_what_it_has_brought) {
  connect({room(3, {{"eve", ""}})});
  match("ann", 1500);
  grant();
  lend({});
  promise({room(3, {{"eve", ""}})});
  EXPECT_THAT(to_worker<wire::SeatRequest>(), IsEmpty());
}

TEST_F(PoolOrdersTest, tells_a_master_which_of_its_claims_were_passed_over) {
  connect();
  match("ann", 1000);
  now += seconds{2};
  match("bob", 1000);
  match("cid", 1005);
  grant();
  // Dan is older than bob and cid and could stand in place of either, who are nearer to ann.
  wire::LentClaim dan = lent(1, "dan", 1040);
  dan.waited = seconds{1};
  lend({dan});
  promise();
  const auto orders = to_worker<wire::SpawnRoom>();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_THAT(players(orders[0].claims), UnorderedElementsAre("ann", "bob", "cid"));
  start(orders[0]);
  const auto closed = to_peer<wire::CloseLoan>(m2);
  ASSERT_THAT(closed, SizeIs(1));
  EXPECT_THAT(closed[0].passed, ElementsAre(1));
  EXPECT_FALSE(closed[0].again);
}

struct LonePoolOrders : PoolHolder {
  LonePoolOrders() : PoolHolder(true) {}
};

TEST_F(LonePoolOrders, gather_from_themselves_where_no_lock_keeps_masters_apart) {
  connect();
  for (const char* player : {"ann", "bob", "cid"}) match(player, 1500);
  grant();
  EXPECT_THAT(to_peer<wire::Gather>(m2), IsEmpty());
  promise();
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), SizeIs(1));
}

}  // namespace
}  // namespace fixkeep::master
