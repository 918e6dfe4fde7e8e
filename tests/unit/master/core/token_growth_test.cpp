// Tokens and creation ids are never used again, whatever was forgotten or restarted.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/master/core/core_cluster.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Longer than a room stays empty, and than any master remembers a group.
constexpr seconds quiet{150};

std::string text_of(const std::vector<CreationId>& created) {
  std::string text;
  for (const auto& each : created) text += to_string(each) + ' ';
  return text;
}

void expect_growth(const CoreCluster& cluster, std::size_t rooms) {
  EXPECT_EQ(cluster.created.size(), rooms) << text_of(cluster.created);
  EXPECT_EQ(cluster.refused, 0U);
  for (std::size_t i = 1; i < cluster.created.size(); ++i) {
    EXPECT_LT(cluster.created[i - 1].token, cluster.created[i].token) << text_of(cluster.created);
  }
}

class TokenGrowth : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(all, TokenGrowth,
                         testing::Values("multiphase", "lamport", "ricart-agrawala", "maekawa",
                                         "coordinator", "two-phase"),
                         [](const auto& strategy) {
                           std::string name = strategy.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(TokenGrowth, rooms_that_one_master_orders_far_apart_have_creation_ids_of_their_own) {
  CoreCluster cluster{3, {100, 100}, GetParam()};
  for (int round = 0; round < 3; ++round) {
    cluster.match(1, "ann");
    cluster.pass(quiet);
  }
  expect_growth(cluster, 3);
}

TEST_P(TokenGrowth, rooms_of_a_group_that_was_forgotten_have_tokens_of_their_own) {
  CoreCluster cluster{3, {100, 100}, GetParam()};
  for (int round = 0; round < 6; ++round) {
    cluster.match(round % 3 + 1, "ann");
    cluster.pass(quiet);
  }
  expect_growth(cluster, 6);
  EXPECT_EQ(cluster.counters().spawns_refused, 0U);
  EXPECT_EQ(cluster.counters().fence_restarts, 0U) << "the first promise was given each time";
}

TEST_P(TokenGrowth, tokens_grow_over_a_restart_of_all_masters) {
  CoreCluster cluster{3, {100, 100}, GetParam()};
  for (int round = 0; round < 4; ++round) {
    cluster.match(1, "ann");
    cluster.pass(quiet);
    for (int m = 1; m <= 3; ++m) cluster.crash_master(m);
    for (int m = 1; m <= 3; ++m) cluster.start_master(m);
    cluster.match(1, "bob");  // before any worker has found out that the masters are back
    for (int m = 1; m <= 3; ++m) cluster.connect_workers(m);
    cluster.pass(quiet);
  }
  expect_growth(cluster, 8);
  EXPECT_EQ(cluster.counters().fence_restarts, 0U) << "the first promise was given each time";
}

TEST_P(TokenGrowth, tokens_grow_over_a_restart_that_even_the_workers_forgot_the_group_before) {
  CoreCluster cluster{3, {100, 100}, GetParam()};
  cluster.match(1, "ann");
  cluster.pass(quiet);
  cluster.match(2, "ann");
  cluster.pass(minutes{15});
  for (int m = 1; m <= 3; ++m) cluster.crash_master(m);
  for (int m = 1; m <= 3; ++m) cluster.start_master(m);
  for (int m = 1; m <= 3; ++m) cluster.connect_workers(m);
  cluster.match(3, "ann");
  cluster.pass(quiet);
  expect_growth(cluster, 3);
}

// Workers forget groups later than masters do, so what a worker has forgotten no master orders
// below: a group in steady use pays nothing for the groups that come and go beside it.
TEST_P(TokenGrowth, a_group_in_steady_use_needs_no_fence_because_others_were_forgotten) {
  CoreCluster cluster{3, {70, 10}, GetParam()};  // the second one stays without rooms for long
  const GroupKey steady{"steady"};
  cluster.arrive = {steady};
  std::uint64_t groups = 0;
  const auto round = [&](int number) {
    const std::string name = std::to_string(number);
    for (int player = 0; player < 4; ++player) {
      cluster.match(number % 3 + 1, name + "." + std::to_string(player), steady.text());
    }
    cluster.match(number % 2 + 1, name, "passing" + name);
    ++groups;
    cluster.pass(seconds{15});
  };
  for (int number = 0; number < 3; ++number) round(number);  // each master has fenced once by then
  const auto before = cluster.counters();
  const auto groups_before = groups;
  for (int number = 3; number < 65; ++number) round(number);
  EXPECT_EQ(cluster.refused, 0U);
  EXPECT_EQ(cluster.created.size(), 2U * groups);
  EXPECT_GT(cluster.rooms_on(2), 2U) << "it has to know the group again";
  const auto after = cluster.counters();
  EXPECT_EQ(after.fences - before.fences, groups - groups_before) << "one for each new group";
  EXPECT_EQ(after.fence_restarts, 0U);
  EXPECT_EQ(after.spawns_refused, 0U);
}

}  // namespace
}  // namespace fixkeep::master
