// fixkeep-lock-node as its users meet it: three processes, driven by lines of JSON.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "client-sim/comparison.hpp"
#include "lab/locks/log.hpp"
#include "lab/locks/nodes.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using client_sim::DrivenProcess;
using client_sim::DrivenReply;
using client_sim::LockNodes;
using nlohmann::json;

constexpr auto limit = 10s;

class LockNodeProcesses : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    const auto ports = slots_.take(1);
    ASSERT_TRUE(ports);
    ASSERT_EQ(client_sim::start_servers(GetParam(), servers_), "");
    client_sim::LockNodesOptions options;
    options.strategy = GetParam();
    if (!servers_.empty()) options.servers = servers_.begin()->second->addresses();
    options.first_port = ports->first;
    options.cluster = "test";
    options.lease_ms = 1000;
    options.folder = folder_.path();
    auto started = LockNodes::start(std::move(options));
    if (const auto* failure = std::get_if<std::string>(&started)) FAIL() << *failure;
    nodes_ = std::move(std::get<std::unique_ptr<LockNodes>>(started));
  }

  void TearDown() override {
    if (nodes_) { EXPECT_EQ(nodes_->stop(), ""); }
  }

  DrivenProcess& node(std::size_t number) { return nodes_->node(number - 1); }

  void tell(std::size_t number, const json& command) {
    const auto reply = node(number).ask(command, limit);
    EXPECT_TRUE(reply) << reply.failure;
  }
  void acquire(std::size_t number, const std::string& key) {
    tell(number, {{"do", "acquire"}, {"key", key}});
  }
  void release(std::size_t number, const std::string& key, const std::string& bytes = "") {
    tell(number, {{"do", "release"}, {"key", key}, {"bytes", bytes}});
  }
  json granted(std::size_t number) {
    const auto reply = node(number).event("granted", limit);
    EXPECT_TRUE(reply) << reply.failure;
    return reply ? reply.line : json{{"token", {0, 0}}, {"bytes", ""}, {"needs_fence", false}};
  }
  // Nothing but news of links comes within a moment.
  void expect_silence(std::size_t number) {
    const auto reply = node(number).event("granted", 200ms);
    EXPECT_FALSE(reply) << reply.line.dump();
  }
  void wait_for_peer(std::size_t number, std::size_t peer, bool up) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      const auto status = node(number).ask({{"do", "status"}}, limit);
      ASSERT_TRUE(status) << status.failure;
      if (status.line.at("peers").at(std::to_string(peer)) == up) return;
    }
    FAIL() << "node " << number << " did not see node " << peer << (up ? " come" : " go");
  }

  client_sim::PortSlots slots_;
  client_sim::LockServers servers_;
  test::TemporaryFolder folder_;
  std::unique_ptr<LockNodes> nodes_;
};

TEST_P(LockNodeProcesses, hand_on_the_lock_with_its_value_and_a_greater_token) {
  acquire(1, "duel");
  const auto first = granted(1);
  EXPECT_EQ(first.at("bytes"), "");
  acquire(2, "duel");
  expect_silence(2);
  release(1, "duel", "two rooms are open");
  const auto second = granted(2);
  EXPECT_EQ(second.at("bytes"), "two rooms are open");
  EXPECT_EQ(second.at("uncertain"), false);
  EXPECT_GT(second.at("token").at(0), first.at("token").at(0));
  EXPECT_GT(second.at("wait_us"), 0);
  tell(2, {{"do", "release"}, {"key", "duel"}, {"uncertain", true}});
  acquire(3, "duel");
  const auto third = granted(3);
  EXPECT_EQ(third.at("uncertain"), true);
  EXPECT_EQ(third.at("needs_fence"), true);
  release(3, "duel");
}

TEST_P(LockNodeProcesses, pass_over_whoever_abandoned) {
  acquire(1, "duel");
  (void)granted(1);
  acquire(2, "duel");
  tell(2, {{"do", "abandon"}, {"key", "duel"}});
  release(1, "duel");
  acquire(3, "duel");
  (void)granted(3);
  expect_silence(2);
  release(3, "duel");
}

TEST_P(LockNodeProcesses, end_a_hold_that_outlasts_its_lease) {
  acquire(1, "duel");
  (void)granted(1);
  acquire(2, "duel");
  const auto lost = node(1).event("lost", limit);
  ASSERT_TRUE(lost) << lost.failure;
  EXPECT_EQ(lost.line.at("reason"), "lease_timeout");
  EXPECT_EQ(granted(2).at("uncertain"), true);
  release(2, "duel");
  const auto late = node(1).ask({{"do", "release"}, {"key", "duel"}}, limit);
  EXPECT_NE(late.failure.find("the key is not held"), std::string::npos) << late.failure;
}

TEST_P(LockNodeProcesses, pass_the_lock_on_when_its_holder_is_killed) {
  acquire(1, "duel");
  const auto before = granted(1);
  acquire(2, "duel");
  expect_silence(2);
  nodes_->kill(0);
  const auto after = granted(2);
  EXPECT_GT(after.at("token"), before.at("token"));
  EXPECT_EQ(after.at("needs_fence"), true) << "the dead one may have ordered something";
  release(2, "duel");
  EXPECT_EQ(nodes_->restart(0), "");
  acquire(1, "duel");
  // It has forgotten everything. Either it has been told, or it fences.
  const auto back = granted(1);
  EXPECT_TRUE(back.at("token") > after.at("token") || back.at("needs_fence") == true) << back;
  release(1, "duel");
}

TEST_P(LockNodeProcesses, are_cut_off_and_come_back) {
  for (const std::size_t other : {2U, 3U}) {
    tell(1, {{"do", "cut"}, {"peer", other}});
    tell(other, {{"do", "cut"}, {"peer", 1}});
  }
  wait_for_peer(2, 1, false);
  wait_for_peer(3, 1, false);
  wait_for_peer(1, 2, false);
  wait_for_peer(1, 3, false);
  // The larger half goes on; it is told to fence, since the other one may do so too.
  acquire(2, "duel");
  EXPECT_EQ(granted(2).at("needs_fence"), true);
  release(2, "duel", "from the larger half");
  for (const std::size_t each : {1U, 2U, 3U}) tell(each, {{"do", "heal"}});
  wait_for_peer(1, 2, true);
  wait_for_peer(1, 3, true);
  // Whoever has not been told of the value fences, and sees the rooms.
  acquire(1, "duel");
  const auto back = granted(1);
  EXPECT_TRUE(back.at("bytes") == "from the larger half" || back.at("needs_fence") == true) << back;
  release(1, "duel");
}

TEST_P(LockNodeProcesses, refuse_rubbish_and_lose_nothing) {
  acquire(1, "duel");
  (void)granted(1);
  EXPECT_FALSE(node(1).ask({{"do", "acquire"}, {"key", "duel"}}, limit)) << "it is held";
  EXPECT_FALSE(node(1).ask({{"do", "cut"}, {"peer", 9}}, limit)) << "the peer is unknown";
  ASSERT_TRUE(node(1).say(json("only a text")));
  const auto refused = node(1).next(limit);
  ASSERT_TRUE(refused) << refused.failure;
  EXPECT_EQ(refused.line.at("error"), "the line is not a JSON object");
  EXPECT_EQ(refused.line.at("line"), 4);
  acquire(2, "duel");
  expect_silence(2);
  release(1, "duel", "still here");
  EXPECT_EQ(granted(2).at("bytes"), "still here");
  release(2, "duel");
  const auto named = node(2).ask({{"do", "statistics"}, {"id", {"any", 1}}}, limit);
  ASSERT_TRUE(named) << named.failure;
  EXPECT_EQ(named.line.at("id"), json({"any", 1}));
  EXPECT_EQ(named.line.at("acquisitions"), 1);
  EXPECT_GT(named.line.at("links").at("frames_sent"), 0);
}

TEST_P(LockNodeProcesses, measure_and_log_what_they_were_granted) {
  const auto alone = node(2).ask(
      {{"do", "uncontended"}, {"key", "alone"}, {"peer", 1}, {"count", 100}, {"warm_up", 10}},
      limit);
  ASSERT_TRUE(alone) << alone.failure;
  EXPECT_EQ(alone.line.at("lock_us").at("count"), 100);
  EXPECT_GT(alone.line.at("round_trip_us").at("p50"), 0.0);

  const auto log_of = [&](std::size_t number) {
    return (folder_ / std::to_string(number)).string();
  };
  for (const std::size_t each : {1U, 2U, 3U}) {
    ASSERT_TRUE(node(each).say({{"do", "contend"},
                                {"keys", 5},
                                {"in_flight", 2},
                                {"seconds", 0.5},
                                {"log", log_of(each)}}));
  }
  EXPECT_FALSE(node(1).ask({{"do", "echo"}, {"peer", 2}}, limit)) << "one measurement at a time";
  std::vector<client_sim::Acquire> acquires;
  std::uint64_t grants = 0;
  for (const std::size_t each : {1U, 2U, 3U}) {
    const auto reply = node(each).answer("contend", limit);
    ASSERT_TRUE(reply) << reply.failure;
    grants += reply.line.at("granted").get<std::uint64_t>();
    std::ifstream file{log_of(each)};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_EQ(client_sim::read_lock_log(text, each - 1, acquires), 0U);
  }
  const auto history = client_sim::judge_history(acquires, 3);
  EXPECT_GT(history.grants, 100U);
  EXPECT_EQ(history.grants, grants);
  EXPECT_GT(history.handovers, 0U);
  EXPECT_EQ(history.double_holders, 0U);
  EXPECT_EQ(history.tokens_fell, 0U);
}

class LockNodeContests : public LockNodeProcesses {};

// A server's grant may be under way to a node that has just abandoned.
TEST_P(LockNodeContests, leave_nothing_held_at_their_end) {
  for (int contest = 0; contest < 10; ++contest) {
    for (const std::size_t each : {1U, 2U, 3U}) {
      ASSERT_TRUE(node(each).say({{"do", "contend"}, {"keys", 2}, {"seconds", 0.05}}));
    }
    for (const std::size_t each : {1U, 2U, 3U}) {
      const auto reply = node(each).answer("contend", limit);
      ASSERT_TRUE(reply) << "contest " << contest << ": " << reply.failure;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LockNodeContests, ::testing::Values("multiphase", "redis"),
                         [](const auto& each) { return std::string{each.param}; });

INSTANTIATE_TEST_SUITE_P(Of, LockNodeProcesses, ::testing::Values("multiphase", "coordinator"),
                         [](const auto& each) { return std::string{each.param}; });

}  // namespace
}  // namespace fixkeep::integration
