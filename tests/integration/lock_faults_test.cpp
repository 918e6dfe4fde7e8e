// What `fixkeep-lab locks` measures after a cut in one direction and after a leader's death.
#include <gtest/gtest.h>

#include <csignal>

#include "client-sim/comparison.hpp"
#include "lab/locks/bench.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::integration {
namespace {

using client_sim::LockFigures;
using client_sim::LockNodes;

// Measures one cut and one leader's death.
LockFigures measured(const std::string& lock, std::uint32_t lease_ms) {
  std::signal(SIGPIPE, SIG_IGN);
  LockFigures figures{.lock = lock};
  client_sim::PortSlots slots;
  client_sim::LockServers servers;
  const test::TemporaryFolder folder;
  figures.failure = client_sim::start_servers(lock, servers);
  if (!figures.failure.empty()) return figures;
  auto* server = servers.empty() ? nullptr : servers.begin()->second.get();
  client_sim::LockNodesOptions options;
  options.strategy = lock;
  if (server != nullptr) options.servers = server->addresses();
  options.first_port = slots.take(1).value().first;
  options.cluster = "test";
  options.lease_ms = lease_ms;
  options.folder = folder.path();
  options.relayed = true;
  auto started = LockNodes::start(std::move(options));
  if (const auto* failure = std::get_if<std::string>(&started)) {
    figures.failure = *failure;
    return figures;
  }
  auto& nodes = *std::get<std::unique_ptr<LockNodes>>(started);
  const client_sim::Note silent = [](const std::string&) {};
  client_sim::measure_ends(nodes, {.kills = 1}, silent, figures);
  if (figures.failure.empty()) {
    client_sim::measure_leaders(nodes, server, {.kills = 1}, silent, figures);
  }
  if (figures.failure.empty()) figures.failure = nodes.stop();
  return figures;
}

void expect_one(const std::vector<double>& times_ms, double least_ms, double most_ms) {
  ASSERT_EQ(times_ms.size(), 1U);
  EXPECT_GT(times_ms.front(), least_ms);
  EXPECT_LT(times_ms.front(), most_ms);
}

TEST(LockFaults, leave_two_believers_behind_a_cut_and_the_new_one_fences) {
  const auto seen = measured("multiphase", 20'000);
  ASSERT_EQ(seen.failure, "");
  expect_one(seen.cut.without_holder_ms, 500, 20'000);  // once the link counts as down
  EXPECT_EQ(seen.two_believers, 1U);
  EXPECT_EQ(faults_of(seen), std::vector<std::string>{});
  EXPECT_EQ(seen.leader.without_holder_ms.size() + seen.leader.never_granted, 0U);
}

TEST(LockFaults, wait_for_the_leases_of_a_coordinator_that_died) {
  const auto seen = measured("coordinator", 3000);
  ASSERT_EQ(seen.failure, "");
  expect_one(seen.cut.without_holder_ms, 500, 10'000);
  expect_one(seen.leader.without_holder_ms, 500, 10'000);
  EXPECT_EQ(faults_of(seen), std::vector<std::string>{});
}

TEST(LockFaults, are_over_soon_after_the_leader_of_an_ensemble_died) {
  const auto seen = measured("etcd", 4000);
  ASSERT_EQ(seen.failure, "");
  expect_one(seen.cut.without_holder_ms, 100, 13'000);
  expect_one(seen.leader.without_holder_ms, 0, 11'000);
  EXPECT_EQ(faults_of(seen), std::vector<std::string>{});
}

TEST(LockFaults, never_end_after_the_death_of_a_server_that_is_alone) {
  const auto seen = measured("redis", 1000);
  ASSERT_EQ(seen.failure, "");
  expect_one(seen.cut.without_holder_ms, 100, 4000);
  EXPECT_EQ(seen.leader.never_granted, 1U);
}

}  // namespace
}  // namespace fixkeep::integration
