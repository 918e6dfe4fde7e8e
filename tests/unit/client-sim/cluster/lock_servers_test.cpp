// Real lock servers on loopback. ZooKeeper's start takes seconds, so the conformance suite has it.
#include "client-sim/cluster/lock_servers.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace fixkeep::client_sim {
namespace {

std::unique_ptr<EngineServers> started(const std::string& strategy) {
  auto result = EngineServers::start(strategy);
  if (const auto* failure = std::get_if<EngineFailure>(&result)) {
    ADD_FAILURE() << failure->message;
    return nullptr;
  }
  return std::move(std::get<std::unique_ptr<EngineServers>>(result));
}

TEST(EngineServers, are_wanted_by_engines_only) {
  for (const auto* name :
       {"redis", "redlock", "etcd", "zookeeper", "postgres", "kubernetes-lease"}) {
    EXPECT_TRUE(needs_servers(name)) << name;
  }
  for (const auto* name : {"none", "multiphase", "maekawa", "", "redi"}) {
    EXPECT_FALSE(needs_servers(name)) << name;
  }
}

TEST(EngineServers, are_killed_and_restarted) {
  const auto servers = started("redlock");
  ASSERT_TRUE(servers);
  EXPECT_EQ(servers->addresses().size(), 5U);
  EXPECT_TRUE(servers->kill(2));
  EXPECT_FALSE(servers->running(2));
  EXPECT_TRUE(servers->running(3));
  EXPECT_TRUE(servers->restart(2));
  EXPECT_TRUE(servers->running(2));
  EXPECT_FALSE(servers->restart(3)) << "it runs";
}

TEST(EngineServers, form_an_ensemble_and_leave_nothing) {
  auto servers = started("etcd");
  ASSERT_TRUE(servers);
  ASSERT_EQ(servers->size(), 3U);
  const auto pid = servers->pid(0);
  servers.reset();
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(pid)));
}

}  // namespace
}  // namespace fixkeep::client_sim
