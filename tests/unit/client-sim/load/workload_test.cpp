#include "client-sim/load/workload.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

namespace fixkeep::client_sim {
namespace {

using namespace std::chrono_literals;

TEST(GroupSizes, are_even_without_zipf) {
  EXPECT_EQ(group_sizes(256, 4, 0), (std::vector<std::size_t>{64, 64, 64, 64}));
  EXPECT_EQ(group_sizes(10, 4, 0), (std::vector<std::size_t>{3, 3, 2, 2}));
}

TEST(GroupSizes, follow_zipf_and_lose_nobody) {
  EXPECT_EQ(group_sizes(110, 3, 1), (std::vector<std::size_t>{60, 30, 20}));
  for (const std::size_t players : {1U, 7U, 1000U, 4999U}) {
    const auto sizes = group_sizes(players, 50, 1.2);
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), players);
    EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
  }
}

TEST(Workload, is_decided_by_its_seed) {
  const auto ids_and_groups = [](std::uint64_t seed) {
    std::vector<std::size_t> groups;
    for (const auto& player : make_workload({.seed = seed})) groups.push_back(player.group);
    return groups;
  };
  EXPECT_EQ(ids_and_groups(1), ids_and_groups(1));
  EXPECT_NE(ids_and_groups(1), ids_and_groups(2));
}

TEST(Workload, burst_asks_all_masters_at_once_about_every_group) {
  const auto workload = make_workload({.players = 256, .groups = 4, .masters = 3});
  ASSERT_EQ(workload.size(), 256U);
  std::map<std::size_t, std::size_t> per_master;
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  std::set<std::string> ids;
  for (const auto& player : workload) {
    EXPECT_EQ(player.at, 0us);
    EXPECT_EQ(player.stay, 0us);
    ++per_master[player.master];
    pairs.emplace(player.group, player.master);
    ids.insert(player.id);
  }
  EXPECT_EQ(per_master, (std::map<std::size_t, std::size_t>{{0, 86}, {1, 85}, {2, 85}}));
  EXPECT_EQ(pairs.size(), 12U);
  EXPECT_EQ(ids.size(), 256U);
}

TEST(Workload, poisson_arrives_at_its_rate_and_stays) {
  const auto workload =
      make_workload({.players = 5000, .arrival = Arrival::poisson, .rate = 100, .seed = 3});
  EXPECT_TRUE(std::is_sorted(workload.begin(), workload.end(),
                             [](const auto& a, const auto& b) { return a.at < b.at; }));
  const double seconds = std::chrono::duration<double>(workload.back().at).count();
  EXPECT_NEAR(seconds, 50, 3);
  for (const auto& player : workload) EXPECT_EQ(player.stay, 0us);
}

TEST(Workload, churn_leaves_after_an_exponential_time) {
  const auto workload = make_workload(
      {.players = 5000, .arrival = Arrival::churn, .rate = 100, .stay = 2000ms, .seed = 4});
  double sum = 0;
  for (const auto& player : workload) {
    EXPECT_GT(player.stay, 0us);
    sum += std::chrono::duration<double>(player.stay).count();
  }
  EXPECT_NEAR(sum / 5000, 2, 0.15);
}

}  // namespace
}  // namespace fixkeep::client_sim
