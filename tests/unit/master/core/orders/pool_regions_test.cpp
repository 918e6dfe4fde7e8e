// Where the holder of a pool's lock has rooms made, if the rules of the pool have regions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/master/core/orders/pool_holder.hpp"

namespace fixkeep::master {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct PoolRegionsTest : PoolHolder {
  PoolRegionsTest() {
    auto of_two_regions = *rules;
    of_two_regions.latency = plan::LatencyRule{{"eu", "us"}, {{Duration{0}, 80}}};
    rules = std::make_shared<plan::Rules>(std::move(of_two_regions));
    zone = ZoneName{"us"};
  }

  void ask(const std::string& player, const std::string& ways) {
    MatchRequested request{TicketId{++tickets},
                           battle,
                           duel,
                           3,
                           {PlayerId{player}, {}, {}, "0 1500 " + ways},
                           now + std::chrono::minutes{10}};
    request.rules = rules;
    core.step(std::move(request), now, actions);
  }
  void decide(std::vector<wire::RoomInfo> rooms = {}) {
    grant();
    lend({});
    promise(std::move(rooms));
  }
};

TEST_F(PoolRegionsTest, a_room_is_made_where_all_of_its_players_are_near_and_knows_no_way) {
  connect();
  for (const char* player : {"ann", "bob", "cid"}) ask(player, "20 70");
  decide();
  const auto orders = to_worker<wire::SpawnRoom>();
  ASSERT_THAT(orders, SizeIs(1)) << "eu is nearer, and has no worker";
  std::vector<std::string> brought;
  for (const wire::Claim& claim : orders[0].claims) brought.push_back(claim.brings);
  EXPECT_THAT(brought, Each("0 1500"));
}

TEST_F(PoolRegionsTest, no_room_is_made_far_away) {
  connect();
  for (const char* player : {"ann", "bob", "cid"}) ask(player, "20 90");
  decide();
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), IsEmpty());
  forget_sent();
  pass(Duration{1});  // a pool has one hold in a batch
  for (const char* player : {"dan", "eve", "fay"}) ask(player, "- 80");
  grant({8, self});
  lend({}, {8, self});
  promise();
  ASSERT_THAT(to_worker<wire::SpawnRoom>(), SizeIs(1));
  EXPECT_THAT(players(to_worker<wire::SpawnRoom>()[0].claims), ElementsAre("dan", "eve", "fay"));
}

TEST_F(PoolRegionsTest, the_free_seat_of_a_room_is_for_somebody_who_is_near_it) {
  connect({room(1, {{"x", "0 1500"}, {"y", "0 1500"}})});
  ask("ann", "20 90");
  ask("bob", "90 20");
  decide({room(1, {{"x", "0 1500"}, {"y", "0 1500"}})});
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_THAT(players(asked[0].claims), ElementsAre("bob"));
}

TEST_F(PoolRegionsTest, a_claim_is_told_of_the_region_in_which_no_room_can_be_made) {
  connect();
  ask("ann", "20 -");
  grant();
  wire::LentClaim bob = lent(70, "bob", 1500);
  bob.claim.brings = "0 1500 30 70";
  bob.asked = true;
  lend({bob});
  promise();
  const auto closed = to_peer<wire::CloseLoan>(m2);
  ASSERT_THAT(closed, SizeIs(1));
  ASSERT_THAT(closed[0].explained, SizeIs(1));
  EXPECT_EQ(closed[0].explained[0].regions_full, 0b01U) << "eu has no worker";
  EXPECT_EQ(closed[0].explained[0].meets, 0U);
}

TEST_F(PoolRegionsTest, a_room_in_no_region_of_the_rules_takes_nobody) {
  zone = ZoneName{"mars"};
  connect({room(1, {{"x", "0 1500"}})});
  ask("ann", "20 20");
  decide({room(1, {{"x", "0 1500"}})});
  EXPECT_THAT(to_worker<wire::SeatRequest>(), IsEmpty());
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), IsEmpty());
}

}  // namespace
}  // namespace fixkeep::master
