#include "lab/web/mission.hpp"

#include <gtest/gtest.h>

#include "common/base/lock_strategies.hpp"

namespace fixkeep::lab_web {
namespace {

TEST(Mission, has_no_room_too_many_with_a_lock) {
  for (const auto& strategy : lock::strategies) {
    if (strategy.family == lock::Family::engine) continue;
    std::size_t rooms = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Settings settings;
      settings.strategy = strategy.name;
      settings.seed = seed;
      Mission mission{settings};
      mission.run();
      EXPECT_EQ(mission.seated(), mission_players) << strategy.name << ", seed " << seed;
      rooms += mission.rooms();
    }
    if (strategy.family == lock::Family::none) {
      EXPECT_GE(rooms, 50U);
    } else {
      EXPECT_EQ(rooms, 40U) << strategy.name;
    }
  }
}

TEST(Mission, is_the_same_for_the_same_seed) {
  const auto run = [](std::uint64_t seed) {
    Settings settings;
    settings.seed = seed;
    Mission mission{settings};
    mission.run();
    return mission.json();
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

}  // namespace
}  // namespace fixkeep::lab_web
