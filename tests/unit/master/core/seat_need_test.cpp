#include "master/core/seat_need.hpp"

#include <gtest/gtest.h>

#include "master/core/group_table.hpp"

namespace fixkeep::master {
namespace {

TEST(SeatNeed, a_party_needs_its_seats_in_one_room) {
  GroupTable groups{HoldOptions{}};
  Claims claims{groups};
  Questions questions;
  Directory directory{Placement::roomiest};
  const SeatNeed need{claims, questions, directory};
  Group& group = groups.find_or_make(GroupKey{"g"});
  EXPECT_FALSE(need.any(group));
  const WorkerId worker{"w1"};
  directory.connect(worker, Incarnation{1});
  for (const std::uint32_t seats : {2U, 1U}) {
    wire::RoomInfo room;
    room.number = RoomNumber{3 - seats};
    room.group = group.key;
    room.phase = wire::RoomPhase::open;
    room.capacity = seats + 1;
    ASSERT_TRUE(directory.put(worker, room));
    SeatQuestion question;
    question.room = {worker, Incarnation{1}, RoomNumber{3 - seats}};
    question.seats = 1;
    (void)questions.put({&group, worker, question}, TimePoint{}, Duration{1});
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
