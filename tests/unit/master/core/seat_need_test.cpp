// Which claims need another room, as a whole master shows it.
#include <gtest/gtest.h>

#include "master/core/group_table.hpp"
#include "master/core/seat_need.hpp"
#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;

TEST(SeatNeed, claims_that_cannot_fit_the_rooms_that_are_asked_are_ordered_for_at_once) {
  LoneMaster master;
  master.capacity = 2;
  master.connect("w1", 5, 10, {open_room(1, 2)});
  master.match(1);
  master.match(2);  // may fit when the first one has its answer
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.match(3);
  ASSERT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  const auto& claims = std::get<wire::SpawnRoom>(orders[0].message).claims;
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].player, PlayerId{"p3"});
}

TEST(SeatNeed, spare_seats_of_an_unanswered_order_keep_claims_from_the_lock) {
  LoneMaster master;
  master.capacity = 2;
  master.connect("w1", 5);
  master.match(1);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  master.lose_lock();
  master.match(2);
  master.pass(milliseconds{300});
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);  // that of the first claim
  master.accept(orders[0], 1);
  EXPECT_EQ(master.take<wire::SeatRequest>().size(), 1U);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
}

TEST(SeatNeed, a_party_needs_its_seats_in_one_room) {
  GroupTable groups{HoldOptions{}};
  Claims claims{groups};
  Questions questions;
  const SeatNeed need{claims, questions};
  Group& group = groups.find_or_make(GroupKey{"g"});
  EXPECT_FALSE(need.any(group));
  for (const std::uint32_t left : {2U, 1U}) {
    SeatQuestion question;
    question.seats_left = left;
    (void)questions.put({&group, WorkerId{"w1"}, question}, TimePoint{});
  }
  const ClaimNumber one = claims.add(group, {PlayerId{"p1"}, {}});
  const ClaimNumber party = claims.add(group, {PlayerId{"p2"}, {PlayerId{"p3"}}});
  claims.enqueue(party);
  EXPECT_FALSE(need.any(group));
  claims.enqueue(one);  // before the party: it takes a seat of the larger room
  EXPECT_TRUE(need.any(group));
  EXPECT_EQ(need.claims(group), std::vector<ClaimNumber>{party});
  EXPECT_EQ(need.kept_back(group), (events::KeptBack{1, 1}));
}

}  // namespace
}  // namespace fixkeep::master
