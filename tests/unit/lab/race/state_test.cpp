#include "lab/race/state.hpp"

#include <gtest/gtest.h>

namespace fixkeep::client_sim {
namespace {

TEST(RaceState, is_what_the_page_reads) {
  RaceState state{.round = 4,
                  .stage = RaceStage::full,
                  .settings = {.groups = {true, false},
                               .masters = {MasterFate::runs, MasterFate::killed},
                               .locks = {"none", "lamport"}},
                  .masters = 3,
                  .workers = 6,
                  .capacity = 8,
                  .group_players = 8,
                  .asked = {8, 0}};
  ContestantState none{.lock = "none"};
  none.rooms = {{.lane = 0,
                 .master = 1,
                 .worker = "w1",
                 .stage = RoomStage::open,
                 .capacity = 8,
                 .numbers = {{1400, 1520}}},
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
      .refused = 1,
      .asked = 8,
      .seated = 7,
      .cost = {.collisions = 1, .wasted_room_seconds = 1.26, .wasted_seat_seconds = 10.08},
      .two_holders = 2};
  none.total = none.round;
  none.total += none.round;
  none.match_p50_ms = 812.34;
  none.spread_p50 = 120.51;
  state.contestants = {none};
  EXPECT_EQ(
      to_json(state),
      R"({"round":4,"stage":"full","settings":{"link_delay_ms":20.0,"boot_ms":800,"rate":16.0,)"
      R"("spread_ms":60,"running":true,"groups":[true,false],)"
      R"("masters":["runs","killed"],"locks":["none","lamport"]},)"
      R"("ranges":{"link_delay_ms":{"least":0.0,"most":200.0},"boot_ms":{"least":0,"most":5000},)"
      R"("rate":{"least":1.0,"most":100.0},"spread_ms":{"least":0,"most":2000}},)"
      R"("locks":["multiphase","lamport","ricart-agrawala","carvalho-roucairol",)"
      R"("suzuki-kasami","naimi-trehel","raymond",)"
      R"("maekawa","tree-quorum","coordinator","two-phase",)"
      R"("redis","redlock","etcd","zookeeper","postgres","kubernetes-lease","none"],)"
      R"("masters":3,"workers":6,"capacity":8,"group_players":8,"rules":false,)"
      R"("asked":[8,0],)"
      R"("contestants":[{"lock":"none","judged":true,)"
      R"("match_p50_ms":812.3,"match_p90_ms":0.0,)"
      R"("spread_p50":120.5,"spread_p90":0.0,)"
      R"("round":{"rooms":2,"needed":1,"refused":1,"collisions":1,"two_holders":2,)"
      R"("wasted_room_seconds":1.3,)"
      R"("wasted_seat_seconds":10.1,"asked":8,"seated":7,"failed":0},)"
      R"("total":{"rooms":4,"needed":2,"refused":2,"collisions":2,"two_holders":4,)"
      R"("wasted_room_seconds":2.5,)"
      R"("wasted_seat_seconds":20.2,"asked":16,"seated":14,"failed":0},)"
      R"("rooms":[{"id":0,"group":0,"master":1,"worker":"w1","stage":"open","capacity":8,)"
      R"("taken":0,"occupied":0,"numbers":[1400,1520]},)"
      R"({"id":2,"group":0,"master":2,"worker":"w2","stage":"ordered",)"
      R"("capacity":8,"taken":3,"occupied":2,"collided":true,"other":0}]}]})");
}

}  // namespace
}  // namespace fixkeep::client_sim
