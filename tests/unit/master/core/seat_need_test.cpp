// Which claims need another room, as a whole master shows it.
#include <gtest/gtest.h>

#include "master/core/group_table.hpp"
#include "master/core/seat_need.hpp"
#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;

// News of room 1 of w1: who got a seat in it, and whose seat is free again.
void seats_change(LoneMaster& master, const std::vector<PlayerHash>& seated,
                  const std::vector<PlayerHash>& left) {
  wire::RoomsChanged news;
  news.headroom = 10;
  news.newest_room = RoomNumber{1};
  news.changed.push_back({RoomNumber{1}, wire::RoomPhase::open, {}, 0, seated, left});
  master.say("w1", news);
}

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

// At a distance, a seat comes free while the room is asked more often than not.
TEST(SeatNeed, a_seat_that_came_free_while_its_room_is_asked_counts) {
  LoneMaster master;
  master.capacity = 2;
  wire::RoomInfo room = open_room(1, 2);
  const PlayerHash other = hash_of(PlayerId{"other"});
  room.players = {other};
  master.connect("w1", 5, 10, {room});
  master.match(1);
  EXPECT_EQ(master.take<wire::SeatRequest>().size(), 1U);
  seats_change(master, {}, {other});
  master.match(2);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  seats_change(master, {other}, {});
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U) << "it is taken again, by somebody else";
}

// Its player had asked two masters, and the other one was quicker.
TEST(SeatNeed, a_claim_takes_no_seat_where_its_player_sits_already) {
  LoneMaster master;
  master.capacity = 2;
  master.connect("w1", 5, 10, {open_room(1, 2)});
  master.match(1);
  EXPECT_EQ(master.take<wire::SeatRequest>().size(), 1U);
  seats_change(master, {hash_of(PlayerId{"p1"})}, {});
  master.match(2);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U) << "one seat is taken, by p1";
  master.match(3);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
}

TEST(SeatNeed, a_claim_that_was_given_up_takes_no_seat) {
  LoneMaster master;
  master.capacity = 2;
  master.connect("w1", 5, 10, {open_room(1, 2)});
  master.match(1);
  EXPECT_EQ(master.take<wire::SeatRequest>().size(), 1U);
  master.cancel(1);
  master.match(2);
  master.match(3);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.match(4);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
}

TEST(SeatNeed, a_room_that_drains_while_it_is_asked_has_no_seats) {
  LoneMaster master;
  master.capacity = 2;
  master.connect("w1", 5, 10, {open_room(1, 2)});
  master.match(1);
  master.match(2);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.room("w1", 1, wire::RoomPhase::draining);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
}

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
    ASSERT_TRUE(directory.put(worker, open_room(3 - seats, seats + 1)));
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
