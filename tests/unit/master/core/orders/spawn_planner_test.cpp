#include "master/core/orders/spawn_planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace fixkeep::master {
namespace {

SpawnWorker worker(const char* id, const char* zone, std::uint32_t headroom) {
  return {WorkerId{id}, ZoneName{zone}, headroom, 0, 10};
}

std::vector<PlannedRoom> rooms_for(const std::vector<SpawnClaim>& claims,
                                   const std::vector<SpawnWorker>& workers,
                                   const SpawnLimits& limits) {
  return plan_spawns(claims, workers, limits).rooms;
}

TEST(SpawnPlanner, plain_claims_fill_exactly_the_rooms_they_need) {
  for (std::size_t n = 1; n <= 40; ++n) {
    const auto plan =
        rooms_for(std::vector<SpawnClaim>(n), {worker("w", "a", 100)}, {.capacity = 8});
    EXPECT_EQ(plan.size(), (n + 7) / 8);
  }
}

TEST(SpawnPlanner, spreads_over_zones_then_over_headroom) {
  const auto plan = rooms_for(std::vector<SpawnClaim>(4),
                              {worker("a1", "a", 9), worker("a2", "a", 5), worker("c1", "c", 1)},
                              {.capacity = 1});
  ASSERT_EQ(plan.size(), 4U);
  EXPECT_EQ(plan[0].worker.text(), "a1");
  EXPECT_EQ(plan[1].worker.text(), "c1");
  EXPECT_EQ(plan[2].worker.text(), "a1");
  EXPECT_EQ(plan[3].worker.text(), "a1");
}

TEST(SpawnPlanner, a_party_goes_into_the_first_room_that_holds_it) {
  std::vector<SpawnClaim> claims{{3, 0, {}}, {3, 0, {}}, {1, 0, {}}};
  const auto plan = rooms_for(claims, {worker("w", "a", 9)}, {.capacity = 4});
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[0].claims, (std::vector<std::size_t>{0, 2}));
}

TEST(SpawnPlanner, avoids_the_worker_that_failed_if_another_has_headroom) {
  const std::vector<SpawnClaim> claims{{1, 0, WorkerId{"a1"}}};
  const auto two = rooms_for(claims, {worker("a1", "a", 9), worker("c1", "c", 1)}, {});
  EXPECT_EQ(two.at(0).worker.text(), "c1");
  const auto one = rooms_for(claims, {worker("a1", "a", 9)}, {});
  EXPECT_EQ(one.at(0).worker.text(), "a1");
}

TEST(SpawnPlanner, stops_where_headroom_ends_and_bounds_one_order) {
  EXPECT_EQ(rooms_for(std::vector<SpawnClaim>(5), {worker("w", "a", 2)}, {}).size(), 2U);
  const auto plan =
      rooms_for(std::vector<SpawnClaim>(5), {worker("w", "a", 2)}, {.capacity = 8, .claims = 3});
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].claims.size(), 3U);
}

TEST(SpawnPlanner, counts_unanswered_orders_against_headroom) {
  SpawnWorker busy = worker("a1", "a", 9);
  busy.ordered = 3;
  const auto plan =
      rooms_for(std::vector<SpawnClaim>(4), {busy, worker("a2", "a", 8)}, {.capacity = 1});
  ASSERT_EQ(plan.size(), 4U);
  EXPECT_EQ(plan[0].worker.text(), "a2");
  EXPECT_EQ(plan[1].worker.text(), "a2");
  EXPECT_NE(plan[2].worker, plan[3].worker);  // 6 are free on both
}

TEST(SpawnPlanner, takes_a_worker_whose_headroom_is_all_ordered_only_if_there_is_no_other) {
  SpawnWorker busy = worker("a1", "a", 2);
  busy.ordered = 2;
  SpawnWorker other = worker("c1", "c", 1);
  other.group_rooms = 5;  // its zone has most of the group
  const auto plan = rooms_for(std::vector<SpawnClaim>(2), {busy, other}, {.capacity = 1});
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[0].worker.text(), "c1");
  EXPECT_EQ(plan[1].worker.text(), "a1");
}

TEST(SpawnPlanner, fills_workers_in_proportion_to_their_room_limits) {
  SpawnWorker large = worker("large", "a", 30);
  large.room_limit = 30;
  const auto plan =
      rooms_for(std::vector<SpawnClaim>(20), {large, worker("small", "a", 10)}, {.capacity = 1});
  const auto on_small = std::count_if(plan.begin(), plan.end(), [](const PlannedRoom& room) {
    return room.worker.text() == "small";
  });
  EXPECT_EQ(on_small, 5);
}

// What three masters do that order at once and have not heard of each other.
TEST(SpawnPlanner, different_groups_choose_different_ones_of_equally_loaded_workers) {
  std::map<WorkerId, int> rooms;
  for (int group = 0; group < 4000; ++group) {
    std::vector<SpawnWorker> workers;
    for (const char* id : {"w0", "w1", "w2", "w3"}) {
      workers.push_back(worker(id, "a", 10));
      workers.back().affinity =
          affinity(GroupKey{"duel/" + std::to_string(group)}, workers.back().id);
    }
    const auto plan = rooms_for({SpawnClaim{}}, workers, {});
    std::reverse(workers.begin(), workers.end());
    EXPECT_EQ(rooms_for({SpawnClaim{}}, workers, {}).at(0).worker, plan.at(0).worker);
    ++rooms[plan.at(0).worker];
  }
  for (const auto& [id, number] : rooms) {
    EXPECT_GT(number, 850) << id.text();
    EXPECT_LT(number, 1150) << id.text();
  }
}

TEST(SpawnPlanner, leaves_claims_out_that_would_open_more_rooms_than_the_limit) {
  std::vector<SpawnClaim> claims{{2, 0, {}, {}}, {3, 0, {}, {}}, {3, 0, {}, {}}, {1, 0, {}, {}}};
  const auto plan = plan_spawns(claims, {worker("w", "a", 9)}, {.capacity = 4, .rooms = 2});
  ASSERT_EQ(plan.rooms.size(), 2U);
  EXPECT_EQ(plan.rooms[0].claims, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(plan.rooms[1].claims, (std::vector<std::size_t>{1}));
  EXPECT_TRUE(plan.refused.empty());
}

TEST(SpawnPlanner, refuses_claims_whose_client_may_open_no_further_room) {
  const SpawnClaim of_first{2, 0, {}, 0};
  const SpawnClaim of_second{3, 0, {}, 1};
  const SpawnClaim uncounted{3, 0, {}, {}};
  SpawnLimits limits;
  limits.capacity = 3;
  limits.client_rooms = {1, 2};
  const auto plan = plan_spawns({of_first, of_first, of_second, uncounted, of_first, {1, 0, {}, 0}},
                                {worker("w", "a", 9)}, limits);
  EXPECT_EQ(plan.rooms.size(), 3U);
  EXPECT_EQ(plan.refused, (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(plan.rooms[0].claims, (std::vector<std::size_t>{0, 5}));  // in a room that is open
}

TEST(SpawnPlanner, refuses_nobody_because_of_a_room_that_finds_no_worker) {
  const std::vector<SpawnClaim> claims{{1, 0, {}, 1}, {1, 0, {}, 0}, {1, 0, {}, 1}, {1, 0, {}, 1}};
  SpawnLimits limits;
  limits.client_rooms = {1, 1};
  const auto both = plan_spawns(claims, {worker("w", "a", 2)}, limits);
  EXPECT_EQ(both.rooms.size(), 2U);
  EXPECT_EQ(both.refused, (std::vector<std::size_t>{2, 3}));
  const auto one = plan_spawns(claims, {worker("w", "a", 1)}, limits);
  EXPECT_EQ(one.rooms.size(), 1U);
  EXPECT_TRUE(one.refused.empty());
}

TEST(SpawnPlanner, affinity_is_the_same_on_every_machine) {
  EXPECT_EQ(affinity(GroupKey{"g"}, WorkerId{"w1"}), 0x579865dcbd158e4U);
  EXPECT_NE(affinity(GroupKey{"a"}, WorkerId{"bc"}), affinity(GroupKey{"ab"}, WorkerId{"c"}));
}

}  // namespace
}  // namespace fixkeep::master
