#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "master/http/view/metrics_page.hpp"
#include "master/http/view/pages.hpp"

namespace fixkeep::master {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

EngineFacts redis_in_trouble() {
  EngineFacts facts;
  facts.statistics.requests_sent = 40;
  facts.statistics.replies_received = 30;
  facts.statistics.reconnects = 2;
  facts.statistics.failed(engine::Failure::timeout, "10.0.0.5:6379", "it does not answer");
  facts.statistics.failed(engine::Failure::refused, "10.0.0.5:6379", "READONLY");
  facts.statistics.failed(engine::Failure::refused, "10.0.0.5:6379", "OOM");
  return facts;
}

TEST(EnginePages, put_requests_failures_by_kind_and_reconnects_into_metrics) {
  const DirectoryView view;
  MetricsFacts facts;
  facts.engine = redis_in_trouble();
  const auto page = metrics_page(facts, view);
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("fixkeep_master_lock_server_ready 0\n"));
  EXPECT_THAT(*page, HasSubstr("fixkeep_master_lock_server_requests_total 40\n"));
  EXPECT_THAT(*page,
              HasSubstr("fixkeep_master_lock_server_failures_total{kind=\"unreachable\"} 0\n"));
  EXPECT_THAT(*page, HasSubstr("fixkeep_master_lock_server_failures_total{kind=\"timeout\"} 1\n"));
  EXPECT_THAT(*page, HasSubstr("fixkeep_master_lock_server_failures_total{kind=\"refused\"} 2\n"));
  EXPECT_THAT(*page, HasSubstr("fixkeep_master_lock_server_reconnects_total 2\n"));
  facts.engine.reset();
  EXPECT_THAT(*metrics_page(facts, view), Not(HasSubstr("lock_server")));
}

TEST(EnginePages, put_them_and_the_last_failure_into_the_page_of_locks) {
  LocksFacts facts;
  facts.strategy = "redis";
  facts.engine = redis_in_trouble();
  const auto servers = nlohmann::json::parse(locks_json(facts)).at("servers");
  EXPECT_EQ(servers.at("ready"), false);
  EXPECT_EQ(servers.at("requests"), 40);
  EXPECT_EQ(servers.at("failures"),
            (nlohmann::json{{"unreachable", 0}, {"timeout", 1}, {"refused", 2}}));
  EXPECT_EQ(servers.at("reconnects"), 2);
  EXPECT_EQ(servers.at("last_failure"), "10.0.0.5:6379: OOM");
  facts.engine.reset();
  EXPECT_TRUE(nlohmann::json::parse(locks_json(facts)).at("servers").is_null());
}

TEST(EnginePages, bound_what_a_server_says) {
  engine::EngineStatistics statistics;
  statistics.failed(engine::Failure::refused, "a:1", std::string(100'000, 'x'));
  EXPECT_EQ(statistics.last_failure.size(), engine::EngineStatistics::last_failure_bytes);
}

}  // namespace
}  // namespace fixkeep::master
