// Why a request waits, over a real HTTP server and a real core that has not met anybody yet, so
// that every request waits; and in the words in which it is told.
#include "master/http/match/why.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "master/http/api.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

class WhyTest : public ::testing::Test {
 protected:
  WhyTest() {
    server_ = net::HttpServer::start(
                  context_, {},
                  [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
                    api_.handle(request, responder, Audience::players);
                  })
                  .value();
    port_ = server_->port();
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~WhyTest() override {
    boost::asio::post(context_, [this] {
      feed_->stop();
      views_->stop();
      server_.reset();
    });
    work_.reset();
    thread_.join();
  }

  std::unique_ptr<net::test::Client> match(const std::string& id, const std::string& mode) {
    auto client = std::make_unique<net::test::Client>(port_);
    const std::string body = R"({"player_id":"ann","mode":")" + mode + R"("})";
    client->send("POST /v1/match HTTP/1.1\r\nHost: h\r\nX-Request-Id: " + id +
                 "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client;
  }
  std::string get(const std::string& target, const char* from = "127.0.0.1") {
    net::test::Client client{port_, from};
    client.send("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
    return client.read_answer();
  }
  bool comes(const std::string& target, const std::string& text) {
    return net::test::eventually([&] { return get(target).find(text) != std::string::npos; });
  }
  static json body_of(const std::string& answer) {
    return json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }

 private:
  static MasterOptions options() {
    MasterOptions options;
    options.self = MasterId{1};
    options.locks.self = MasterId{1};
    options.locks.peers = {MasterId{2}};
    options.modes.shadows[ModeName{"duel"}] = std::make_shared<plan::Rules>();
    return options;
  }
  // Each look at the clock of the server's thread is a second later.
  TimePoint now() { return now_ += seconds{1}; }
  static std::vector<Mode> modes() {
    return {{.name = ModeName{"duel"}, .capacity = 2}, {.name = ModeName{"raid"}, .capacity = 2}};
  }

  TimePoint now_{std::chrono::hours{1}};
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  MasterCore core_{options(), now_};
  MatchDesk desk_{{.self = MasterId{1}, .incarnation = {}, .intake = {.modes = modes()}},
                  [this](Event&& event) {
                    Actions actions;
                    core_.step(std::move(event), now_, actions);
                  }};
  std::shared_ptr<ViewDesk> views_ = ViewDesk::start(context_);
  events::Journal journal_{"m1", 10};
  std::shared_ptr<Feed> feed_ =
      Feed::start(context_, {.node = "m1", .cluster = "test", .modes = {}}, *views_,
                  [] { return FrameFacts{}; });
  std::shared_ptr<WorkerCalls> calls_ =
      WorkerCalls::start(context_, [](const WorkerId&, wire::OperatorCall&&) { return false; });
  MatchesDesk matches_{desk_, core_};
  TicketsDesk tickets_{desk_, core_, std::chrono::seconds{30}};
  Api api_{{.self = MasterId{1},
            .lock_strategy = "multiphase",
            .configuration = [] { return std::string{"{}"}; },
            .next_modes = [] { return std::string{}; },
            .masters = [] { return std::vector<MasterRow>{}; },
            .metrics_facts = [] { return MetricsFacts{}; },
            .readiness_facts = [] { return ReadinessFacts{}; },
            .refused_nodes = [] { return std::vector<net::LinkTroubles::Refused>{}; },
            .now = [this] { return now(); },
            .journal = journal_,
            .feed = *feed_},
           core_,
           desk_,
           *views_,
           *calls_,
           matches_,
           tickets_};
  std::unique_ptr<net::HttpServer> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST_F(WhyTest, is_told_by_the_id_of_the_request_while_it_waits) {
  const auto ann = match("my id/1", "duel");
  const std::string page = "/v1/match/my%20id%2F1/why";
  ASSERT_TRUE(comes(page, "HTTP/1.1 200 "));
  json told = body_of(get(page));
  EXPECT_GE(told["waited_ms"], 1'000);
  told.erase("waited_ms");
  EXPECT_EQ(told, json::parse(R"({"request_id":"my id/1","mode":"duel","why":null,)"
                              R"("no_capacity":"no-worker"})"))
      << "no decision is made where no room can be";
  ann->close();
  EXPECT_TRUE(comes(page, "urn:fixkeep:error:not-found"));
}

TEST_F(WhyTest, is_told_to_nobody_else) {
  const auto ann = match("r1", "duel");
  ASSERT_TRUE(comes("/v1/match/r1/why", "HTTP/1.1 200 "));
  EXPECT_THAT(get("/v1/match/r1/why", "127.0.0.2"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(get("/v1/match/r2/why"), HasSubstr("urn:fixkeep:error:not-found"));
  EXPECT_THAT(get("/v1/match/r2/why"), HasSubstr("only the master that took the request knows it"));
  EXPECT_THAT(get("/v1/match/%zz/why"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(WhyTest, is_that_of_the_later_one_of_two_requests_with_one_id) {
  const auto first = match("r", "duel");
  ASSERT_TRUE(comes("/v1/match/r/why", "duel"));
  const auto second = match("r", "raid");
  ASSERT_TRUE(comes("/v1/match/r/why", "raid"));
  first->close();
  ASSERT_TRUE(comes("/v1/modes/duel/statistics", R"("waiting":0)"));
  EXPECT_EQ(body_of(get("/v1/modes/duel/statistics"))["shadow"]["seated"], 0);
  EXPECT_FALSE(body_of(get("/v1/modes/raid/statistics")).contains("shadow"));
  EXPECT_THAT(get("/v1/match/r/why"), HasSubstr("raid")) << "the end of the first one is not its";
}

TEST(WhyJson, names_rules_and_counts_from_now) {
  auto rules = std::make_shared<plan::Rules>();
  rules->numbers = {"rating"};
  rules->distances = {{0, {{Duration{0}, 50}}, {}}};
  rules->roles = {{"heal", 1}, {"fight", 3}};
  rules->latency = plan::LatencyRule{{"eu", "us", "ap"}, {{Duration{0}, 80}}};
  auto told = std::make_shared<wire::Explained>();
  told->tickets = 7;
  told->rooms = 2;
  told->meets = 1;
  told->refused = {{0, 5, 2}, {3, 9, 9}, {4, 1, 0}};
  told->nearest = {.by = 0, .room = true, .beyond = 12, .in = milliseconds{5'000}};
  told->players_missing = 3;
  told->enough_in = milliseconds{1'000};
  told->roles_missing = {1, 0, 8};
  told->regions_full = 0b1110;
  const TimePoint at{seconds{100}};
  EXPECT_EQ(json(why_json({rules, told, at}, at + seconds{2})), json::parse(R"({
    "ago_ms":2000,"requests":7,"rooms":2,"acceptable":1,
    "refused":[{"rule":"distance","number":"rating","requests":5,"rooms":2},
               {"rule":"latency","requests":1,"rooms":0}],
    "nearest":{"rule":"distance","number":"rating","room":true,"beyond":12,"in_ms":3000},
    "players_missing":3,"enough_in_ms":0,"roles_missing":[{"role":"heal","players":1}],
    "regions_full":["us","ap"]})"))
      << "rules, roles and regions of a master that has others are left out";
  EXPECT_TRUE(why_json({rules, nullptr, at}, at).is_null());
}

TEST(ModeWaits, look_at_those_who_wait_once_in_a_second) {
  ModeWaits waits{{{.name = ModeName{"duel"}}, {.name = ModeName{"raid"}}}};
  const TimePoint at{seconds{100}};
  ASSERT_TRUE(waits.stale(at));
  waits.look(at);
  waits.waits(1, seconds{3});
  EXPECT_FALSE(waits.stale(at + milliseconds{999}));
  EXPECT_TRUE(waits.stale(at + seconds{1}));
  for (int i = 0; i < 10; ++i) waits.ended(0, true, milliseconds{8}, at);
  waits.ended(1, false, milliseconds{8}, at);
  EXPECT_EQ(json::parse(waits.to_json(0, at)), json::parse(R"({
    "mode":"duel","window_ms":600000,"waiting":0,"seated":10,
    "waited":{"p50_ms":8,"p90_ms":8},"estimate":{"p50_ms":8,"p90_ms":8}})"));
  EXPECT_EQ(json::parse(waits.to_json(1, at)), json::parse(R"({
    "mode":"raid","window_ms":600000,"waiting":1,"seated":0,
    "waited":{"p50_ms":null,"p90_ms":null},"estimate":{"p50_ms":null,"p90_ms":null}})"));
}

}  // namespace
}  // namespace fixkeep::master
