// A local cluster whose nodes are a distance apart: what it answers takes as long as it must.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/comparison.hpp"
#include "client-sim/load/load.hpp"

namespace fixkeep::integration {
namespace {

constexpr std::uint32_t boot_ms = 200;

client_sim::RunResult lone_request(const client_sim::Distances& distances) {
  client_sim::Options options;
  options.locks = {"none"};
  options.distances = {distances};
  options.cluster = {.masters = 2, .workers = 2, .boot_ms = boot_ms};
  options.workload.masters = 2;
  options.workload.players = 1;
  options.workload.groups = 1;
  client_sim::LockServers servers;
  std::ostringstream err;
  std::vector<client_sim::RunResult> runs;
  EXPECT_EQ(client_sim::run_comparison(options, servers, err, runs), client_sim::exit_fine)
      << err.str();
  if (runs.empty()) return {};
  EXPECT_EQ(runs.front().faults(), std::vector<std::string>{});
  EXPECT_EQ(runs.front().complaints, std::vector<std::string>{});
  return runs.front();
}

// An order to the worker and its news that the room is open: two ways of the line, beside the boot.
// What else runs on the machine makes a match longer and none shorter: so the fastest of some tries
// tells how long it has to take.
TEST(DistanceOfACluster, is_one_round_trip_to_the_worker_for_a_lone_request) {
  constexpr double one_way_ms = 150;
  constexpr double second_round_trip = boot_ms + 4 * one_way_ms;
  double fastest = second_round_trip;
  for (int tries = 0; tries < 5 && fastest >= second_round_trip; ++tries) {
    const double took = lone_request({.link_ms = one_way_ms}).verdict.match_ms.max;
    EXPECT_GE(took, boot_ms + 2 * one_way_ms);
    fastest = std::min(fastest, took);
  }
  EXPECT_LT(fastest, second_round_trip) << "there is none";
}

TEST(DistanceOfACluster, is_lived_through_with_jitter_and_losses) {
  const auto run = lone_request({.link_ms = 50, .jitter_ms = 50, .loss_percent = 10});
  EXPECT_EQ(run.verdict.connected, 1U);
}

// The time to match of a lone request of a group that has no room yet.
double lone_match_ms(const client_sim::Cluster& cluster, std::size_t group) {
  const auto name = client_sim::group_name(group);
  auto workload = client_sim::make_workload(
      {.players = 1, .groups = 1, .masters = 1, .player_prefix = name + "-"});
  workload.front().group = group;
  const auto load = client_sim::run_load(
      workload,
      {.masters = cluster.masters(), .admin = {.masters = cluster.admins(), .token = {}}});
  EXPECT_EQ(load.failure, "");
  EXPECT_EQ(load.seen.players.front().fate, client_sim::Fate::connected);
  return load.seen.players.front().match_ms();
}

// The fastest of some tries, each of which has a group of its own.
double fastest_match_ms(const client_sim::Cluster& cluster, std::size_t first_group, double limit) {
  constexpr std::size_t tries = 20;
  double fastest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < tries && fastest >= limit; ++i) {
    fastest = std::min(fastest, lone_match_ms(cluster, first_group + i));
  }
  return fastest;
}

TEST(DistanceOfACluster, and_its_boot_time_change_while_links_are_up) {
  constexpr std::uint32_t one_way_ms = 500;  // what a busy machine adds is much less
  auto started = client_sim::Cluster::start(
      {.lock = "none", .masters = 2, .workers = 2, .boot_ms = boot_ms, .most_link_ms = one_way_ms});
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<client_sim::Cluster>>(started))
      << std::get<client_sim::StartFailure>(started).message;
  auto& cluster = *std::get<std::unique_ptr<client_sim::Cluster>>(started);
  EXPECT_LT(fastest_match_ms(cluster, 1, boot_ms + one_way_ms), boot_ms + one_way_ms);
  EXPECT_EQ(cluster.change_link_delay(one_way_ms), "");
  EXPECT_GE(lone_match_ms(cluster, 100), boot_ms + 2 * one_way_ms);
  EXPECT_EQ(cluster.change_link_delay(0), "");
  EXPECT_EQ(cluster.change_boot_time(one_way_ms), "");
  EXPECT_GE(lone_match_ms(cluster, 200), one_way_ms);
  EXPECT_EQ(cluster.change_boot_time(0), "");
  EXPECT_LT(fastest_match_ms(cluster, 300, one_way_ms), one_way_ms);
  EXPECT_EQ(cluster.stop(false).complaints, std::vector<std::string>{});
}

}  // namespace
}  // namespace fixkeep::integration
