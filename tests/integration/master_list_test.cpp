// Masters that come and go while the others run: mesh.masters, changed and read again (SIGHUP).
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Node;
using support::Part;
using support::Players;
using support::wait_until;

// A cluster of four masters, of which three know each other.
class MasterList : public ::testing::Test {
 protected:
  void start_three() {
    for (std::size_t i = 0; i < 3; ++i) cluster_.master(i).start(listing(Part::master, i, 3));
    for (std::size_t i = 0; i < 2; ++i) cluster_.worker(i).start(listing(Part::worker, i, 3));
    for (std::size_t i = 0; i < 3; ++i) {
      wait_until("a master is ready", [&] { return sees(i, 3) && ready(i); });
    }
  }

  [[nodiscard]] static json& list_of(json& config, Part part) {
    return part == Part::master ? config["mesh"]["masters"] : config["masters"];
  }
  // The configuration with the first masters alone.
  [[nodiscard]] json listing(Part part, std::size_t index, std::size_t masters) const {
    json config = cluster_.config(part, index);
    json& list = list_of(config, part);
    while (list.size() > masters) list.erase(list.size() - 1);
    return config;
  }
  static void read_again(Node& node, const json& config) {
    std::ofstream{node.config_file()} << config.dump(2);
    node.signal(SIGHUP);
  }

  // Whether the master lists so many, and has links to all of them and to both workers.
  [[nodiscard]] bool sees(std::size_t master, std::size_t masters) const {
    const auto report = support::get_json(cluster_.admin(master), "/v1/masters");
    if (report.is_null() || report.at("masters").size() != masters) return false;
    for (const auto& row : report.at("masters")) {
      if (!row.at("up").get<bool>()) return false;
    }
    return cluster_.workers(master).size() == 2;
  }
  [[nodiscard]] bool ready(std::size_t master) const {
    const auto report = support::get_json(cluster_.admin(master), "/readyz");
    return !report.is_null() && report.value("status", "") == "ready";
  }
  void wait_for_line(Node& node, const std::string& line) {
    wait_until(node.name() + " says " + line, [&] { return contains(node.log(), line); });
  }

  LocalCluster cluster_{{.masters = 4, .workers = 2, .capacity = 8, .boot_ms = 300}};
};

TEST_F(MasterList, grows_under_load_and_no_room_is_made_twice) {
  start_three();
  Players early{{.masters = {cluster_.http(0), cluster_.http(1), cluster_.http(2)}}};
  early.add_burst(60, 3);  // 20 in each group: three rooms, the last one with 4 seats left
  early.run_until("the burst is under way", [&] { return cluster_.rooms_started(0) > 0; });

  cluster_.master(3).start(cluster_.config(Part::master, 3));
  for (std::size_t i = 0; i < 3; ++i) {
    read_again(cluster_.master(i), listing(Part::master, i, 4));
    wait_for_line(cluster_.master(i), "configuration read again");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    read_again(cluster_.worker(i), listing(Part::worker, i, 4));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    wait_until("every master sees all others", [&] { return sees(i, 4) && ready(i); });
  }
  early.run_until_decided();
  expect_all_inside(early, 8);
  EXPECT_EQ(rooms_of(early), 9U);

  Players late{{.masters = cluster_.masters()}};
  for (std::size_t player = 0; player < 36; ++player) {  // 12 more in each group: one room more
    late.add("late" + std::to_string(player), "r" + std::to_string(player % 3), player / 3 % 4);
  }
  late.run_until_decided();
  expect_all_inside(late, 8);
  EXPECT_EQ(cluster_.rooms_started(3), 12U);
  early.hang_up();
  late.hang_up();
  expect_clean_stop(cluster_);
}

TEST_F(MasterList, shrinks_by_one_and_who_has_left_gets_no_link) {
  start_three();
  for (std::size_t i = 0; i < 2; ++i) {
    read_again(cluster_.master(i), listing(Part::master, i, 2));
    wait_for_line(cluster_.master(i), "list of masters changed masters=\"m1, m2\"");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    read_again(cluster_.worker(i), listing(Part::worker, i, 2));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    wait_until("two are left", [&] { return sees(i, 2) && ready(i); });
  }
  wait_until("the third is alone", [&] { return cluster_.workers(2).empty(); });
  wait_for_line(cluster_.master(0), "link refused");
  Players players{{.masters = {cluster_.http(0), cluster_.http(1)}}};
  players.add_burst(32, 2);
  players.run_until_decided();
  expect_all_inside(players, 8);
  EXPECT_EQ(cluster_.rooms_started(0), 4U);
  players.hang_up();
  expect_clean_stop(cluster_);
}

TEST_F(MasterList, is_refused_with_the_reason_where_it_would_break_the_lock) {
  start_three();
  Node& first = cluster_.master(0);
  const std::string refused = "the configuration has mistakes; nothing of it is taken over";

  read_again(first, listing(Part::master, 0, 1));
  wait_for_line(first, "mesh.masters: only one master may come or go at a time");
  wait_for_line(first, refused);

  read_again(cluster_.master(1), listing(Part::master, 1, 2));
  wait_for_line(cluster_.master(1), "list of masters changed");
  // A room that m2 orders needs m1's leave, which is asked for after m2 has told its list.
  Players player{{.masters = {cluster_.http(1)}}};
  player.add("p", "r", 0);
  player.run_until_decided();
  expect_all_inside(player, 8);
  player.hang_up();
  read_again(first, listing(Part::master, 0, 4));
  wait_for_line(first, "mesh.masters: m2 has another list");

  cluster_.master(2).kill();
  read_again(cluster_.master(1), listing(Part::master, 1, 3));
  wait_until("it is away", [&] { return !sees(0, 3); });
  wait_for_line(cluster_.master(1), "configuration read again");
  wait_until("both have the old list", [&] {
    read_again(first, listing(Part::master, 0, 4));
    return contains(first.log(), "mesh.masters: m3 is away");
  });
  EXPECT_FALSE(contains(first.log(), "list of masters changed"));
  expect_clean_stop(cluster_);
}

}  // namespace
}  // namespace fixkeep::integration
