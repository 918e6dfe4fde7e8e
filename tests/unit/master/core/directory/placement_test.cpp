#include "master/core/directory/placement.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "master/core/directory/directory.hpp"

namespace fixkeep::master {
namespace {

RoomId room(std::uint32_t number) {
  return {WorkerId{"w"}, Incarnation{1}, RoomNumber{number}};
}

TEST(Placement, roomiest_gives_the_emptiest_and_breaks_ties_by_id) {
  AskableRooms rooms{Placement::roomiest};
  rooms.insert(room(3), 5);
  rooms.insert(room(2), 5);
  rooms.insert(room(1), 2);
  EXPECT_EQ(*rooms.first_with(1), room(2));
  EXPECT_EQ(rooms.first_with(6), nullptr);
}

TEST(Placement, fullest_gives_the_fullest_that_still_fits) {
  AskableRooms rooms{Placement::fullest};
  rooms.insert(room(3), 5);
  rooms.insert(room(1), 2);
  EXPECT_EQ(*rooms.first_with(1), room(1));
  EXPECT_EQ(*rooms.first_with(3), room(3));
  rooms.erase(room(3), 5);
  EXPECT_EQ(rooms.first_with(3), nullptr);
}

TEST(Directory, a_hint_is_believed_only_for_rooms_newer_than_the_workers_own_news) {
  Directory directory{Placement::roomiest};
  const GroupKey group{"g"};
  directory.connect(WorkerId{"w"}, Incarnation{1});
  wire::WorkerState state;
  state.newest_room = RoomNumber{4};
  directory.introduce(WorkerId{"w"}, state);
  EXPECT_FALSE(directory.hint(group, {room(4), ModeName{"m"}, 8, 3}));
  EXPECT_TRUE(directory.hint(group, {room(5), ModeName{"m"}, 8, 3}));
  ASSERT_NE(directory.next_room(group, 3), nullptr);
  EXPECT_TRUE(directory.overtaken_hints(WorkerId{"w"}).empty());
  directory.set_newest_room(WorkerId{"w"}, RoomNumber{5});
  EXPECT_EQ(directory.overtaken_hints(WorkerId{"w"}).size(), 1U);
  EXPECT_TRUE(directory.overtaken_hints(WorkerId{"nobody"}).empty());
}

wire::RoomInfo open_room() {
  wire::RoomInfo info;
  info.number = RoomNumber{1};
  info.group = GroupKey{"g"};
  info.capacity = 4;
  info.phase = wire::RoomPhase::open;
  info.place = wire::at_port(20'000);
  return info;
}

TEST(Directory, a_denial_caps_the_belief_until_the_next_news) {
  Directory directory{Placement::roomiest};
  directory.connect(WorkerId{"w"}, Incarnation{1});
  ASSERT_TRUE(directory.put(WorkerId{"w"}, open_room()));
  directory.denied(room(1), 2);
  EXPECT_EQ(directory.find(room(1))->free(), 1U);
  wire::RoomChange change;
  change.phase = wire::RoomPhase::open;
  change.seated = {PlayerId{"7"}};
  directory.change(room(1), change);
  EXPECT_EQ(directory.find(room(1))->free(), 3U);
  std::vector<RoomId> seats;
  directory.each_seat(PlayerId{"7"}, [&](const Room& each) { seats.push_back(each.id); });
  EXPECT_EQ(seats, std::vector<RoomId>{room(1)});
  directory.disconnect(WorkerId{"w"});
  EXPECT_TRUE(directory.rooms_of(GroupKey{"g"}).empty());
}

// The hashes of these two are the same without a key.
TEST(Directory, tells_seated_players_apart_whose_hashes_are_the_same) {
  const PlayerId one{"b53176d71516c200"};
  const PlayerId other{"2ef2eea536a476b1"};
  ASSERT_EQ(PlayerHasher{}(one), PlayerHasher{}(other));
  Directory directory{Placement::roomiest};
  directory.connect(WorkerId{"w"}, Incarnation{1});
  wire::RoomInfo info = open_room();
  info.players = {one, one};
  ASSERT_TRUE(directory.put(WorkerId{"w"}, info));
  const auto seats_of = [&](const PlayerId& player) {
    std::size_t seats = 0;
    directory.each_seat(player, [&](const Room&) { ++seats; });
    EXPECT_EQ(directory.most_seats({.player = player}), seats);
    EXPECT_EQ(directory.has_seat(*directory.find(room(1)), player), seats > 0);
    return seats;
  };
  EXPECT_EQ(seats_of(one), 1U);
  EXPECT_EQ(seats_of(other), 0U);
  wire::RoomChange change;
  change.phase = wire::RoomPhase::open;
  change.seated = {other};
  directory.change(room(1), change);
  EXPECT_EQ(seats_of(other), 1U);
  EXPECT_EQ(directory.find(room(1))->free(), 2U);
  change.seated.clear();
  change.left = {other};
  directory.change(room(1), change);
  EXPECT_EQ(seats_of(one), 1U);
  EXPECT_EQ(seats_of(other), 0U);
  EXPECT_EQ(directory.find(room(1))->free(), 3U);
  directory.remove(room(1));
  EXPECT_EQ(directory.most_seats({.player = one}), 0U);
}

TEST(ClosedOrders, remember_the_latest) {
  ClosedOrders closed;
  const auto order = [](std::size_t number) {
    return CreationId{{number, MasterId{2}}, 0, Incarnation{200}};
  };
  const GroupKey group{"g"};
  for (int twice = 0; twice < 2; ++twice) {
    for (std::size_t i = 0; i < ClosedOrders::most; ++i) closed.add(group, order(i));
  }
  EXPECT_TRUE(closed.contains(group, order(0)));
  closed.add(group, order(ClosedOrders::most));
  EXPECT_FALSE(closed.contains(group, order(0)));
  EXPECT_TRUE(closed.contains(group, order(1)));
  EXPECT_TRUE(closed.contains(group, order(ClosedOrders::most)));
  EXPECT_FALSE(closed.contains(GroupKey{"h"}, order(1))) << "their numbers are those of a group";
}

}  // namespace
}  // namespace fixkeep::master
