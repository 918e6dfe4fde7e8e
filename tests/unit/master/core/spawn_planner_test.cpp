#include "master/core/spawn_planner.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

SpawnWorker worker(const char* id, const char* zone, std::uint32_t headroom) {
  return {WorkerId{id}, ZoneName{zone}, headroom, 0};
}

TEST(spawn_planner, plain_claims_fill_exactly_the_rooms_they_need) {
  for (std::size_t n = 1; n <= 40; ++n) {
    const auto plan =
        plan_spawns(std::vector<SpawnClaim>(n), {worker("w", "a", 100)}, {.capacity = 8});
    EXPECT_EQ(plan.size(), (n + 7) / 8);
  }
}

TEST(spawn_planner, spreads_over_zones_then_over_headroom) {
  const auto plan = plan_spawns(std::vector<SpawnClaim>(4),
                                {worker("a1", "a", 9), worker("a2", "a", 5), worker("c1", "c", 1)},
                                {.capacity = 1});
  ASSERT_EQ(plan.size(), 4U);
  EXPECT_EQ(plan[0].worker.text(), "a1");
  EXPECT_EQ(plan[1].worker.text(), "c1");
  EXPECT_EQ(plan[2].worker.text(), "a1");
  EXPECT_EQ(plan[3].worker.text(), "a1");
}

TEST(spawn_planner, a_party_goes_into_the_first_room_that_holds_it) {
  std::vector<SpawnClaim> claims{{3, 0, {}}, {3, 0, {}}, {1, 0, {}}};
  const auto plan = plan_spawns(claims, {worker("w", "a", 9)}, {.capacity = 4});
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[0].claims, (std::vector<std::size_t>{0, 2}));
}

TEST(spawn_planner, avoids_the_worker_that_failed_if_another_has_headroom) {
  const std::vector<SpawnClaim> claims{{1, 0, WorkerId{"a1"}}};
  const auto two = plan_spawns(claims, {worker("a1", "a", 9), worker("c1", "c", 1)}, {});
  EXPECT_EQ(two.at(0).worker.text(), "c1");
  const auto one = plan_spawns(claims, {worker("a1", "a", 9)}, {});
  EXPECT_EQ(one.at(0).worker.text(), "a1");
}

TEST(spawn_planner, stops_where_headroom_ends_and_bounds_one_order) {
  EXPECT_EQ(plan_spawns(std::vector<SpawnClaim>(5), {worker("w", "a", 2)}, {}).size(), 2U);
  const auto plan =
      plan_spawns(std::vector<SpawnClaim>(5), {worker("w", "a", 2)}, {.capacity = 8, .claims = 3});
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].claims.size(), 3U);
}

}  // namespace
}  // namespace fixkeep::master
