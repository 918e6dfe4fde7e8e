// Sides of matches that were made elsewhere: what services are answered, what seat tokens say and
// what each game hears are the same, while players join and leave and workers are killed.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "client-sim/load/api.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Part;
using Sides = std::map<std::string, std::string>;  // player -> team

// FIXKEEP_MATCHES=200 runs the test with this number of matches.
const std::size_t final_count =
    std::getenv("FIXKEEP_MATCHES") == nullptr ? 20 : std::stoul(std::getenv("FIXKEEP_MATCHES"));
constexpr std::size_t service_count = 5;

std::string final_id(std::size_t match) {
  return "final-" + std::to_string(match);
}
std::string final_path(std::size_t match) {
  return "/v1/matches/" + final_id(match);
}
std::string player_of(std::size_t match, const std::string& name) {
  return final_id(match) + "-" + name;
}

json final_body(std::size_t match) {
  json teams = json::array();
  for (const char* team : {"red", "blue"}) {
    json players = json::array();
    for (int i = 0; i < 5; ++i) {
      players.push_back({{"player_id", player_of(match, team + std::to_string(i))}});
    }
    teams.push_back({{"name", team}, {"players", players}});
  }
  return {
      {"mode", "duel"}, {"attributes", {{"region", "eu"}}}, {"teams", teams}, {"wait_ms", 10'000}};
}

// Repeats the call at the next master until the answer has the status.
json until_answered(const std::function<Result<client_sim::HttpReply>(std::size_t)>& call,
                    std::size_t first, unsigned status) {
  std::string last = "no answer";
  for (std::size_t attempt = 0; attempt < 60; ++attempt) {
    const auto reply = call((first + attempt) % 3);
    if (reply && reply->status == status) return json::parse(reply->body, nullptr, false);
    if (reply) last = reply->body;
    std::this_thread::sleep_for(std::chrono::milliseconds{250});
  }
  ADD_FAILURE() << last;
  return {};
}

Sides teams_of_answer(const json& answer) {
  Sides teams;
  for (const json& player : answer.value("players", json::array())) {
    const std::string name = player.at("player_id");
    client_sim::MatchAnswer seat;
    seat.room_id = answer.at("room_id");
    seat.team = player.value("team", "");
    EXPECT_TRUE(client_sim::token_agrees(seat, player.at("seat_token").get<std::string>(), name))
        << answer;
    teams[name] = seat.team;
  }
  return teams;
}

// What the game hears over its SDK.
Sides teams_of_game(const std::map<std::string, std::string>& environment) {
  std::ifstream in{environment.at("FIXKEEP_FOLDER") + "/sdk.json"};
  const json annotations = json::parse(in, nullptr, false);
  if (!annotations.is_object()) return {};
  Sides teams;
  for (const json& team : json::parse(annotations.value("fixkeep/teams", "[]"))) {
    for (const json& player : team.at("players")) {
      teams[player.at("player_id")] = team.at("name");
    }
  }
  return teams;
}

struct MatchTeams : testing::Test {
  MatchTeams()
      : cluster{{.masters = 3, .workers = 2, .capacity = 12, .reservation_ms = 600'000},
                [](LocalCluster::Config& config, Part part, std::size_t) {
                  if (part == Part::master) return;
                  config["rooms"]["outlive_worker_ms"] = 60'000;
                  config["games"][0]["command"] = {
                      std::filesystem::absolute("tests/integration/listening_game.py").string(),
                      "0.5"};
                }} {
    cluster.start();
  }

  // Each service works through its share of the matches.
  void at_all_services(const std::function<void(std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t service = 0; service < service_count; ++service) {
      threads.emplace_back([&, service] {
        for (std::size_t match = service; match < final_count; match += service_count) work(match);
      });
    }
    for (auto& thread : threads) thread.join();
  }

  void make_all() {
    at_all_services([&](std::size_t match) {
      const json answer = until_answered(
          [&](std::size_t master) {
            return support::put(cluster.http(master), final_path(match), final_body(match).dump());
          },
          match, 200);
      Sides teams = teams_of_answer(answer);
      const std::lock_guard lock{mutex};
      expected[final_id(match)] = std::move(teams);
    });
  }

  // Joins the blue team at one master, and then a player of the red team leaves at another.
  void change(std::size_t match) {
    const std::string joins = player_of(match, "late");
    const std::string leaves = player_of(match, "red0");
    const json late{{"players", {{{"player_id", joins}, {"team", "blue"}}}}, {"wait_ms", 5'000}};
    const json answer = until_answered(
        [&](std::size_t master) {
          return support::post(cluster.http(master), final_path(match) + "/players", late.dump());
        },
        match + 1, 200);
    EXPECT_EQ(teams_of_answer(answer), (Sides{{joins, "blue"}}));
    until_answered(
        [&](std::size_t master) {
          return support::remove(cluster.http(master), final_path(match) + "/players/" + leaves);
        },
        match + 2, 204);
    const std::lock_guard lock{mutex};
    expected[final_id(match)][joins] = "blue";
    expected[final_id(match)].erase(leaves);
  }

  LocalCluster cluster;
  std::mutex mutex;
  std::map<std::string, Sides> expected;  // of each match, as it was answered
};

TEST_F(MatchTeams, are_the_same_for_services_tokens_and_games_although_workers_are_killed) {
  make_all();
  ASSERT_EQ(expected.size(), final_count);
  for (const auto& [match, teams] : expected) ASSERT_EQ(teams.size(), 10U) << match;
  std::vector<std::map<std::string, std::string>> games;
  for (const std::size_t worker : {0U, 1U}) {
    for (const pid_t game : cluster.games(worker)) games.push_back(support::environment_of(game));
  }
  ASSERT_EQ(games.size(), final_count);
  const auto heard = [&] {
    std::map<std::string, Sides> teams;
    for (const auto& game : games) teams[game.at("FIXKEEP_MATCH_ID")] = teams_of_game(game);
    return teams;
  };
  support::wait_until("the games hear the teams", [&] { return heard() == expected; });
  std::thread changes{[&] { at_all_services([&](std::size_t match) { change(match); }); }};
  for (const std::size_t worker : {0U, 1U}) {
    std::this_thread::sleep_for(std::chrono::milliseconds{500});
    cluster.worker(worker).kill();
    cluster.worker(worker).start(cluster.config(Part::worker, worker));
  }
  changes.join();
  cluster.wait_until_ready();
  support::wait_until("the games hear who joined and left", [&] { return heard() == expected; });
  at_all_services([&](std::size_t match) {
    const json again = until_answered(
        [&](std::size_t master) {
          return support::put(cluster.http(master), final_path(match), final_body(match).dump());
        },
        match, 200);
    EXPECT_EQ(teams_of_answer(again), expected.at(final_id(match)));
  });
  EXPECT_EQ(cluster.rooms(0).size(), final_count);
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
