// Players of a mode whose rules widen, at three masters that decide for all of them together.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/checks.hpp"
#include "tests/support/held_request.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using support::HeldRequest;
using support::LocalCluster;
using support::Part;

nlohmann::json rules_of_a_duel() {
  return {{"wait_ms", 60'000},
          {"distance",
           {{{"attribute", "rating"},
             {"steps", {{{"after_ms", 0}, {"most", 50}}, {{"after_ms", 1'500}, {"most", 400}}}}}}}};
}

std::string ranked(const std::string& player, int rating) {
  auto body = nlohmann::json::parse(support::match_body(player, "eu"));
  body["attributes"]["rating"] = rating;
  return body.dump();
}

struct RulesThatWiden : testing::Test {
  static LocalCluster::Change with(nlohmann::json rules) {
    return [rules = std::move(rules)](LocalCluster::Config& config, Part part, std::size_t) {
      if (part == Part::master) config["modes"][0]["rules"] = rules;
    };
  }

  static nlohmann::json seat_of(HeldRequest& request) {
    const auto reply = request.answer();
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return nlohmann::json::parse(reply.body);
  }
};

TEST_F(RulesThatWiden, bring_players_of_different_masters_together_when_limits_allow_it) {
  LocalCluster cluster{{.masters = 3, .workers = 2, .capacity = 2, .boot_ms = 0},
                       with(rules_of_a_duel())};
  cluster.start();
  const auto began = std::chrono::steady_clock::now();
  HeldRequest far{cluster.http(0), ranked("far", 1000)};
  HeldRequest near{cluster.http(1), ranked("near", 1500)};
  HeldRequest nearer{cluster.http(2), ranked("nearer", 1540)};
  EXPECT_EQ(seat_of(near).at("room_id"), seat_of(nearer).at("room_id"));
  HeldRequest farther{cluster.http(1), ranked("farther", 1300)};
  EXPECT_EQ(seat_of(far).at("room_id"), seat_of(farther).at("room_id"));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds{1'500});
  EXPECT_EQ(cluster.rooms_started(0), 2U);
  expect_clean_stop(cluster);
}

TEST_F(RulesThatWiden, make_exactly_the_rooms_of_a_burst_at_all_masters) {
  LocalCluster cluster{{.masters = 3, .workers = 2, .capacity = 2, .boot_ms = 200},
                       with(rules_of_a_duel())};
  cluster.start();
  std::vector<HeldRequest> asked;
  constexpr std::size_t players = 60;
  for (std::size_t i = 0; i < players; ++i) {
    const int rating = i % 4 < 2 ? 1000 : 2000;  // two islands, each at all masters
    asked.emplace_back(cluster.http(i % 3), ranked("p" + std::to_string(i), rating));
  }
  std::map<std::string, std::set<int>> islands;
  std::map<std::string, int> heads;
  for (std::size_t i = 0; i < players; ++i) {
    const std::string room = seat_of(asked[i]).at("room_id");
    islands[room].insert(i % 4 < 2 ? 1000 : 2000);
    ++heads[room];
  }
  EXPECT_EQ(heads.size(), players / 2);
  for (const auto& [room, ratings] : islands) EXPECT_EQ(ratings.size(), 1U) << room;
  EXPECT_EQ(cluster.rooms_started(0), players / 2);
  expect_clean_stop(cluster);
}

TEST_F(RulesThatWiden, fill_the_free_seat_of_a_room_before_they_make_another_one) {
  auto rules = rules_of_a_duel();
  rules["size"] = {{"best", 2}};
  rules["distance"][0]["steps"].erase(1);
  LocalCluster cluster{{.masters = 3, .workers = 1, .capacity = 3, .boot_ms = 0}, with(rules)};
  cluster.start();
  HeldRequest first{cluster.http(0), ranked("a", 1000)};
  HeldRequest second{cluster.http(1), ranked("b", 1010)};
  const std::string room = seat_of(first).at("room_id");
  EXPECT_EQ(seat_of(second).at("room_id"), room);
  HeldRequest unlike{cluster.http(1), ranked("x", 1100)};
  HeldRequest third{cluster.http(2), ranked("c", 960)};
  EXPECT_EQ(seat_of(third).at("room_id"), room);
  HeldRequest fourth{cluster.http(0), ranked("d", 1105)};
  EXPECT_EQ(seat_of(fourth).at("room_id"), seat_of(unlike).at("room_id"));
  EXPECT_EQ(cluster.rooms_started(0), 2U);
  expect_clean_stop(cluster);
}

TEST_F(RulesThatWiden, make_the_room_where_all_of_its_players_are_near) {
  nlohmann::json rules{{"wait_ms", 60'000}};
  rules["latency"] = {{"regions", {"eu", "us"}}, {"steps", {{{"after_ms", 0}, {"most", 80}}}}};
  LocalCluster cluster{{.masters = 3, .workers = 2, .capacity = 2, .boot_ms = 0},
                       [&](LocalCluster::Config& config, Part part, std::size_t index) {
                         if (part == Part::master) config["modes"][0]["rules"] = rules;
                         if (part == Part::worker) {
                           config["worker"]["zone"] = index == 0 ? "us" : "eu";
                         }
                       }};
  cluster.start();
  const auto from = [&](std::size_t master, const std::string& player, nlohmann::json ways) {
    auto body = nlohmann::json::parse(support::match_body(player, "any"));
    body["latency_ms"] = std::move(ways);
    return HeldRequest{cluster.http(master), body.dump()};
  };
  HeldRequest berlin = from(0, "berlin", {{"eu", 20}, {"us", 110}});
  HeldRequest dublin = from(2, "dublin", {{"eu", 40}, {"us", 75}});
  const std::string in_eu = seat_of(berlin).at("room_id");
  EXPECT_EQ(seat_of(dublin).at("room_id"), in_eu);
  EXPECT_TRUE(in_eu.starts_with("w2-")) << in_eu;
  HeldRequest boston = from(1, "boston", {{"eu", 100}, {"us", 15}});
  HeldRequest denver = from(0, "denver", {{"us", 30}});
  const std::string in_us = seat_of(boston).at("room_id");
  EXPECT_EQ(seat_of(denver).at("room_id"), in_us);
  EXPECT_TRUE(in_us.starts_with("w1-")) << in_us;
  expect_clean_stop(cluster);
}

TEST_F(RulesThatWiden, refuse_who_brings_no_number_and_say_which) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 2, .boot_ms = 0},
                       with(rules_of_a_duel())};
  cluster.start();
  const auto refused =
      support::post(cluster.http(0), "/v1/match", support::match_body("ann", "eu"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 400U);
  EXPECT_NE(refused->body.find("attributes.rating is required"), std::string::npos)
      << refused->body;
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
