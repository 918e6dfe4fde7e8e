#include "client-sim/judge/timeline.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;

const GroupKey one_group{"duel"};
const events::EventTime run_began{std::chrono::seconds{100}};

CreationId room_order(std::uint64_t number) {
  return {{number, MasterId{1}}, 0, Incarnation{1}};
}

events::Event ordered(int ms, const char* master, std::uint64_t room) {
  return {master, run_began + milliseconds{ms},
          events::RoomOrdered{WorkerId{"w1"}, room, one_group, room_order(room), 8, {1}}};
}

events::Event changed(int ms, std::uint64_t room, wire::RoomPhase phase) {
  const RoomId id{WorkerId{"w1"}, Incarnation{1}, RoomNumber{static_cast<std::uint32_t>(room)}};
  return {"w1", run_began + milliseconds{ms},
          events::RoomChanged{id, one_group, room_order(room), phase, 8, 1, 0}};
}

TEST(Timeline, has_the_true_times_of_each_room) {
  const std::vector<events::Event> seen{
      ordered(10, "m2", 1), changed(12, 1, wire::RoomPhase::starting),
      changed(300, 1, wire::RoomPhase::starting), changed(512, 1, wire::RoomPhase::open),
      changed(700, 1, wire::RoomPhase::closed)};
  const auto told = tell_timeline(seen, {}, {.began = run_began, .end_ms = 1000});
  ASSERT_EQ(told.rooms.size(), 1U);
  const auto& room = told.rooms.front();
  EXPECT_EQ(room.master, "m2");
  EXPECT_EQ(room.ordered_ms, 10);
  EXPECT_EQ(room.starting_ms, 12);
  EXPECT_EQ(room.open_ms, 512);
  EXPECT_EQ(room.closed_ms, 700);
  EXPECT_FALSE(room.collided);
  EXPECT_EQ(told.curve, (std::vector<CurvePoint>{{0, 0}, {12, 1}, {700, 0}}));
}

TEST(Timeline, ends_with_the_run) {
  const auto told = tell_timeline({ordered(10, "m1", 1), changed(12, 1, wire::RoomPhase::starting),
                                   changed(2000, 1, wire::RoomPhase::closed)},
                                  {}, {.began = run_began, .end_ms = 1000});
  EXPECT_EQ(told.rooms.front().closed_ms, never);
  EXPECT_EQ(told.rooms.front().open_ms, never);
  EXPECT_EQ(told.curve.back(), (CurvePoint{12, 1}));
}

TEST(Timeline, tells_which_rooms_came_from_collisions) {
  const std::vector<events::Event> seen{ordered(10, "m1", 1), ordered(11, "m2", 2),
                                        changed(12, 1, wire::RoomPhase::starting),
                                        changed(13, 2, wire::RoomPhase::starting)};
  const auto bill = find_collisions(seen);
  ASSERT_EQ(bill.collisions.size(), 1U);
  const auto told = tell_timeline(seen, bill, {.began = run_began, .end_ms = 1000});
  ASSERT_EQ(told.rooms.size(), 2U);
  EXPECT_FALSE(told.rooms[0].collided);
  EXPECT_TRUE(told.rooms[1].collided);
  EXPECT_EQ(told.rooms[1].other, room_order(1));
}

TEST(Timeline, counts_rooms_that_are_there_already_from_the_beginning) {
  const auto told = tell_timeline({changed(-50, 1, wire::RoomPhase::open)}, {},
                                  {.began = run_began, .end_ms = 1000});
  EXPECT_EQ(told.curve, (std::vector<CurvePoint>{{0, 1}}));
  EXPECT_EQ(told.rooms.front().master, "") << "nobody listened when it was ordered";
}

}  // namespace
}  // namespace fixkeep::client_sim
