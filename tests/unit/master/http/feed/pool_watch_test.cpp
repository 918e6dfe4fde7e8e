// What the feed has of pools, over a real HTTP server and a real core that has not met anybody yet,
// so that every request waits.
#include "master/http/feed/pool_watch.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "master/core/master_core.hpp"
#include "master/http/feed/pools_json.hpp"
#include "master/http/match/desk.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

class PoolWatchTest : public ::testing::Test {
 protected:
  PoolWatchTest() : thread_([this] { context_.run(); }) {}
  ~PoolWatchTest() override {
    boost::asio::post(context_, [this] { server_.reset(); });
    work_.reset();
    thread_.join();
  }

  template <class Action>
  auto on_thread(Action action) {
    std::packaged_task<std::invoke_result_t<Action>()> task{std::move(action)};
    auto done = task.get_future();
    boost::asio::post(context_, [&task] { task(); });
    return done.get();
  }
  // Each request comes a second after the one before; it waits when this returns.
  void ask(const std::string& player, const std::string& region, int rating,
           const std::string& party = "") {
    send(player, region, rating, party);
    all_wait();
  }
  void send(const std::string& player, const std::string& region, int rating,
            const std::string& party = "") {
    // Few of one address, as limits of a client have it.
    const std::string from = "127.0.0." + std::to_string(1 + asked_ / 50);
    clients_.push_back(std::make_unique<net::test::Client>(server_->port(), from.c_str()));
    const std::string body = R"({"player_id":")" + player + R"(",)" + party +
                             R"("mode":"duel","attributes":{"region":")" + region +
                             R"(","rating":)" + std::to_string(rating) + "}}";
    clients_.back()->send("POST /v1/match HTTP/1.1\r\nHost: h\r\nContent-Length: " +
                          std::to_string(body.size()) + "\r\n\r\n" + body);
    ++asked_;
  }
  void all_wait() {
    ASSERT_TRUE(net::test::eventually(
        [&] { return on_thread([&] { return core_.waiting(); }) == asked_; }));
  }
  PoolWatch::Facts look() {
    return on_thread([this] { return watch_.look(desk_, core_, at(second_ += 10)); });
  }
  static TimePoint at(int second) { return TimePoint{seconds{3600 + second}}; }
  static std::vector<Mode> modes() {
    auto rules = std::make_shared<plan::Rules>();
    rules->numbers = {"rating"};
    rules->distances = {{0, {{Duration{0}, 50}, {seconds{10}, plan::no_limit}}, {}}};
    rules->wait = seconds{120};
    return {{.name = ModeName{"raid"}, .capacity = 4},
            {.name = ModeName{"duel"}, .capacity = 2, .attributes = {"region"}, .rules = rules}};
  }

  std::vector<std::unique_ptr<net::test::Client>> clients_;
  PoolWatch watch_;
  int second_ = 0;  // of the server's thread

 private:
  static MasterOptions options() {
    MasterOptions options;
    options.self = MasterId{1};
    options.locks.self = MasterId{1};
    options.locks.peers = {MasterId{2}};
    return options;
  }

 protected:
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  std::size_t asked_ = 0;
  MasterCore core_{options(), at(0)};
  MatchDesk desk_{{.self = MasterId{1}, .incarnation = {}, .intake = {.modes = modes()}},
                  [this](Event&& event) {
                    Actions actions;
                    core_.step(std::move(event), at(second_), actions);
                  }};
  std::unique_ptr<net::HttpServer> server_ =
      net::HttpServer::start(
          context_, {},
          [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
            desk_.request(request, responder, at(++second_));
          })
          .value();
  std::thread thread_;
};

TEST_F(PoolWatchTest, tells_the_claims_of_each_pool_of_a_mode_with_rules) {
  ASSERT_EQ(look()->size(), 1U) << "raid has no rules";
  EXPECT_TRUE(look()->at(0).pools.empty());
  const int begin = second_;
  ask("ann", "eu", 1500);
  ask("bob", "us", 1700);
  ask("cem", "eu", 1200, R"("party":["dan"],)");
  const auto seen = look();
  ASSERT_EQ(seen->at(0).pools.size(), 2U);
  const PoolFacts& eu = seen->at(0).pools[0];
  EXPECT_EQ(eu.pool.text(), "duel/region=eu");
  EXPECT_EQ(eu.requests, 2U);
  EXPECT_EQ(eu.decided, 0U);
  const std::vector<PoolFacts::Claim> wanted{{at(begin + 1), 1, {1500}},
                                             {at(begin + 3), 2, {1200}}};
  EXPECT_EQ(eu.claims, wanted);
  EXPECT_EQ(seen->at(0).pools[1].pool.text(), "duel/region=us");
  EXPECT_EQ(seen->at(0).more, 0U);
  EXPECT_EQ(json::parse(seen->at(0).statistics)["waiting"], 3);
}

TEST_F(PoolWatchTest, names_no_player) {
  ask("ann-the-player", "eu", 1500, R"("party":["dan-the-player"],)");
  EXPECT_EQ(pools_json(*look(), 0).find("the-player"), std::string::npos);
}

TEST_F(PoolWatchTest, has_a_claim_once_however_many_requests_it_has) {
  ask("ann", "eu", 1500);
  ask("ann", "eu", 1500);
  const auto seen = look();
  EXPECT_EQ(seen->at(0).pools.at(0).requests, 2U);
  EXPECT_EQ(seen->at(0).pools.at(0).claims.size(), 1U);
}

TEST_F(PoolWatchTest, looks_once_in_a_second) {
  const auto twice = on_thread([this] {
    const auto first = watch_.look(desk_, core_, at(1'000));
    return watch_.look(desk_, core_, at(1'000) + milliseconds{999}) == first &&
           watch_.look(desk_, core_, at(1'001)) != first;
  });
  EXPECT_TRUE(twice);
}

TEST_F(PoolWatchTest, tells_so_many_pools_and_claims_and_no_more) {
  for (std::size_t i = 0; i < PoolWatch::pools_most + 2; ++i) {
    ask("p" + std::to_string(i), "r" + std::to_string(i), 1500);
  }
  for (std::size_t i = 0; i < PoolWatch::claims_most + 2; ++i) {
    send("q" + std::to_string(i), "r1", static_cast<int>(i));
  }
  all_wait();
  const auto seen = look();
  EXPECT_EQ(seen->at(0).pools.size(), PoolWatch::pools_most);
  EXPECT_EQ(seen->at(0).more, 2U);
  const PoolFacts& full = seen->at(0).pools.at(1);
  EXPECT_EQ(full.requests, PoolWatch::claims_most + 3);
  ASSERT_EQ(full.claims.size(), PoolWatch::claims_most);
  EXPECT_EQ(full.claims.front().numbers, (std::vector<std::int64_t>{1500})) << "the oldest is kept";
}

TEST_F(PoolWatchTest, says_of_times_when_they_were_and_not_how_long_ago) {
  auto told = std::make_shared<wire::Explained>();
  told->tickets = 7;
  told->nearest = {.by = 0, .room = false, .beyond = 12, .in = milliseconds{5'000}};
  const auto rules = modes()[1].rules;
  const std::vector<ModePools> modes{{.mode = ModeName{"duel"},
                                      .statistics = R"({"waiting":1})",
                                      .pools = {{.pool = GroupKey{"duel/region=eu"},
                                                 .requests = 3,
                                                 .decided = 1,
                                                 .claims = {{TimePoint{seconds{2}}, 1, {1500}}},
                                                 .why = {rules, told, TimePoint{seconds{4}}}}},
                                      .more = 1}};
  EXPECT_EQ(json::parse(pools_json(modes, 1'000'000)), json::parse(R"({"pools":[
    {"mode":"duel","statistics":{"waiting":1},"more":1,"pools":[
      {"pool":"duel/region=eu","requests":3,"decided":1,
       "claims":[{"since_ms":1002000,"players":1,"numbers":[1500]}],
       "why":{"at_ms":1004000,"requests":7,"rooms":0,"acceptable":0,"refused":[],
              "nearest":{"rule":"distance","number":"rating","room":false,"beyond":12,"in_ms":5000},
              "players_missing":0,"enough_in_ms":null,"roles_missing":[],
              "regions_full":[]}}]}]})"));
}

TEST_F(PoolWatchTest, tells_the_rules_that_a_picture_needs) {
  EXPECT_EQ(rules_json(*modes()[1].rules), json::parse(R"({
    "numbers":["rating"],"players_least":2,"players_most":2,"wait_ms":120000,
    "distances":[{"number":0,"widening":"older",
      "steps":[{"after_ms":0,"most":50},{"after_ms":10000,"most":null}]}]})"));
}

}  // namespace
}  // namespace fixkeep::master
