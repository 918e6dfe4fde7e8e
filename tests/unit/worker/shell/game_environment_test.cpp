#include "worker/shell/game_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace fixkeep::worker {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

StartProcess order(const std::string& group) {
  return {.room = RoomNumber{12},
          .group = GroupKey{group},
          .mode = ModeName{"duel"},
          .port = 20011,
          .capacity = 8,
          .creation = {.token = {7, MasterId{2}}, .index = 0, .orderer = Incarnation{1}}};
}
const RoomId example_room{WorkerId{"w1"}, Incarnation{1}, RoomNumber{12}};

TEST(GameEnvironment, placeholders_are_filled_in_once) {
  EXPECT_EQ(fill_in("--at={port}/{capacity}", order("g"), example_room), "--at=20011/8");
  EXPECT_EQ(fill_in("{room} {mode}", order("g"), example_room), to_string(example_room) + " duel");
  EXPECT_EQ(fill_in("{group}", order("{port};rm -rf"), example_room), "{port};rm -rf");
  EXPECT_EQ(fill_in("{other} {port", order("g"), example_room), "{other} {port");
}

TEST(GameEnvironment, holds_what_the_game_needs_and_nothing_of_ours) {
  setenv("FIXKEEP_CLUSTER__SECRET", "do not tell", 1);
  const Launch launch = launch_of(
      {.mode = ModeName{"duel"},
       .command = {"game", "{port}"},
       .environment = {{"LANG", "C"}, {"FIXKEEP_PORT", "1"}}},
      order("g"),
      {.room = example_room, .seat_key = "ab", .sdk = {{"AGONES_SDK_HTTP_PORT", "9358"}}});
  unsetenv("FIXKEEP_CLUSTER__SECRET");
  EXPECT_THAT(launch.command, ElementsAre("game", "20011"));
  EXPECT_THAT(launch.environment, Contains("LANG=C"));
  EXPECT_THAT(launch.environment, Contains("FIXKEEP_PORT=20011")) << "ours wins";
  EXPECT_THAT(launch.environment, Contains("FIXKEEP_ROOM_ID=" + to_string(example_room)));
  EXPECT_THAT(launch.environment, Contains("FIXKEEP_CREATION_ID=7.m2.0.0000000000000001"));
  EXPECT_THAT(launch.environment, Contains("FIXKEEP_SEAT_KEY=ab"));
  EXPECT_THAT(launch.environment, Contains("AGONES_SDK_HTTP_PORT=9358"));
  EXPECT_THAT(launch.environment, Not(Contains(HasSubstr("do not tell"))));
}

}  // namespace
}  // namespace fixkeep::worker
