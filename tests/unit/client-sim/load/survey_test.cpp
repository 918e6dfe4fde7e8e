#include "client-sim/load/survey.hpp"

#include <gtest/gtest.h>

namespace fixkeep::client_sim {
namespace {

RoomRow row(const std::string& id, Phase phase, std::uint32_t reserved, std::uint32_t occupied) {
  return {.id = id,
          .group = "duel",
          .phase = phase,
          .capacity = 8,
          .reserved = reserved,
          .occupied = occupied};
}

TEST(MergedViews, hold_the_rooms_that_any_master_knows) {
  const auto rooms =
      merge_views({{row("r1", Phase::open, 0, 1)},
                   {},
                   {row("r2", Phase::starting, 1, 0), row("r1", Phase::open, 0, 1)}});
  ASSERT_EQ(rooms.size(), 2U) << "a master that was started again knows nothing yet";
  EXPECT_EQ(rooms[0].id, "r1");
  EXPECT_EQ(rooms[1].id, "r2");
}

TEST(MergedViews, take_what_happened_last_of_each_room) {
  const auto rooms = merge_views({{row("r1", Phase::starting, 8, 0), row("r2", Phase::open, 1, 2)},
                                  {row("r1", Phase::open, 0, 5), row("r2", Phase::open, 0, 2)}});
  EXPECT_EQ(rooms[0].phase, Phase::open);
  EXPECT_EQ(rooms[0].taken(), 5U);
  EXPECT_EQ(rooms[1].taken(), 3U) << "of one phase, the one with more seats taken";
}

}  // namespace
}  // namespace fixkeep::client_sim
