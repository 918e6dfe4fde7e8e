// A game closes its room to newcomers and opens it again, or says which players it wants.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/checks.hpp"
#include "tests/support/held_request.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Part;

struct GameDecides : testing::Test {
  explicit GameDecides(std::uint32_t capacity = 2, const json& rules = nullptr)
      : cluster{{.masters = 2, .workers = 1, .capacity = capacity, .reservation_ms = 60'000},
                [rules](LocalCluster::Config& config, Part part, std::size_t) {
                  if (part == Part::master) {
                    config["modes"][0]["newcomers"] = "until_started";
                    if (!rules.is_null()) config["modes"][0]["rules"] = rules;
                    return;
                  }
                  config["rooms"]["outlive_worker_ms"] = 60'000;
                  config["rooms"]["close_empty_after_ms"] = 3'600'000;
                  config["games"][0]["command"] = {
                      std::filesystem::absolute("tests/integration/deciding_game.py").string()};
                }} {
    cluster.start();
  }

  [[nodiscard]] std::string seat_of(const std::string& player, std::size_t master) const {
    const auto reply = support::ask_for_seat(cluster.http(master), player, "eu");
    EXPECT_TRUE(reply && reply->status == 200U) << (reply ? reply->body : "no answer");
    return reply ? json::parse(reply->body).value("room_id", "") : "";
  }
  // Also of a game that an earlier run of the worker has started.
  void game_says(const std::string& room, const json& what) {
    for (const pid_t game : cluster.games(0)) {
      folders[support::environment_of(game)["FIXKEEP_ROOM_ID"]] =
          support::environment_of(game)["FIXKEEP_FOLDER"];
    }
    ASSERT_TRUE(folders.contains(room)) << "no game of " << room;
    const std::string file = folders[room] + "/say.json";
    std::ofstream{file + ".new"} << what;
    std::filesystem::rename(file + ".new", file);
  }
  // As a master shows it; null if the room is gone.
  [[nodiscard]] json room(std::size_t master, const std::string& id) const {
    for (const json& each : cluster.rooms(master)) {
      if (each.at("room_id") == id) return each;
    }
    return nullptr;
  }
  void restart_worker(const std::vector<std::string>& ids) {
    cluster.worker(0).kill();
    cluster.worker(0).start(cluster.config(Part::worker, 0));
    for (const std::size_t master : {0U, 1U}) {
      support::wait_until("the rooms are there again", [&] {
        return std::ranges::all_of(ids,
                                   [&](const auto& id) { return room(master, id).is_object(); });
      });
    }
  }
  void wait_for(const std::string& id, bool takes_newcomers, std::size_t occupied) const {
    for (const std::size_t master : {0U, 1U}) {
      support::wait_until("master " + std::to_string(master) + " knows the room", [&] {
        const json shown = room(master, id);
        return shown.is_object() && shown.at("takes_newcomers") == takes_newcomers &&
               shown.at("occupied") == occupied && shown.at("reserved") == 0;
      });
    }
  }

  LocalCluster cluster;
  std::map<std::string, std::string> folders;  // by room
};

TEST_F(GameDecides, who_gets_the_seat_of_a_player_that_left) {
  const std::string first = seat_of("ann", 0);
  ASSERT_EQ(seat_of("bob", 1), first);
  game_says(first, {{"newcomers", "closed"}, {"players", {"ann", "bob"}}});
  wait_for(first, false, 2);
  game_says(first, {{"newcomers", "closed"}, {"players", {"ann"}}});
  wait_for(first, false, 1);
  const std::string second = seat_of("cid", 1);
  EXPECT_NE(second, first) << "a stranger in a closed room";
  game_says(second, {{"newcomers", "open"}, {"players", {"cid"}}});
  wait_for(second, true, 1);

  restart_worker({first, second});
  EXPECT_EQ(room(0, first).at("takes_newcomers"), false);
  EXPECT_EQ(room(1, first).at("takes_newcomers"), false);
  EXPECT_EQ(seat_of("dan", 0), second);
  game_says(first, {{"newcomers", "open"}, {"players", {"ann"}}});
  support::wait_until("the room is open", [&] { return room(0, first).at("takes_newcomers"); });
  EXPECT_EQ(seat_of("eve", 0), first);
  EXPECT_EQ(cluster.rooms_started(0), 2U);

  game_says(first, {{"newcomers", "closed"}, {"players", {"ann", "eve"}}});
  wait_for(first, false, 2);
  game_says(first, {{"newcomers", "closed"}, {"players", json::array()}});
  support::wait_until("the emptied room ends",
                      [&] { return room(0, first).is_null() && room(1, first).is_null(); });
  expect_clean_stop(cluster);
}

// Two teams of a healer and a fighter. Two healers may begin.
struct GameWants : GameDecides {
  GameWants()
      : GameDecides{4,
                    {{"wait_ms", 60'000},
                     {"size", {{"best", 4}, {"least", 2}, {"after_ms", 0}}},
                     {"teams", {{"count", 2}, {"size", 2}}},
                     {"roles", {{"healer", 1}, {"fighter", 1}}}}} {}

  [[nodiscard]] support::HeldRequest asks(const std::string& player, const std::string& role,
                                          std::size_t master) const {
    json body = json::parse(support::match_body(player, "eu"));
    body["roles"] = {role};
    return {cluster.http(master), body.dump()};
  }
  static json seat(support::HeldRequest& asked) {
    const auto reply = asked.answer();
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return json::parse(reply.body);
  }
};

TEST_F(GameWants, a_fighter_of_one_team_and_no_other_player) {
  auto ann = asks("ann", "healer", 0);
  auto bob = asks("bob", "healer", 1);
  const std::string first = seat(ann).at("room_id");
  const json healer = seat(bob);
  ASSERT_EQ(healer.at("room_id"), first);
  const json wants{{{"team", healer.at("team")}, {"role", "fighter"}, {"players", 1}}};
  game_says(first, {{"newcomers", "closed"}, {"players", {"ann", "bob"}}, {"wants", wants.dump()}});
  wait_for(first, true, 2);
  for (const std::size_t master : {0U, 1U}) { EXPECT_EQ(room(master, first).at("wants"), wants); }
  restart_worker({first});
  wait_for(first, true, 2);
  EXPECT_EQ(room(1, first).at("wants"), wants);

  auto cid = asks("cid", "fighter", 1);
  const json wanted = seat(cid);
  EXPECT_EQ(wanted.at("room_id"), first);
  EXPECT_EQ(wanted.at("team"), healer.at("team"));
  for (const std::size_t master : {0U, 1U}) {
    support::wait_until("the room has its fighter",
                        [&] { return room(master, first).at("takes_newcomers") == false; });
    EXPECT_EQ(room(master, first).at("wants"), json::array());
  }
  auto dan = asks("dan", "fighter", 0);
  auto eve = asks("eve", "healer", 1);
  EXPECT_NE(seat(dan).at("room_id"), first) << "the other team has a seat for a fighter";
  EXPECT_NE(seat(eve).at("room_id"), first);
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
