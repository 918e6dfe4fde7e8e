// Asking rooms under the lock, and what becomes of seats that are reserved in a room that goes.
#include "master/core/seating.hpp"

#include <gtest/gtest.h>

#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

wire::RoomInfo open_room(std::uint32_t number) {
  wire::RoomInfo room;
  room.number = RoomNumber{number};
  room.group = GroupKey{"g"};
  room.mode = ModeName{"duel"};
  room.phase = wire::RoomPhase::open;
  room.capacity = 1;
  return room;
}

// Answers the one SeatRequest that is out: no seats. Before that the other one of two rooms has
// news, so that it is believed to have a seat.
void deny(LoneMaster& master) {
  const auto asked = master.take<wire::SeatRequest>();
  ASSERT_EQ(asked.size(), 1U);
  const auto& request = std::get<wire::SeatRequest>(asked.front().message);
  master.room("w", 3U - request.room.number(), wire::RoomPhase::open);
  wire::SeatReply reply;
  reply.request = request.request;
  reply.room = request.room;
  reply.phase = wire::RoomPhase::open;
  master.say("w", reply);
}

TEST(Seating, a_holder_asks_a_bounded_number_of_times_and_orders_nothing_while_there_are_seats) {
  LoneMaster master;
  master.connect("w", 1, 10, {open_room(1)});
  master.match(1);
  const auto asked = master.take<wire::SeatRequest>();
  ASSERT_EQ(asked.size(), 1U);
  wire::SeatReply reply;
  reply.request = std::get<wire::SeatRequest>(asked.front().message).request;
  reply.room = RoomNumber{1};
  reply.phase = wire::RoomPhase::open;
  master.say("w", reply);
  ASSERT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.grant();
  wire::RoomsChanged news;
  news.headroom = 10;
  news.opened.push_back(open_room(2));
  master.say("w", news);
  // The first wave went out with the grant, before the last look began.
  for (std::uint32_t wave = 0; wave <= Hold::most_tries; ++wave) {
    EXPECT_FALSE(master.given_back());
    ASSERT_NO_FATAL_FAILURE(deny(master));
  }
  EXPECT_TRUE(master.given_back());
  EXPECT_TRUE(master.orders().empty());
}

// While room 1 is asked for p1, room 2 gets full, with p1 in it by another master.
void seat_elsewhere_while_asked(LoneMaster& master) {
  master.capacity = 1;
  master.connect("w", 1, 10, {open_room(1)});
  master.match(1);
  const auto asked = master.take<wire::SeatRequest>();
  ASSERT_EQ(asked.size(), 1U);
  wire::RoomsChanged news;
  news.headroom = 10;
  news.opened.push_back(open_room(2));
  news.opened.back().players = {hash_of(PlayerId{"p1"})};
  master.say("w", news);
  wire::SeatReply reply;
  reply.request = std::get<wire::SeatRequest>(asked.front().message).request;
  reply.room = RoomNumber{1};
  reply.phase = wire::RoomPhase::open;
  master.say("w", reply);
}

TEST(Seating, a_player_who_got_a_seat_while_another_room_was_asked_needs_no_new_room) {
  LoneMaster master;
  ASSERT_NO_FATAL_FAILURE(seat_elsewhere_while_asked(master));
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  const auto asked = master.take<wire::SeatRequest>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(std::get<wire::SeatRequest>(asked.front().message).room, RoomNumber{2});
}

TEST(Seating, seats_in_a_room_that_drains_before_it_opened_are_given_back) {
  LoneMaster master;
  master.connect("w", 1);
  master.match(1);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  master.accept(orders.front(), 1);
  EXPECT_TRUE(master.take<wire::ReleaseSeats>().empty());
  master.room("w", 1, wire::RoomPhase::draining);
  EXPECT_EQ(master.take<wire::ReleaseSeats>().size(), 1U);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 2U);  // the claim waits for another room
}

}  // namespace
}  // namespace fixkeep::master
