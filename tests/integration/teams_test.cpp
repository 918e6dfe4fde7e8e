// Teams that a mode's rules make: what players are answered is what their game hears.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "client-sim/load/api.hpp"
#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/held_request.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::HeldRequest;
using support::LocalCluster;
using support::Part;

constexpr int most_difference = 300;

using Team = std::map<std::string, int>;  // player -> rating
using Teams = std::map<std::string, Team>;

// Parties that only fit into two teams of five if the planner searches.
const std::vector<std::vector<std::pair<const char*, int>>> parties{
    {{"ann", 1500}, {"bob", 1500}, {"cid", 1500}},
    {{"dan", 1450}, {"eve", 1450}},
    {{"fay", 1550}, {"gus", 1550}},
    {{"hal", 1480}},
    {{"ida", 1520}},
    {{"jon", 1460}}};

std::string request_of(const std::vector<std::pair<const char*, int>>& party,
                       const std::string& wave) {
  std::vector<std::string> names;
  for (const auto& [name, rating] : party) names.push_back(wave + name);
  auto body = json::parse(names.size() == 1 ? support::match_body(names.front(), "eu")
                                            : support::party_body(names, "eu"));
  body["attributes"]["rating"] = party.front().second;
  return body.dump();
}

// Every player's token says the team of the answer.
void expect_tokens_agree(const std::string& body, const std::vector<std::string>& players) {
  const auto seat = client_sim::parse_match_answer(body);
  ASSERT_TRUE(seat && seat->party_tokens.size() + 1 == players.size()) << body;
  EXPECT_FALSE(seat->team.empty());
  EXPECT_TRUE(client_sim::token_agrees(*seat, seat->seat_token, players.front())) << body;
  for (std::size_t i = 1; i < players.size(); ++i) {
    EXPECT_TRUE(client_sim::token_agrees(*seat, seat->party_tokens[i - 1], players[i])) << body;
  }
}

Teams teams_of(const json& told) {
  Teams teams;
  for (const json& team : told) {
    for (const json& player : team.at("players")) {
      teams[team.at("name")][player.at("player_id")] = player.at("attributes").at("rating");
    }
  }
  return teams;
}

struct TeamsOfRules : testing::Test {
  TeamsOfRules()
      : cluster{{.masters = 3, .workers = 1, .capacity = 10, .reservation_ms = 60'000},
                [](LocalCluster::Config& config, Part part, std::size_t) {
                  if (part == Part::worker) {
                    config["rooms"]["outlive_worker_ms"] = 60'000;
                    config["games"][0]["match_data"] = "flexmatch";
                    config["games"][0]["command"] = {
                        std::filesystem::absolute("tests/integration/listening_game.py").string()};
                    return;
                  }
                  config["modes"][0]["rules"] = {
                      {"wait_ms", 60'000},
                      {"party", 5},
                      {"distance",
                       {{{"attribute", "rating"}, {"steps", {{{"after_ms", 0}, {"most", 200}}}}}}},
                      {"teams",
                       {{"count", 2},
                        {"size", 5},
                        {"attribute", "rating"},
                        {"difference", most_difference}}}};
                }} {
    cluster.start();
  }

  // Ten players ask, each party at another master. Returns the players by room and team, as they
  // were answered.
  void play(const std::string& wave) {
    std::vector<HeldRequest> asked;
    for (std::size_t i = 0; i < parties.size(); ++i) {
      asked.emplace_back(cluster.http(i % 3), request_of(parties[i], wave));
    }
    for (std::size_t i = 0; i < parties.size(); ++i) {
      const auto reply = asked[i].answer();
      ASSERT_EQ(reply.status, 200U) << reply.body;
      const json seat = json::parse(reply.body);
      std::vector<std::string> names;
      for (const auto& [name, rating] : parties[i]) names.push_back(wave + name);
      expect_tokens_agree(reply.body, names);
      tokens[wave + parties[i].front().first] = seat.at("seat_token");
      for (const auto& [name, rating] : parties[i]) {
        answered[seat.at("room_id")][seat.at("team")][wave + name] = rating;
      }
    }
    games = cluster.games(0);
  }

  // What the games hear by room: first from their file, later from their SDK.
  std::map<std::string, Teams> told_by(json (*source)(pid_t)) const {
    std::map<std::string, Teams> told;
    for (const pid_t game : games) {
      const std::string room = support::environment_of(game)["FIXKEEP_ROOM_ID"];
      if (!room.empty()) told[room] = teams_of(source(game));
    }
    return told;
  }
  static json in_file(pid_t game) {
    std::ifstream in{support::environment_of(game)["FIXKEEP_FOLDER"] + "/match.json"};
    return json::parse(in).at("teams");
  }
  static json in_sdk(pid_t game) {
    std::ifstream in{support::environment_of(game)["FIXKEEP_FOLDER"] + "/sdk.json"};
    const json annotations = json::parse(in, nullptr, false);
    if (!annotations.is_object()) return json::array();
    // The same players, in the form of FlexMatch.
    const json data = json::parse(annotations.value("fixkeep/matchmaker-data", "{}"));
    json teams = data.value("teams", json::array());
    for (json& team : teams) {
      for (json& player : team.at("players")) {
        player["player_id"] = player.at("playerId");
        for (json& each : player.at("attributes")) each = each.at("valueAttribute");
      }
    }
    const json told = json::parse(annotations.value("fixkeep/teams", "[]"));
    EXPECT_EQ(teams_of(teams), teams_of(told));
    return told;
  }
  void games_hear_what_players_heard(const char* when) {
    support::wait_until(when, [&] { return told_by(in_sdk) == answered; });
  }

  LocalCluster cluster;
  std::map<std::string, Teams> answered;
  std::vector<pid_t> games;                   // those that the first run of the worker has started
  std::map<std::string, std::string> tokens;  // of those who asked
};

int sum_of(const Team& team) {
  int sum = 0;
  for (const auto& [player, rating] : team) sum += rating;
  return sum;
}

TEST_F(TeamsOfRules, are_the_same_for_players_and_games_also_after_the_worker_was_killed) {
  for (const char* wave : {"a-", "b-", "c-"}) ASSERT_NO_FATAL_FAILURE(play(wave));
  EXPECT_EQ(answered.size(), 3U);
  EXPECT_EQ(told_by(in_file), answered);
  games_hear_what_players_heard("the games hear the teams over their SDK");
  for (const auto& [room, teams] : answered) {
    ASSERT_EQ(teams.size(), 2U) << room;
    EXPECT_EQ(teams.begin()->first, "1");
    EXPECT_EQ(teams.rbegin()->first, "2");
    for (const auto& [name, team] : teams) EXPECT_EQ(team.size(), 5U) << room << ' ' << name;
    EXPECT_LE(std::abs(sum_of(teams.at("1")) - sum_of(teams.at("2"))), most_difference);
  }
  cluster.worker(0).kill();
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  cluster.wait_until_ready();
  games_hear_what_players_heard("the games hear the teams from the next worker");
  expect_clean_stop(cluster);
}

TEST_F(TeamsOfRules, a_newcomer_plays_in_the_team_that_a_player_left) {
  ASSERT_NO_FATAL_FAILURE(play("a-"));
  ASSERT_EQ(answered.size(), 1U);
  auto& [room, teams] = *answered.begin();
  const std::string short_team = teams.at("1").contains("a-hal") ? "1" : "2";
  const auto left = support::remove(cluster.http(2), "/v1/seats/" + tokens.at("a-hal"));
  ASSERT_TRUE(left && left->status == 204U) << (left ? left->body : "no answer");
  teams.at(short_team).erase("a-hal");
  games_hear_what_players_heard("the game hears who left");
  HeldRequest newcomer{cluster.http(1), request_of({{"kim", 1490}}, "")};
  const std::string answer = newcomer.answer().body;
  expect_tokens_agree(answer, {"kim"});
  const json seat = json::parse(answer);
  EXPECT_EQ(seat.at("room_id"), room);
  EXPECT_EQ(seat.at("team"), short_team);
  teams.at(short_team)["kim"] = 1490;
  games_hear_what_players_heard("the game hears who joined");
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
