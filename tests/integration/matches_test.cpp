// Rooms for matches that were made elsewhere, asked for again and again at any master.
#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/auth/api_key.hpp"
#include "common/auth/seat_token.hpp"
#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/cut_master.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Part;

// FIXKEEP_MATCHES=1000 runs the first test with this number of matches.
const std::size_t match_count =
    std::getenv("FIXKEEP_MATCHES") == nullptr ? 50 : std::stoul(std::getenv("FIXKEEP_MATCHES"));

json body_of(const std::string& match) {
  const auto player = [&](const char* name) { return json{{"player_id", match + "-" + name}}; };
  return {{"mode", "duel"},
          {"attributes", {{"region", "eu"}}},
          {"teams",
           {{{"name", "red"}, {"players", {player("ann"), player("bob")}}},
            {{"name", "blue"}, {"players", {player("cid"), player("dan")}}}}},
          {"metadata", {{"map", "harbour"}}},
          {"wait_ms", 5'000}};
}

std::string path_of(const std::string& match) {
  return "/v1/matches/" + match;
}

// The part of an answer that never changes. Each player's token says the team of the answer.
json kept_part(const json& answer) {
  json kept{{"room_id", answer.at("room_id")},
            {"address", answer.at("address")},
            {"port", answer.at("port")},
            {"players", json::array()}};
  for (const json& player : answer.at("players")) {
    const std::string team = player.value("team", "");
    kept["players"].push_back({player.at("player_id"), team});
    const auto claims = auth::unverified_claims(player.at("seat_token").get<std::string>());
    EXPECT_EQ(json(claims.value().player.text()), player.at("player_id"));
    EXPECT_EQ(claims->facts, auth::seat_facts(team, answer.at("match_id").get<std::string>()));
  }
  return kept;
}

std::string join(const json& answer, const json& player) {
  client_sim::MatchAnswer seat;
  seat.room_id = answer.at("room_id");
  seat.address = answer.at("address");
  seat.port = answer.at("port");
  seat.seat_token = player.at("seat_token");
  return support::join(seat);
}

// Sends the request, and closes the connection after the first bytes of the answer, perhaps none.
void ask_and_hang_up(const client_sim::Endpoint& master, const std::string& match,
                     std::size_t bytes) {
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket{context};
  boost::system::error_code error;
  const std::string body = body_of(match).dump();
  socket.connect({boost::asio::ip::make_address(master.host), master.port}, error);
  const std::string request = "PUT " + path_of(match) + " HTTP/1.1\r\nHost: m\r\nContent-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n" + body;
  if (!error) boost::asio::write(socket, boost::asio::buffer(request), error);
  std::string answer(bytes, ' ');
  if (!error) boost::asio::read(socket, boost::asio::buffer(answer), error);
}

// Asks up to five times, each time another master, until one has the room.
json ask_anywhere(const LocalCluster& cluster, const std::string& match, std::size_t first) {
  std::string last = "no answer";
  for (std::size_t attempt = 0; attempt < 5; ++attempt) {
    const auto reply =
        support::put(cluster.http((first + attempt) % 3), path_of(match), body_of(match).dump());
    if (reply && reply->status == 200) return json::parse(reply->body);
    if (reply) last = reply->body;
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
  ADD_FAILURE() << match << ": " << last;
  return {};
}

TEST(Matches, get_one_room_each_although_masters_die_and_are_cut_off) {
  const std::size_t workers = 3 + match_count / 150;
  support::CutMaster third{2};
  LocalCluster cluster{
      {.masters = 3, .workers = workers, .capacity = 4, .boot_ms = 500, .reservation_ms = 600'000},
      third.change()};
  cluster.start();
  std::map<std::string, json> answers;
  std::mutex mutex;
  std::vector<std::thread> services;
  for (std::size_t service = 0; service < 10; ++service) {
    services.emplace_back([&, service] {
      for (std::size_t i = service; i < match_count; i += 10) {
        const std::string match = "match-" + std::to_string(i);
        if (i % 2 == 0) ask_and_hang_up(cluster.http((i + 1) % 3), match, i % 400);
        json answer = ask_anywhere(cluster, match, i);
        const std::lock_guard lock{mutex};
        answers[match] = std::move(answer);
      }
    });
  }
  for (const std::size_t victim : {0U, 1U}) {
    support::wait_until("rooms are ordered", [&] { return !cluster.rooms(2).empty(); });
    cluster.master(victim).kill();
    cluster.master(victim).start(cluster.config(Part::master, victim));
    cluster.wait_until_ready();
  }
  const pid_t sleeper = cluster.master(2).pid();
  ::kill(sleeper, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds{1});
  ::kill(sleeper, SIGCONT);
  third.cut();
  std::this_thread::sleep_for(std::chrono::seconds{3});
  third.mend();
  for (auto& service : services) service.join();
  cluster.wait_until_ready();
  std::set<std::string> rooms;
  std::set<std::string> players;
  for (const auto& [match, first] : answers) {
    ASSERT_TRUE(first.is_object());
    rooms.insert(first.at("room_id"));
    for (std::size_t master = 0; master < 3; ++master) {
      const auto again = support::put(cluster.http(master), path_of(match), body_of(match).dump());
      ASSERT_TRUE(again && again->status == 200U) << (again ? again->body : "no answer");
      EXPECT_EQ(kept_part(json::parse(again->body)), kept_part(first)) << match;
      const auto looked = support::get(cluster.http(master), path_of(match));
      ASSERT_TRUE(looked && looked->status == 200U) << (looked ? looked->body : "no answer");
      EXPECT_EQ(kept_part(json::parse(looked->body)), kept_part(first)) << match;
    }
    for (const json& player : first.at("players")) {
      EXPECT_EQ(join(first, player), "WELCOME");
      EXPECT_TRUE(players.insert(player.at("player_id")).second);
    }
  }
  EXPECT_EQ(rooms.size(), match_count);
  EXPECT_EQ(players.size(), 4 * match_count);
  EXPECT_EQ(cluster.rooms_started(2), match_count);
  expect_clean_stop(cluster);
}

// What the game of the only room was told: its environment, file and annotations.
struct Told {
  explicit Told(const LocalCluster& cluster) {
    for (const pid_t game : cluster.games(0)) environment.merge(support::environment_of(game));
  }
  [[nodiscard]] json file() const {
    std::ifstream in{environment.at("FIXKEEP_FOLDER") + "/match.json"};
    return json::parse(in, nullptr, false);
  }

  std::map<std::string, std::string> environment;
};

// The player asks for another team than the one that the game knows.
void expect_team_of_the_list(const LocalCluster& cluster, const char* player, const char* team) {
  const json again{{"players", {{{"player_id", player}, {"team", "blue"}}}}};
  const auto known = support::post(cluster.http(1), path_of("m1") + "/players", again.dump());
  ASSERT_TRUE(known && known->status == 200U) << (known ? known->body : "no answer");
  const json answer = json::parse(known->body);
  EXPECT_EQ(kept_part(answer).at("players").at(0), (json{player, team}));
}

TEST(Matches, are_told_to_their_games_and_kept_when_the_worker_is_killed) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 6, .boot_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part == Part::worker) config["rooms"]["outlive_worker_ms"] = 60'000;
                       }};
  cluster.start();
  const auto made = support::put(cluster.http(0), path_of("m1"), body_of("m1").dump());
  ASSERT_TRUE(made && made->status == 200U) << (made ? made->body : "no answer");
  const json first = json::parse(made->body);
  const Told told{cluster};
  EXPECT_EQ(told.environment.at("FIXKEEP_MATCH_ID"), "m1");
  EXPECT_EQ(told.environment.at("FIXKEEP_GROUP"), "duel/region=eu");
  EXPECT_EQ(told.file().at("match_id"), "m1");
  EXPECT_EQ(told.file().at("teams"), body_of("m1").at("teams"));
  EXPECT_EQ(told.file().at("metadata"), body_of("m1").at("metadata"));

  const auto other = [&](const char* field, const json& value) {
    json body = body_of("m1");
    body[field] = value;
    return support::put(cluster.http(1), path_of("m1"), body.dump());
  };
  const auto differs = other("metadata", {{"map", "desert"}});
  ASSERT_TRUE(differs);
  EXPECT_EQ(differs->status, 409U);
  EXPECT_EQ(problem_type(differs->body), "match-differs");
  EXPECT_TRUE(contains(differs->body, "metadata")) << differs->body;

  const auto joins = [&](const char* name) {
    const json body{{"players", {{{"player_id", name}, {"team", "red"}}}}};
    return support::post(cluster.http(1), path_of("m1") + "/players", body.dump());
  };
  const auto late = joins("eve");
  ASSERT_TRUE(late && late->status == 200U) << (late ? late->body : "no answer");
  ASSERT_TRUE(joins("fay") && joins("fay")->status == 200U);
  EXPECT_EQ(joins("gus")->status, 409U);
  expect_team_of_the_list(cluster, "eve", "red");
  EXPECT_EQ(support::remove(cluster.http(0), path_of("m1") + "/players/m1-dan")->status, 204U);
  const auto list_at = [&](std::size_t master) {
    const auto reply = support::get(cluster.http(master), path_of("m1"));
    std::map<std::string, std::string> teams;
    if (!reply || reply->status != 200) return teams;
    const json answer = json::parse(reply->body);
    EXPECT_EQ(answer.at("room_id"), first.at("room_id"));
    for (const json& player : answer.at("players")) {
      teams[player.at("player_id")] = player.at("team");
    }
    return teams;
  };
  const std::map<std::string, std::string> expected{
      {"m1-ann", "red"}, {"m1-bob", "red"}, {"m1-cid", "blue"}, {"eve", "red"}, {"fay", "red"}};
  const auto everywhere = [&](const char* what) {
    support::wait_until(what, [&] { return list_at(0) == expected && list_at(1) == expected; });
  };
  everywhere("both masters have the list");
  cluster.worker(0).kill();
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  everywhere("the list is there again");
  EXPECT_EQ(support::put(cluster.http(1), path_of("m1"), body_of("m1").dump())->status, 200U);
  EXPECT_EQ(cluster.rooms_started(0), 1U);

  EXPECT_EQ(support::remove(cluster.http(0), path_of("m1"))->status, 202U);
  for (const std::size_t master : {0U, 1U}) {
    support::wait_until("the match is over", [&] {
      return support::get(cluster.http(master), path_of("m1"))->status == 410U;
    });
    EXPECT_EQ(support::put(cluster.http(master), path_of("m1"), body_of("m1").dump())->status,
              410U);
  }
  expect_clean_stop(cluster);
}

// The master's links break while it is stopped, and it does not know that yet.
TEST(Matches, lose_a_player_who_leaves_through_a_master_that_was_stopped) {
  LocalCluster cluster{
      {.masters = 2, .workers = 1, .capacity = 6, .boot_ms = 0, .reservation_ms = 600'000}};
  cluster.start();
  const auto made = support::put(cluster.http(0), path_of("m1"), body_of("m1").dump());
  ASSERT_TRUE(made && made->status == 200U) << (made ? made->body : "no answer");
  const auto players = [&] {
    const auto reply = support::get(cluster.http(1), path_of("m1"));
    return reply && reply->status == 200 ? json::parse(reply->body).at("players").size() : 0U;
  };
  support::wait_until("the other master knows it", [&] { return players() == 4; });
  for (const char* player : {"ann", "bob"}) {
    ::kill(cluster.master(0).pid(), SIGSTOP);
    std::thread wakes{[&] {
      std::this_thread::sleep_for(std::chrono::seconds{4});
      ::kill(cluster.master(0).pid(), SIGCONT);
    }};
    const auto left =
        support::remove(cluster.http(0), path_of("m1") + "/players/m1-" + std::string{player});
    wakes.join();
    ASSERT_TRUE(left);
    EXPECT_EQ(left->status, 204U) << left->body;
  }
  support::wait_until("they are off the list", [&] { return players() == 2; });
  expect_clean_stop(cluster);
}

// The worker of the first room is stopped until the masters wait for it no more.
TEST(Matches, with_two_rooms_end_both) {
  LocalCluster cluster{{.masters = 2, .workers = 2, .capacity = 6, .boot_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part == Part::master) config["matching"]["out_of_sight_ms"] = 0;
                       }};
  cluster.start();
  const auto made = support::put(cluster.http(0), path_of("m1"), body_of("m1").dump());
  ASSERT_TRUE(made && made->status == 200U) << (made ? made->body : "no answer");
  const std::size_t first = cluster.games(0).empty() ? 1 : 0;
  const auto games = [&] { return cluster.games(0).size() + cluster.games(1).size(); };
  cluster.worker(first).signal(SIGSTOP);
  support::wait_until("it has another room", [&] {
    (void)support::put(cluster.http(0), path_of("m1"), body_of("m1").dump());
    return !cluster.games(1 - first).empty();
  });
  cluster.worker(first).signal(SIGCONT);
  support::wait_until("both rooms are known", [&] { return cluster.rooms(0).size() == 2; });
  EXPECT_EQ(games(), 2U);
  EXPECT_EQ(support::remove(cluster.http(0), path_of("m1"))->status, 202U);
  support::wait_until("both games end", [&] { return games() == 0; });
  expect_clean_stop(cluster);
}

// A service that only waits for the result looks at its match all the time.
TEST(Matches, end_when_their_rooms_are_empty_although_they_are_looked_at) {
  LocalCluster cluster{{.masters = 2,
                        .workers = 1,
                        .capacity = 4,
                        .boot_ms = 0,
                        .reservation_ms = 1'500,
                        .close_empty_after_ms = 500}};
  cluster.start();
  const auto made = support::put(cluster.http(0), path_of("m1"), body_of("m1").dump());
  ASSERT_TRUE(made && made->status == 200U) << (made ? made->body : "no answer");
  const json first = json::parse(made->body);
  EXPECT_EQ(join(first, first.at("players").at(0)), "WELCOME");
  for (const std::size_t master : {0U, 1U}) {
    support::wait_until("the match is over", [&] {
      return support::get(cluster.http(master), path_of("m1"))->status == 410U;
    });
  }
}

// A match without a room has no mode: masters remember the mode with its end.
TEST(Matches, are_closed_to_keys_of_other_modes_also_after_their_end) {
  const std::string ours = "the key of the service of duels";
  const std::string theirs = "the key of a service of races";
  LocalCluster cluster{
      {.masters = 2, .workers = 1, .capacity = 6, .boot_ms = 0},
      [&](LocalCluster::Config& config, Part part, std::size_t) {
        if (part != Part::master) return;
        config["modes"].push_back({{"name", "race"}, {"capacity", 2}});
        config["identity"]["keys"] = {
            {{"name", "duels"}, {"hash", auth::hash_of_api_key(ours)}, {"modes", {"duel"}}},
            {{"name", "races"}, {"hash", auth::hash_of_api_key(theirs)}, {"modes", {"race"}}}};
      }};
  cluster.start();
  const auto made = support::put(cluster.http(0), path_of("m1"), body_of("m1").dump(), ours);
  ASSERT_TRUE(made && made->status == 200U) << (made ? made->body : "no answer");
  const auto status = [&](std::size_t master, const std::string& key) {
    const auto reply = support::get(cluster.http(master), path_of("m1"), key);
    return reply ? reply->status : 0U;
  };
  support::wait_until("both masters know it",
                      [&] { return status(0, ours) == 200 && status(1, ours) == 200; });
  EXPECT_EQ(status(0, theirs), 403U);
  EXPECT_EQ(support::remove(cluster.http(0), path_of("m1"), ours)->status, 202U);
  for (const std::size_t master : {0U, 1U}) {
    support::wait_until("it is over", [&] { return status(master, ours) == 410; });
    EXPECT_EQ(status(master, theirs), 403U);
    const auto put =
        support::put(cluster.http(master), path_of("m1"), body_of("m1").dump(), theirs);
    EXPECT_EQ(put->status, 403U) << put->body;
  }
}

}  // namespace
}  // namespace fixkeep::integration
