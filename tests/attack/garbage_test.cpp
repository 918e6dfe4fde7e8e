#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using support::LocalCluster;
using support::megabyte;

void expect_problem(const LocalCluster& cluster, const std::string& body, const std::string& type) {
  const auto reply = support::post(cluster.http(0), "/v1/match", body);
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->status, 400U);
  const auto document = nlohmann::json::parse(reply->body, nullptr, false);
  ASSERT_TRUE(document.is_object()) << reply->body;
  EXPECT_EQ(document.value("type", ""), "urn:fixkeep:error:" + type);
  EXPECT_EQ(document.value("status", 0), 400);
  EXPECT_FALSE(document.value("title", "").empty());
  EXPECT_FALSE(document.value("detail", "").empty());
}

TEST(BadRequest, unknown_mode_and_no_json_are_told_apart) {
  LocalCluster cluster{{.masters = 1, .workers = 1}};
  cluster.start();
  expect_problem(cluster, R"({"player_id":"p","mode":"chess","attributes":{"region":"eu"}})",
                 "unknown-mode");
  expect_problem(cluster, "seat, please", "invalid-json");
  expect_problem(cluster, R"({"player_id":"p","mode":"duel")", "invalid-json");
  expect_problem(cluster, support::random_bytes(1000, 1), "invalid-json");
  expect_problem(cluster, R"({"player_id":"p","mode":"duel"})", "invalid-request");
  EXPECT_TRUE(cluster.rooms(0).empty());
  expect_clean_stop(cluster);
}

class Garbage : public ::testing::Test {
 protected:
  // A room with one player's seat kept, so that there is a room to throw at.
  void SetUp() override {
    cluster_.start();
    const auto reply = support::ask_for_seat(cluster_.http(0), "anna", "eu");
    ASSERT_TRUE(reply && reply->status == 200);
    seat_ = *client_sim::parse_match_answer(reply->body);
    const auto games = cluster_.games(0);
    ASSERT_EQ(games.size(), 1U);
    const auto sdk = process::environment_of(games.front(), "AGONES_SDK_HTTP_PORT");
    ASSERT_FALSE(sdk.empty());
    sdk_ = {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(std::stoul(sdk))};
  }

  // Everything that was there before still is, and goes on working.
  void expect_service() {
    EXPECT_EQ(support::join(seat_), "WELCOME");
    const auto reply = support::ask_for_seat(cluster_.http(1), "bert", "eu");
    ASSERT_TRUE(reply) << reply.error().message();
    ASSERT_EQ(reply->status, 200U) << reply->body;
    const auto second = client_sim::parse_match_answer(reply->body);
    EXPECT_EQ(second->room_id, seat_.room_id);
    EXPECT_EQ(support::join(*second), "WELCOME");
    for (std::size_t master = 0; master < 2; ++master) {
      EXPECT_TRUE(cluster_.master(master).running());
      EXPECT_EQ(cluster_.rooms_started(master), 1U);
      const auto metrics = support::get(cluster_.admin(master), "/metrics");
      EXPECT_TRUE(metrics && metrics->status == 200);
    }
    const auto health = support::get(cluster_.worker_admin(0), "/healthz");
    EXPECT_TRUE(health && health->status == 200);
    expect_clean_stop(cluster_);
  }

  static void throw_megabyte(const client_sim::Endpoint& where) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      support::throw_bytes(where, support::random_bytes(megabyte, seed));
    }
  }

  LocalCluster cluster_{
      {.masters = 2, .workers = 1, .capacity = 4, .boot_ms = 0, .reservation_ms = 600'000}};
  client_sim::MatchAnswer seat_;
  client_sim::Endpoint sdk_;
};

TEST_F(Garbage, at_a_masters_http_port) {
  throw_megabyte(cluster_.http(0));
  expect_service();
}

TEST_F(Garbage, at_a_masters_http_port_behind_an_honest_header) {
  support::throw_bytes(cluster_.http(0),
                       "POST /v1/match HTTP/1.1\r\nHost: m\r\nContent-Length: 1048576\r\n\r\n" +
                           support::random_bytes(megabyte, 5));
  support::throw_bytes(cluster_.http(0),
                       "POST /v1/match HTTP/1.1\r\nHost: m\r\nTransfer-Encoding: chunked\r\n\r\n" +
                           support::random_bytes(megabyte, 6));
  expect_service();
}

TEST_F(Garbage, at_a_masters_mesh_port) {
  throw_megabyte(cluster_.mesh(0));
  // Small enough a length for the handshake to read on.
  support::throw_bytes(cluster_.mesh(0),
                       std::string{"\x10\x00\x00\x00", 4} + support::random_bytes(megabyte, 7));
  support::throw_bytes(cluster_.mesh(0),
                       std::string{"\x00\x00\x00\x10", 4} + support::random_bytes(megabyte, 8));
  expect_service();
}

TEST_F(Garbage, at_a_rooms_port) {
  throw_megabyte({.host = seat_.address, .port = seat_.port});
  support::throw_bytes({.host = seat_.address, .port = seat_.port},
                       "JOIN " + support::random_bytes(megabyte, 9));
  expect_service();
}

TEST_F(Garbage, at_a_workers_http_port) {
  throw_megabyte(cluster_.worker_admin(0));
  expect_service();
}

TEST_F(Garbage, at_a_games_sdk_port) {
  throw_megabyte(sdk_);
  support::throw_bytes(sdk_,
                       "POST /alpha/player/connect HTTP/1.1\r\nHost: w\r\nContent-Length: 60000"
                       "\r\n\r\n" +
                           support::random_bytes(megabyte, 10));
  expect_service();
}

}  // namespace
}  // namespace fixkeep::integration
