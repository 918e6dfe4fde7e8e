// A game closes its room to newcomers and opens it again.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Part;

std::string variable_of(pid_t process, const std::string& name) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/environ"};
  for (std::string each; std::getline(file, each, '\0');) {
    if (each.starts_with(name + '=')) return each.substr(name.size() + 1);
  }
  return {};
}

struct GameDecides : testing::Test {
  GameDecides()
      : cluster{{.masters = 2, .workers = 1, .capacity = 2, .reservation_ms = 60'000},
                [](LocalCluster::Config& config, Part part, std::size_t) {
                  if (part == Part::master) {
                    config["modes"][0]["newcomers"] = "until_started";
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
      folders[variable_of(game, "FIXKEEP_ROOM_ID")] = variable_of(game, "FIXKEEP_FOLDER");
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

  cluster.worker(0).kill();
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  for (const std::size_t master : {0U, 1U}) {
    support::wait_until("the rooms are there again", [&] {
      return room(master, first).is_object() && room(master, second).is_object();
    });
    EXPECT_EQ(room(master, first).at("takes_newcomers"), false);
  }
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

}  // namespace
}  // namespace fixkeep::integration
