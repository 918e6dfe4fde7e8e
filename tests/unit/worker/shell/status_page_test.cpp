#include "worker/shell/status_page.hpp"

#include <gmock/gmock.h>

#include <string>

namespace fixkeep::worker {
namespace {

using ::testing::HasSubstr;

struct StatusPageTest : testing::Test {
  net::HttpAnswer ask(net::http::verb method, const std::string& target) const {
    return status_page(net::HttpRequest{method, target, 11},
                       {core, links, journal, masters_up, 0, stopping, {}});
  }
  net::HttpAnswer get(const std::string& target) const { return ask(net::http::verb::get, target); }

  RoomHost core{RoomHostOptions{}, TimePoint{std::chrono::hours{1}}};
  net::LinkCounters links;
  events::Journal journal{"w1", 10};
  std::size_t masters_up = 1;
  bool stopping = false;
};

TEST_F(StatusPageTest, is_ready_with_a_master_unless_it_is_being_stopped) {
  EXPECT_EQ(get("/healthz").body, R"({"status":"ok"})");
  EXPECT_EQ(get("/readyz?x").body, R"({"status":"ready"})");
  masters_up = 0;
  EXPECT_EQ(get("/readyz").status, 503U);
  EXPECT_THAT(get("/readyz").body, HasSubstr("There is no link to any master."));
  stopping = true;
  EXPECT_THAT(get("/readyz").body, HasSubstr("The worker is being stopped."));
  EXPECT_EQ(get("/healthz").status, 200U);
}

TEST_F(StatusPageTest, has_metrics_as_prometheus_reads_them) {
  const auto answer = get("/metrics");
  EXPECT_THAT(std::string{answer.content_type}, HasSubstr("version=0.0.4"));
  EXPECT_THAT(answer.body, HasSubstr("fixkeep_masters_up 1\n"));
}

TEST_F(StatusPageTest, refuses_other_paths_and_other_methods) {
  EXPECT_EQ(get("/").status, 404U);
  EXPECT_EQ(ask(net::http::verb::post, "/readyz/").status, 404U);
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    EXPECT_EQ(ask(net::http::verb::head, path).status, 200U) << path;
    const auto answer = ask(net::http::verb::post, path);
    EXPECT_EQ(answer.status, 405U) << path;
    EXPECT_EQ(answer.allow, "GET, HEAD") << path;
    EXPECT_THAT(answer.body, HasSubstr("urn:fixkeep:error:method-not-allowed")) << path;
  }
}

}  // namespace
}  // namespace fixkeep::worker
