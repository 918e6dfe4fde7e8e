#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <vector>

#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using support::LocalCluster;
using support::Players;

std::map<std::string, std::string> workers_by_room(const LocalCluster& cluster) {
  std::map<std::string, std::string> workers;
  for (const auto& room : cluster.rooms(0)) workers[room.at("room_id")] = room.at("worker");
  return workers;
}

TEST(Worker, killed_while_its_rooms_boot_loses_them_and_their_requests_are_served_elsewhere) {
  LocalCluster cluster{{.masters = 3, .workers = 4, .capacity = 8, .boot_ms = 2000}};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(96, 2);
  std::map<std::string, std::string> before;
  players.run_until("all rooms are starting", [&] {
    before = workers_by_room(cluster);
    return before.size() == 12;
  });
  const auto victim = before.begin()->second;
  const auto index = static_cast<std::size_t>(std::stoul(victim.substr(1)) - 1);
  const auto rooms = std::ranges::count(before | std::views::values, victim);
  std::vector<pid_t> games;
  players.run_until("the worker has started a game for each of its rooms", [&] {
    games = cluster.games(index);
    return std::ssize(games) >= rooms;
  });
  ASSERT_EQ(players.decided(), 0U) << "the burst was over before the worker was killed";
  cluster.worker(index).kill();
  players.run_until_decided();

  expect_all_inside(players, 8);
  for (const auto& player : players.all()) {
    EXPECT_EQ(player.asked, 1U) << "the masters, not the players, ask again; " << player.id;
  }
  const auto after = workers_by_room(cluster);
  EXPECT_EQ(after.size(), 12U);
  for (const auto& [room, worker] : before) {
    EXPECT_EQ(after.contains(room), worker != victim) << room;
  }
  for (std::size_t master = 0; master < 3; ++master) {
    EXPECT_EQ(cluster.rooms_started(master), 12U) << "by the workers that are left";
  }
  support::wait_until("the games of the killed worker are gone",
                      [&] { return std::none_of(games.begin(), games.end(), process::alive); });
  players.hang_up();
  expect_clean_stop(cluster);
}

// Starts one room of a single seat for each player, and then ends the worker.
void end_a_worker_of_many_rooms(std::size_t masters, std::size_t rooms) {
  LocalCluster cluster{{.masters = masters, .workers = 1, .capacity = 1, .boot_ms = 0}};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(rooms, 4);
  players.run_until_decided();
  expect_all_inside(players, 1);
  const auto games = cluster.games(0);
  EXPECT_EQ(games.size(), rooms);
  EXPECT_EQ(cluster.worker(0).terminate(10s), "exit code 0");
  EXPECT_TRUE(std::none_of(games.begin(), games.end(), process::alive));
  support::wait_until("no master sees the worker", [&] { return cluster.workers(0).empty(); });
  players.hang_up();
  expect_clean_stop(cluster);
}

TEST(Worker, asked_to_end_ends_forty_games) {
  end_a_worker_of_many_rooms(3, 40);
}

// The end of the last game, the look at the links' clocks and the look at the games' health come at
// the same moment if the worker is busy for long enough.
TEST(Worker, asked_to_end_ends_a_hundred_and_ten_games_of_five_masters) {
  end_a_worker_of_many_rooms(5, 110);
}

TEST(Worker, asked_to_end_again_and_again_still_ends) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 1, .boot_ms = 0}};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(20, 1);
  players.run_until_decided();
  auto& worker = cluster.worker(0);
  support::wait_until(
      "the worker has ended",
      [&] {
        // A thousand times between two looks, so that some signal meets any state of the end.
        for (int count = 0; count < 1000 && worker.running(); ++count) worker.signal(SIGTERM);
        return !worker.running();
      },
      10s);
  // A signal that comes when main() has returned finds nobody who handles it.
  const auto how = worker.wait_for_end(10s);
  EXPECT_TRUE(how == "exit code 0" || how == "signal 15") << how;
  players.hang_up();
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
