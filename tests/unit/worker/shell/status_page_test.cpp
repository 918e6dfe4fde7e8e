#include "worker/shell/status_page.hpp"

#include <gmock/gmock.h>
#include <cstdlib>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "worker/runner/process/process_runner.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct StatusPageTest : testing::Test {
  net::HttpAnswer ask(net::http::verb method, const std::string& target) {
    return status_page(net::HttpRequest{method, target, 11},
                       {.core = core,
                        .links = links,
                        .journal = journal,
                        .masters_up = masters_up,
                        .stopping = stopping,
                        .journal_is_whole = journal_is_whole,
                        .outputs = keeps_output ? runner->traits().outputs : nullptr,
                        .post = [this](Event&& event) {
                          Actions ignored;
                          const TimePoint later{std::chrono::hours{1}};
                          core.step(std::move(event), later, ignored);
                        }});
  }
  net::HttpAnswer get(const std::string& target) { return ask(net::http::verb::get, target); }

  test::TemporaryFolder folder;
  RoomHost core{{.modes = {{.name = ModeName{"duel"}}}}, TimePoint{std::chrono::hours{1}}};
  net::LinkCounters links;
  events::Journal journal{"w1", 10};
  boost::asio::io_context context;
  std::shared_ptr<GameRunner> runner = make_process_runner(
      context, {.worker = WorkerId{"w1"}, .state_folder = (folder / "state").string()});
  bool keeps_output = true;
  std::size_t masters_up = 1;
  bool stopping = false;
  bool journal_is_whole = true;
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

TEST_F(StatusPageTest, counts_a_journal_that_cannot_be_written) {
  EXPECT_THAT(get("/metrics").body, HasSubstr("fixkeep_worker_journal_whole 1"));
  journal_is_whole = false;
  EXPECT_THAT(get("/metrics").body, HasSubstr("fixkeep_worker_journal_whole 0"));
}

TEST_F(StatusPageTest, says_that_its_runner_keeps_nothing_of_what_games_write) {
  keeps_output = false;
  const auto answer = get("/v1/rooms/w1-1-1/log");
  EXPECT_EQ(answer.status, 404U);
  EXPECT_THAT(answer.body, HasSubstr("The runner of this worker keeps nothing"));
}

TEST_F(StatusPageTest, has_metrics_as_prometheus_reads_them) {
  const auto answer = get("/metrics");
  EXPECT_THAT(std::string{answer.content_type}, HasSubstr("version=0.0.4"));
  EXPECT_THAT(answer.body, HasSubstr("fixkeep_worker_masters_connected 1\n"));
  EXPECT_THAT(
      answer.body,
      HasSubstr("fixkeep_worker_rooms_closed_total{mode=\"duel\",reason=\"boot-timeout\"} 0"));
}

TEST_F(StatusPageTest, a_worker_that_drains_is_not_ready_until_it_is_resumed) {
  EXPECT_EQ(ask(net::http::verb::post, "/v1/modes/duel/drain").status, 202U);
  EXPECT_EQ(get("/readyz").status, 200U) << "other modes go on";
  EXPECT_THAT(get("/metrics").body,
              HasSubstr("fixkeep_worker_mode_paused{mode=\"duel\",cause=\"drained\"} 1"));
  EXPECT_EQ(ask(net::http::verb::post, "/v1/drain").status, 202U);
  EXPECT_THAT(get("/readyz").body, HasSubstr("The worker is being drained."));
  EXPECT_EQ(ask(net::http::verb::post, "/v1/resume").status, 202U);
  EXPECT_EQ(ask(net::http::verb::post, "/v1/modes/duel/resume").status, 202U);
  EXPECT_EQ(get("/readyz").status, 200U);
  EXPECT_TRUE(core.paused_modes().empty());
  EXPECT_EQ(ask(net::http::verb::post, "/v1/rooms/w1-1-1/drain").status, 404U);
}

TEST_F(StatusPageTest, shows_what_a_game_wrote_last) {
  const fs::path output = folder / "state/output";
  fs::create_directories(output);
  std::ofstream{output / "w1-1-1.log.1"} << "one\n";
  std::ofstream{output / "w1-1-1.log"} << "two <b>\n";
  const auto answer = get("/v1/rooms/w1-1-1/log?x");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "one\ntwo <b>\n");
  EXPECT_THAT(std::string{answer.content_type}, HasSubstr("text/plain"));
  std::ofstream{output / "w1-1-2.log"} << std::string(2 * most_log_bytes, 'x') << "end";
  EXPECT_EQ(get("/v1/rooms/w1-1-2/log").body.size(), most_log_bytes);
  EXPECT_TRUE(get("/v1/rooms/w1-1-2/log").body.ends_with("xend"));
  std::ofstream{output / "secret.log"} << "not of a room";
  fs::create_directory(output / "inner");
  std::ofstream{output / "inner/x.log"} << "no";
  for (const char* room :
       {"w1-1-9", "secret", "w1-%2F..%2Fsecret", "inner%2Fx", "..%2Fx", "%", "."}) {
    EXPECT_EQ(get("/v1/rooms/" + std::string{room} + "/log").status, 404U) << room;
  }
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
  for (const char* path : {"/v1/drain", "/v1/modes/duel/drain", "/v1/rooms/w1-1-1/drain"}) {
    EXPECT_EQ(get(path).status, 405U) << path;
    EXPECT_EQ(get(path).allow, "POST") << path;
  }
}

}  // namespace
}  // namespace fixkeep::worker
