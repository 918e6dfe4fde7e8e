// A round as it is told by the events of masters and workers, in whatever order they are heard.
#include "client-sim/race/round_view.hpp"

#include <gtest/gtest.h>

#include "client-sim/race/state.hpp"

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t first_group = 24;
constexpr std::size_t round_groups = 2;
const GroupKey first{"duel/region=g24"};
const GroupKey second{"duel/region=g25"};

events::EventTime at(int ms) {
  return events::EventTime{milliseconds{ms}};
}

CreationId creation(std::uint16_t master) {
  return {{1, MasterId{master}}, 0, Incarnation{master}};
}

events::Event ordered(int ms, std::uint16_t master, const GroupKey& group = first) {
  return {to_string(MasterId{master}), at(ms),
          events::RoomOrdered{WorkerId{"w1"}, master, group, creation(master), 8, {1}}};
}

events::Event answered(int ms, std::uint16_t master, bool accepted) {
  return {to_string(MasterId{master}), at(ms),
          events::OrderAnswered{WorkerId{"w1"}, master, accepted}};
}

events::Event room(int ms, std::uint16_t master, wire::RoomPhase phase, std::uint32_t taken = 0,
                   std::uint32_t occupied = 0, const GroupKey& group = first) {
  const RoomId id{WorkerId{"w1"}, Incarnation{1}, RoomNumber{master}};
  return {"w1", at(ms),
          events::RoomChanged{id, group, creation(master), phase, 8, taken, occupied}};
}

TEST(RoundView, follows_a_room_from_its_order_to_its_end) {
  RoundView view{first_group, round_groups};
  view.add({ordered(0, 2, second)});
  ASSERT_EQ(view.rooms().size(), 1U);
  EXPECT_EQ(view.rooms()[0].lane, 1U);
  EXPECT_EQ(view.rooms()[0].master, 2);
  EXPECT_EQ(view.rooms()[0].worker, "w1");
  EXPECT_EQ(view.rooms()[0].stage, RoomStage::ordered);
  view.add({room(1, 2, wire::RoomPhase::starting, 3, 0, second)});
  EXPECT_EQ(view.rooms()[0].stage, RoomStage::booting);
  EXPECT_EQ(view.rooms()[0].taken, 3U);
  view.add({room(2, 2, wire::RoomPhase::open, 4, 2, second)});
  EXPECT_EQ(view.rooms()[0].stage, RoomStage::open);
  EXPECT_EQ(view.rooms()[0].occupied, 2U);
  EXPECT_FALSE(view.all_closed());
  view.add({room(3, 2, wire::RoomPhase::closed, 0, 0, second)});
  EXPECT_EQ(view.rooms().size(), 1U);
  EXPECT_TRUE(view.all_closed());
}

TEST(RoundView, does_not_care_which_node_is_heard_first) {
  RoundView view{first_group, round_groups};
  view.add({room(10, 1, wire::RoomPhase::open, 1, 1)});
  view.add({ordered(0, 1)});
  ASSERT_EQ(view.rooms().size(), 1U);
  EXPECT_EQ(view.rooms()[0].stage, RoomStage::open);
  EXPECT_EQ(view.rooms()[0].occupied, 1U);
}

TEST(RoundView, numbers_the_rooms_of_a_sweep_by_time) {
  RoundView view{first_group, round_groups};
  view.add({ordered(7, 1), ordered(5, 2), ordered(3, 3)});
  ASSERT_EQ(view.rooms().size(), 3U);
  EXPECT_EQ(view.rooms()[0].master, 3);
  EXPECT_EQ(view.rooms()[1].master, 2);
  EXPECT_EQ(view.rooms()[2].master, 1);
}

TEST(RoundView, drops_what_is_told_of_another_round) {
  RoundView view{first_group, round_groups};
  view.add({ordered(0, 1, GroupKey{"duel/region=g23"}), ordered(0, 1, GroupKey{"duel/region=g26"}),
            ordered(0, 1, GroupKey{"duel/region=eu"}), ordered(0, 1, GroupKey{})});
  EXPECT_TRUE(view.rooms().empty());
  EXPECT_EQ(view.rooms_made(), 0U);
}

TEST(RoundView, does_not_count_a_refused_order_until_it_is_sent_again) {
  RoundView view{first_group, round_groups};
  view.add({ordered(0, 1), answered(5, 1, false)});
  EXPECT_EQ(view.rooms_made(), 0U);
  EXPECT_TRUE(view.all_closed());
  view.add({ordered(6, 1), answered(9, 1, true)});
  EXPECT_EQ(view.rooms_made(), 1U);
  EXPECT_FALSE(view.all_closed());
}

// The order of m2 comes while the room of m1 has seven seats.
std::vector<events::Event> colliding_pair() {
  return {ordered(0, 1),
          room(10, 1, wire::RoomPhase::starting, 1),
          ordered(20, 2),
          room(30, 2, wire::RoomPhase::starting, 1),
          room(500, 1, wire::RoomPhase::open, 1, 1),
          room(530, 2, wire::RoomPhase::open, 1, 1)};
}

TEST(RoundView, finds_a_collision_once_all_is_told_and_not_before) {
  RoundView view{first_group, round_groups};
  view.add(colliding_pair());
  view.judge(at(15));
  EXPECT_EQ(view.cost().collisions, 0U) << "what others have done by then may not be told yet";
  view.judge(at(600));
  EXPECT_EQ(view.cost().collisions, 1U);
  EXPECT_FALSE(view.rooms()[0].collided);
  ASSERT_TRUE(view.rooms()[1].collided);
  EXPECT_EQ(view.rooms()[1].other, 0U);
  view.judge(at(700));
  EXPECT_EQ(view.cost().collisions, 1U) << "it is found again, and is one";
}

TEST(RoundView, goes_on_to_charge_while_nothing_happens) {
  RoundView view{first_group, round_groups};
  view.add(colliding_pair());
  view.judge(at(1030));
  EXPECT_NEAR(view.cost().wasted_room_seconds, 1.0, 1e-9) << "since the room is there: 30 ms";
  EXPECT_NEAR(view.cost().wasted_seat_seconds, 8.0, 1e-9);
  view.judge(at(2030));
  EXPECT_NEAR(view.cost().wasted_room_seconds, 2.0, 1e-9);
}

// In sweeps of any size, the collisions are those of all events at once.
TEST(RoundView, finds_the_same_however_the_events_are_cut_into_sweeps) {
  const auto told = colliding_pair();
  for (std::size_t cut = 0; cut <= told.size(); ++cut) {
    RoundView view{first_group, round_groups};
    const auto middle = told.begin() + static_cast<std::ptrdiff_t>(cut);
    view.add({told.begin(), middle});
    view.judge(cut == 0 ? at(0) : told[cut - 1].at);
    view.add({middle, told.end()});
    view.judge(at(600));
    EXPECT_EQ(view.cost().collisions, 1U) << cut;
    EXPECT_TRUE(view.rooms()[1].collided) << cut;
  }
}

TEST(RoundView, is_bounded_and_says_so) {
  RoundView view{first_group, round_groups};
  view.add(std::vector<events::Event>(RoundView::most_events, room(1, 1, wire::RoomPhase::open)));
  EXPECT_TRUE(view.complete());
  view.add({ordered(2, 2)});
  EXPECT_FALSE(view.complete());
  EXPECT_EQ(view.rooms_made(), 2U) << "rooms are shown all the same";
}

TEST(RaceState, is_what_the_page_reads) {
  RaceState state{.round = 4,
                  .stage = RaceStage::full,
                  .settings = {.groups = {true, false}},
                  .masters = 3,
                  .workers = 6,
                  .capacity = 8,
                  .group_players = 8,
                  .asked = {8, 0}};
  ContestantState none{.lock = "none"};
  none.rooms = {{.lane = 0, .master = 1, .worker = "w1", .stage = RoomStage::open, .capacity = 8},
                {.refused = true},
                {.lane = 0,
                 .master = 2,
                 .worker = "w2",
                 .capacity = 8,
                 .taken = 3,
                 .occupied = 2,
                 .collided = true,
                 .other = 0}};
  none.round = {
      .rooms = 2,
      .needed = 1,
      .asked = 8,
      .seated = 7,
      .cost = {.collisions = 1, .wasted_room_seconds = 1.26, .wasted_seat_seconds = 10.08}};
  none.total = none.round;
  none.total += none.round;
  none.match_p50_ms = 812.34;
  state.contestants = {none};
  EXPECT_EQ(
      to_json(state),
      R"({"round":4,"stage":"full","settings":{"link_delay_ms":20.0,"boot_ms":800,"rate":16.0,)"
      R"("spread_ms":60,"running":true,"groups":[true,false]},)"
      R"("ranges":{"link_delay_ms":{"least":0.0,"most":200.0},"boot_ms":{"least":0,"most":5000},)"
      R"("rate":{"least":1.0,"most":100.0},"spread_ms":{"least":0,"most":2000}},)"
      R"("masters":3,"workers":6,"capacity":8,"group_players":8,"asked":[8,0],)"
      R"("contestants":[{"lock":"none","match_p50_ms":812.3,)"
      R"("round":{"rooms":2,"needed":1,"collisions":1,"wasted_room_seconds":1.3,)"
      R"("wasted_seat_seconds":10.1,"asked":8,"seated":7,"failed":0},)"
      R"("total":{"rooms":4,"needed":2,"collisions":2,"wasted_room_seconds":2.5,)"
      R"("wasted_seat_seconds":20.2,"asked":16,"seated":14,"failed":0},)"
      R"("rooms":[{"id":0,"group":0,"master":1,"worker":"w1","stage":"open","capacity":8,)"
      R"("taken":0,"occupied":0},{"id":2,"group":0,"master":2,"worker":"w2","stage":"ordered",)"
      R"("capacity":8,"taken":3,"occupied":2,"collided":true,"other":0}]}]})");
}

}  // namespace
}  // namespace fixkeep::client_sim
