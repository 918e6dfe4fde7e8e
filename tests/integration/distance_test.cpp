// A local cluster whose nodes are a distance apart: what it answers takes as long as it must.
#include <gtest/gtest.h>

#include <sstream>

#include "client-sim/comparison.hpp"

namespace fixkeep::integration {
namespace {

constexpr std::uint32_t boot_ms = 200;

client_sim::RunResult lone_request(const client_sim::Distances& distances) {
  client_sim::Options options;
  options.locks = {"none"};
  options.distances = {distances};
  options.cluster = {.masters = 2, .workers = 2, .boot_ms = boot_ms, .players = 1};
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
TEST(DistanceOfACluster, is_one_round_trip_to_the_worker_for_a_lone_request) {
  constexpr double one_way_ms = 150;
  const auto run = lone_request({.link_ms = one_way_ms});
  EXPECT_GE(run.verdict.match_ms.max, boot_ms + 2 * one_way_ms);
  EXPECT_LT(run.verdict.match_ms.max, boot_ms + 4 * one_way_ms) << "there is no second round trip";
}

TEST(DistanceOfACluster, is_lived_through_with_jitter_and_losses) {
  const auto run = lone_request({.link_ms = 50, .jitter_ms = 50, .loss_percent = 10});
  EXPECT_EQ(run.verdict.connected, 1U);
}

}  // namespace
}  // namespace fixkeep::integration
