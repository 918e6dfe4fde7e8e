// Groups that a game must not be told, for what their players have sent.
#include <gtest/gtest.h>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::SpawnOutcome;

// Nothing of the worker changes for what one player has sent: the mode goes on for all others.
TEST(RefusedGroups, get_no_room_and_no_warm_one_and_cost_others_nothing) {
  Driver careful;
  careful.why_not_told[brawl] = "map: is not one of its values";
  careful.step(MasterConnected{m1});
  const Actions out = careful.say(m1, wire::SpawnRoom{.request = 5,
                                                      .group = brawl,
                                                      .mode = ModeName{"brawl"},
                                                      .creation = {.token = {1, m1}},
                                                      .capacity = 4,
                                                      .claims = claims({1})});
  EXPECT_EQ(Driver::last<wire::SpawnReply>(out).outcome, SpawnOutcome::mode_paused);
  EXPECT_TRUE(all<StartProcess>(out).empty());
  const auto told = all<GroupRefused>(out);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].group, brawl);
  EXPECT_EQ(told[0].why, "map: is not one of its values");
  EXPECT_EQ(careful.host.counters().spawns_refused_group, 1U);
  EXPECT_EQ(careful.host.counters().spawns_refused_paused, 0U);
  EXPECT_TRUE(careful.host.paused_modes().empty());
  EXPECT_EQ(careful.spawn(m1, 2).outcome, SpawnOutcome::accepted);
  EXPECT_EQ(careful.spawn(m1, 3, 4, {}, GroupKey{"*brawl/4"}, "brawl").outcome,
            SpawnOutcome::accepted)
      << "a warm room has no players yet";
  EXPECT_EQ(careful.spawn(m1, 4, 4, {1}, brawl, "brawl").outcome, SpawnOutcome::mode_paused)
      << "and is not given to them";
}

}  // namespace
}  // namespace fixkeep::worker
