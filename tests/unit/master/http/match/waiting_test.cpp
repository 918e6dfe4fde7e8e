// What waits at a MatchDesk, over a real HTTP server and a real core that has not met anybody yet,
// so that every request waits.
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "master/core/master_core.hpp"
#include "master/http/match/desk.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::master {
namespace {

class WaitingTest : public ::testing::Test {
 protected:
  WaitingTest() : thread_([this] { context_.run(); }) {}
  ~WaitingTest() override {
    boost::asio::post(context_, [this] { server_.reset(); });
    work_.reset();
    thread_.join();
  }

  // A second later than the one before; it waits when this returns.
  void ask(const std::string& player, const std::string& region) {
    clients_.push_back(std::make_unique<net::test::Client>(server_->port()));
    const std::string body = R"({"player_id":")" + player +
                             R"(","mode":"duel","attributes":{"region":")" + region + R"("}})";
    clients_.back()->send("POST /v1/match HTTP/1.1\r\nHost: h\r\nContent-Length: " +
                          std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto wanted = ++asked_;
    ASSERT_TRUE(net::test::eventually([&] { return facts().requests == wanted; }));
  }
  WaitingFacts facts() {
    std::packaged_task<WaitingFacts()> task{[this] { return desk_.waiting_facts(core_); }};
    auto done = task.get_future();
    boost::asio::post(context_, [&task] { task(); });
    return done.get();
  }
  static TimePoint at(int second) { return TimePoint{std::chrono::seconds{3600 + second}}; }

  std::vector<std::unique_ptr<net::test::Client>> clients_;

 private:
  static MasterOptions options() {
    MasterOptions options;
    options.self = MasterId{1};
    options.locks.self = MasterId{1};
    options.locks.peers = {MasterId{2}};
    return options;
  }
  static Mode duel() {
    Mode mode;
    mode.name = ModeName{"duel"};
    mode.capacity = 8;
    mode.attributes = {"region"};
    return mode;
  }

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  std::size_t asked_ = 0;
  int second_ = 0;  // of the server's thread
  MasterCore core_{options(), at(0)};
  MatchDesk desk_{{.self = MasterId{1}, .incarnation = {}, .intake = {.modes = {duel()}}},
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

TEST_F(WaitingTest, is_told_by_group_with_those_first_that_wait_longest) {
  EXPECT_FALSE(facts().since);
  ask("ann", "eu");
  ask("bob", "us");
  ask("cem", "eu");
  const auto seen = facts();
  EXPECT_EQ(seen.since, at(1));
  ASSERT_EQ(seen.groups.size(), 2U);
  EXPECT_EQ(seen.groups[0].group.text(), "duel/region=eu");
  EXPECT_EQ(seen.groups[0].requests, 2U);
  EXPECT_EQ(seen.groups[0].since, at(1));
  EXPECT_EQ(seen.groups[1].requests, 1U);
  EXPECT_EQ(seen.groups[1].since, at(2));
}

TEST_F(WaitingTest, is_no_longer_told_of_a_client_that_hangs_up) {
  ask("ann", "eu");
  ask("bob", "us");
  clients_[0]->close();
  ASSERT_TRUE(net::test::eventually([&] { return facts().requests == 1; }));
  const auto seen = facts();
  EXPECT_EQ(seen.since, at(2));
  ASSERT_EQ(seen.groups.size(), 1U);
  EXPECT_EQ(seen.groups[0].group.text(), "duel/region=us");
}

TEST_F(WaitingTest, is_told_of_so_many_groups_and_no_more) {
  for (int i = 0; i < 60; ++i) ask("p" + std::to_string(i), "r" + std::to_string(i));
  const auto seen = facts();
  EXPECT_EQ(seen.requests, 60U);
  ASSERT_EQ(seen.groups.size(), 50U);
  EXPECT_EQ(seen.groups.back().since, at(50));
}

}  // namespace
}  // namespace fixkeep::master
