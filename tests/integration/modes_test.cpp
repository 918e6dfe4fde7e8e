// Modes that are changed while the masters run: the file is written and read again (SIGHUP).
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Part;
using support::wait_until;

struct ModesReadAgain : testing::Test {
  explicit ModesReadAgain(std::uint32_t boot = 0, const LocalCluster::Change& given = {})
      : cluster{{.masters = 2, .workers = 1, .capacity = 2, .boot_ms = boot}, given} {
    cluster.start();
  }

  void read_again(std::size_t master, const std::function<void(json& mode)>& change) {
    json config = cluster.config(Part::master, master);
    change(config["modes"][0]);
    std::ofstream{cluster.master(master).config_file()} << config.dump(2);
    cluster.master(master).signal(SIGHUP);
  }
  void wait_for_line(std::size_t master, const std::string& line) {
    wait_until("it says " + line, [&] { return contains(cluster.master(master).log(), line); });
  }
  [[nodiscard]] json node(std::size_t master) {
    return support::get_json(cluster.admin(master), "/v1/node");
  }
  [[nodiscard]] std::size_t capacity_of(std::size_t master) {
    return node(master).at("configuration").at("modes").at(0).at("capacity");
  }
  // The capacity of the room in which the player gets a seat.
  [[nodiscard]] std::size_t seat(const std::string& player, const std::string& group) {
    const auto reply = support::ask_for_seat(cluster.http(0), player, group);
    EXPECT_TRUE(reply && reply->status == 200U);
    const auto answer = client_sim::parse_match_answer(reply->body);
    std::size_t capacity = 0;
    for (const auto& room : cluster.rooms(0)) {
      if (room.at("room_id") == answer->room_id) capacity = room.at("capacity");
    }
    return capacity;
  }

  LocalCluster cluster;
};

TEST_F(ModesReadAgain, take_effect_when_both_masters_have_them) {
  EXPECT_EQ(seat("anna", "old"), 2U);
  const auto larger = [](json& mode) { mode["capacity"] = 5; };
  read_again(0, larger);
  wait_for_line(0, "modes were read and wait until all masters have them missing=m2");
  EXPECT_EQ(node(0).at("next_modes").at("missing"), json({"m2"}));
  EXPECT_EQ(node(0).at("next_modes").at("modes").at(0).at("capacity"), 5);
  EXPECT_EQ(capacity_of(0), 2U);
  EXPECT_EQ(seat("bert", "between"), 2U);

  read_again(1, larger);
  for (const std::size_t master : {0, 1}) {
    wait_for_line(master, "modes in effect");
    EXPECT_EQ(capacity_of(master), 5U);
    EXPECT_FALSE(node(master).contains("next_modes"));
  }
  EXPECT_EQ(seat("carl", "new"), 5U);
  EXPECT_EQ(seat("dora", "old"), 2U) << "a room keeps what it was made with";
  expect_clean_stop(cluster);
}

struct ModesOfSlowGames : ModesReadAgain {
  ModesOfSlowGames()
      : ModesReadAgain(30'000, [](json& config, Part part, std::size_t) {
          if (part == Part::master) config["modes"][0]["rules"] = {{"wait_ms", 60'000}};
        }) {}
};

TEST_F(ModesOfSlowGames, send_requests_that_wait_in_a_changed_mode_back) {
  auto waits = std::async(std::launch::async,
                          [&] { return support::ask_for_seat(cluster.http(0), "anna", "eu"); });
  wait_until("it waits", [&] {
    return support::get_metric(cluster.admin(0), "master_match_requests_waiting") == 1;
  });
  for (const std::size_t master : {0, 1}) {
    read_again(master, [](json& mode) { mode["warm"] = {{"min", 0}, {"max", 1}}; });
  }
  for (const std::size_t master : {0, 1}) wait_for_line(master, "modes in effect");
  EXPECT_EQ(waits.wait_for(std::chrono::milliseconds{0}), std::future_status::timeout)
      << "warm rooms change nothing for its group";
  for (const std::size_t master : {0, 1}) {
    read_again(master, [](json& mode) { mode["capacity"] = 5; });
  }
  const auto reply = waits.get();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 503U);
  EXPECT_TRUE(contains(reply->body, "modes-changed")) << reply->body;
  EXPECT_EQ(support::get_metric(cluster.admin(0), "master_match_requests_waiting"), 0);
}

}  // namespace
}  // namespace fixkeep::integration
