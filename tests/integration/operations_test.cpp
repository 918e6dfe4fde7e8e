// What operators do with workers that run: games that do not start, drains, and a new
// configuration.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using support::get_json;
using support::LocalCluster;
using support::Node;
using support::Part;
using support::Players;
using support::wait_until;

const client_sim::ClusterOptions one_of_each{
    .masters = 1, .workers = 1, .capacity = 4, .boot_ms = 0};

json answer_of(const LocalCluster& cluster, const std::string& region, unsigned status,
               std::chrono::milliseconds wait = 10s) {
  auto body = json::parse(support::match_body("ann-" + region, region));
  body["wait_ms"] = wait.count();
  const auto reply = support::post(cluster.http(0), "/v1/match", body.dump());
  EXPECT_TRUE(reply);
  if (!reply) return {};
  EXPECT_EQ(reply->status, status) << reply->body;
  return json::parse(reply->body);
}

unsigned status_of(const client_sim::Endpoint& where, const std::string& target) {
  const auto reply = support::get(where, target);
  return reply ? reply->status : 0;
}

unsigned posted(const client_sim::Endpoint& where, const std::string& target,
                const std::string& body = {}) {
  const auto reply = support::post(where, target, body);
  return reply ? reply->status : 0;
}

TEST(Operations, a_game_that_never_starts_is_paused_and_the_operator_is_told_why) {
  LocalCluster cluster{
      one_of_each, [](auto& config, Part part, std::size_t) {
        if (part != Part::worker) return;
        config["games"][0]["command"] = {"/bin/sh", "-c", "echo cannot bind; exit 1"};
      }};
  cluster.start();
  const auto refused = answer_of(cluster, "eu", 503);
  EXPECT_EQ(refused.at("type"), "urn:fixkeep:error:boot-failed");
  EXPECT_FALSE(contains(refused.dump(), "cannot bind")) << "that is for operators";
  wait_until("the master's log says why", [&] {
    return contains(cluster.master(0).log(), "why=\"w1: exit code 1: cannot bind\"");
  });
  const auto paused = cluster.workers(0).at(0).at("paused");
  ASSERT_EQ(paused.size(), 1U);
  EXPECT_EQ(paused[0].at("cause"), "failing");
  EXPECT_EQ(cluster.rooms_started(0), 3U) << "one, and two more after their pauses";
}

TEST(Operations, a_drained_mode_and_worker_take_nobody_until_they_are_resumed) {
  LocalCluster cluster{one_of_each};
  cluster.start();
  const auto seat = answer_of(cluster, "eu", 200);
  const auto worker = cluster.worker_admin(0);
  const auto room = "/v1/rooms/" + seat.at("room_id").get<std::string>();
  EXPECT_EQ(posted(worker, room + "/drain"), 202U);
  wait_until("the master knows that the room drains",
             [&] { return get_json(cluster.admin(0), room).value("phase", "") == "draining"; });
  EXPECT_EQ(posted(worker, "/v1/modes/duel/drain"), 202U);
  wait_until("the master knows that the mode drains",
             [&] { return cluster.workers(0).at(0).at("paused").size() == 1; });
  const auto refused = answer_of(cluster, "us", 503, 500ms);
  EXPECT_EQ(refused.at("reason"), "mode-drained");
  EXPECT_EQ(status_of(worker, "/readyz"), 200U);
  EXPECT_EQ(posted(worker, "/v1/drain", R"({"most_ms": 600000})"), 202U);
  EXPECT_EQ(status_of(worker, "/readyz"), 503U);
  EXPECT_EQ(posted(worker, "/v1/resume"), 202U);
  EXPECT_EQ(posted(worker, "/v1/modes/duel/resume"), 202U);
  EXPECT_EQ(status_of(worker, "/readyz"), 200U);
  wait_until("the master knows that it is over",
             [&] { return cluster.workers(0).at(0).at("paused").empty(); });
  (void)answer_of(cluster, "us", 200);
}

// The room is of one worker, the call of another node: any master carries it.
TEST(Operations, a_master_drains_and_closes_rooms_reads_logs_and_drains_workers) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 4, .boot_ms = 0},
                       [](auto& config, Part part, std::size_t) {
                         if (part != Part::worker) return;
                         auto& command = config["games"][0]["command"];
                         json talkative = {"/bin/sh", "-c", "echo I am here; exec \"$@\"", "sh"};
                         talkative.insert(talkative.end(), command.begin(), command.end());
                         command = talkative;
                       }};
  cluster.start();
  const auto operators = cluster.admin(1);
  const auto room_of = [&](const std::string& region) {
    return "/v1/rooms/" + answer_of(cluster, region, 200).at("room_id").get<std::string>();
  };
  const auto first = room_of("eu");
  wait_until("the second master knows the room",
             [&] { return status_of(operators, first) == 200; });
  EXPECT_EQ(status_of(operators, first + "/log"), 200U);
  // What a game writes is kept by its keeper, which may come to it after the game has played.
  wait_until("the log has what the game wrote", [&] {
    const auto log = support::get(operators, first + "/log");
    return log && log->body.find("I am here") != std::string::npos;
  });
  EXPECT_EQ(posted(operators, first + "/drain", R"({"most_ms": "soon"})"), 400U);
  EXPECT_EQ(posted(operators, first + "/drain"), 202U);
  wait_until("both masters know that the room drains", [&] {
    return get_json(cluster.admin(0), first).value("phase", "") == "draining" &&
           get_json(operators, first).value("phase", "") == "draining";
  });
  const auto second = room_of("us");
  wait_until("the second master knows that room",
             [&] { return status_of(operators, second) == 200; });
  EXPECT_EQ(posted(operators, second + "/close", R"({"most_ms": 5})"), 400U);
  EXPECT_EQ(posted(operators, second + "/close"), 202U);
  wait_until("the room is gone", [&] { return status_of(operators, second) == 404; });
  EXPECT_EQ(status_of(operators, second + "/log"), 200U) << "its last words are kept";
  EXPECT_EQ(posted(operators, "/v1/workers/w1/drain"), 202U);
  wait_until("the worker drains",
             [&] { return status_of(cluster.worker_admin(0), "/readyz") == 503; });
  EXPECT_EQ(posted(operators, "/v1/workers/w1/resume"), 202U);
  wait_until("the worker goes on",
             [&] { return status_of(cluster.worker_admin(0), "/readyz") == 200; });
  EXPECT_EQ(posted(operators, "/v1/workers/w9/drain"), 404U);
}

TEST(Operations, a_worker_that_forbids_it_does_nothing_for_operators_of_masters) {
  LocalCluster cluster{one_of_each, [](auto& config, Part part, std::size_t) {
                         if (part == Part::worker) config["admin"]["through_masters"] = false;
                       }};
  cluster.start();
  const auto room = "/v1/rooms/" + answer_of(cluster, "eu", 200).at("room_id").get<std::string>();
  const auto refused = support::post(cluster.admin(0), room + "/close", "");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 403U);
  EXPECT_NE(refused->body.find("worker-forbids"), std::string::npos) << refused->body;
  EXPECT_EQ(status_of(cluster.admin(0), room + "/log"), 403U);
  EXPECT_EQ(get_json(cluster.admin(0), room).value("phase", ""), "open");
  EXPECT_EQ(posted(cluster.worker_admin(0), room + "/close"), 404U) << "a worker has no such call";
  EXPECT_EQ(posted(cluster.worker_admin(0), room + "/drain"), 202U);
}

TEST(Operations, a_worker_with_a_drain_time_ends_when_its_players_have_left) {
  LocalCluster cluster{one_of_each, [](auto& config, Part part, std::size_t) {
                         if (part == Part::worker) config["worker"]["drain_ms"] = 600'000;
                       }};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(4, 1);
  players.run_until_decided();
  expect_all_inside(players, 4);
  Node& worker = cluster.worker(0);
  worker.signal(SIGTERM);
  wait_until("the worker is not ready",
             [&] { return status_of(cluster.worker_admin(0), "/readyz") == 503; });
  EXPECT_EQ(cluster.rooms(0).at(0).at("phase"), "draining");
  EXPECT_TRUE(worker.running());
  players.hang_up();
  EXPECT_EQ(worker.wait_for_end(20s), "exit code 0");
}

TEST(Operations, hangup_takes_over_games_for_new_rooms_and_refuses_mistakes) {
  LocalCluster cluster{one_of_each};
  cluster.start();
  (void)answer_of(cluster, "eu", 200);
  Node& worker = cluster.worker(0);
  auto config = json::parse(std::ifstream{worker.config_file()});
  const auto read_again = [&] {
    std::ofstream{worker.config_file()} << config.dump(2);
    worker.signal(SIGHUP);
  };
  const auto says = [&](const std::string& part) {
    wait_until("the worker says " + part, [&] { return contains(worker.log(), part); });
  };
  config["games"][0]["command"] = json::array();
  read_again();
  says("the configuration has mistakes; nothing of it is taken over");
  config["games"][0]["command"] = {"/bin/sh", "-c", "echo the new one; exit 7"};
  config["rooms"]["limit"] = 17;
  read_again();
  says("changed=games[0].command");
  says("these keys have changed and need a restart keys=rooms.limit");
  (void)answer_of(cluster, "us", 503);
  wait_until("the master's log says why",
             [&] { return contains(cluster.master(0).log(), "exit code 7: the new one"); });
  ASSERT_EQ(cluster.rooms(0).size(), 1U) << "the old room goes on";
  EXPECT_EQ(cluster.rooms(0)[0].at("phase"), "open");
}

}  // namespace
}  // namespace fixkeep::integration
