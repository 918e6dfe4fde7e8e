// A lock that lives in a server, and the server dies while players come: they wait within their
// bound, hear why if it is for too long, and are served when it is back, in exactly the rooms that
// are needed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client-sim/cluster/lock_servers.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using client_sim::EngineServers;
using support::LocalCluster;
using support::Part;
using support::Players;

class LockServerKilled : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto started = EngineServers::start(GetParam(), client_sim::Storage::memory);
    if (const auto* failure = std::get_if<client_sim::EngineFailure>(&started)) {
      FAIL() << failure->message;
    }
    servers_ = std::move(std::get<std::unique_ptr<EngineServers>>(started));
  }

  [[nodiscard]] client_sim::ClusterOptions options() const {
    client_sim::ClusterOptions made{.masters = 3, .workers = 4, .capacity = 8, .boot_ms = 300};
    made.id = "lock-server-" + std::to_string(servers_->pid(0));
    made.lock = GetParam();
    made.lock_servers = servers_->addresses();
    return made;
  }
  void kill_all() {
    for (std::size_t i = 0; i < servers_->size(); ++i) ASSERT_TRUE(servers_->kill(i));
  }

  std::unique_ptr<EngineServers> servers_;
};

TEST_P(LockServerKilled, during_a_burst_and_back_everybody_is_seated_in_exactly_the_rooms) {
  LocalCluster cluster{options()};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(64, 2);
  players.run_until("a master wants a lock", [&] {
    const auto report = support::get_json(cluster.admin(0), "/v1/locks");
    return !report.is_null() && !report.at("locks").empty();
  });
  kill_all();
  ASSERT_TRUE(servers_->restart_killed());
  players.run_until_decided();
  expect_all_inside(players, 8);
  EXPECT_EQ(rooms_of(players), 8U);
  EXPECT_EQ(cluster.rooms_started(0), 8U);
  players.hang_up();
  expect_clean_stop(cluster);
}

TEST_P(LockServerKilled, a_request_hears_why_and_service_resumes) {
  LocalCluster cluster{options()};
  cluster.start();
  kill_all();
  auto request = nlohmann::json::parse(support::match_body("ann", "eu"));
  request["wait_ms"] = 12'000;  // more than for a lock
  const auto refused = support::post(cluster.http(1), "/v1/match", request.dump());
  ASSERT_TRUE(refused) << refused.error().message();
  EXPECT_EQ(refused->status, 503U) << refused->body;
  EXPECT_TRUE(contains(problem_type(refused->body), "lock-unavailable")) << refused->body;
  ASSERT_TRUE(servers_->restart_killed());
  unsigned status = 0;
  support::wait_until("service resumes", [&] {
    const auto seated = support::ask_for_seat(cluster.http(1), "ben", "eu");
    status = seated ? seated->status : 0;
    return status == 200;
  });
  EXPECT_EQ(cluster.rooms_started(1), 1U);
  expect_clean_stop(cluster);
}

INSTANTIATE_TEST_SUITE_P(Engines, LockServerKilled,
                         ::testing::Values("redis", "redlock", "etcd", "zookeeper", "postgres"),
                         [](const auto& each) { return std::string{each.param}; });

}  // namespace
}  // namespace fixkeep::integration
