// A player whose connection broke finds its seat again, at whatever master it asks.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using support::LocalCluster;
using support::Part;

nlohmann::json seat_of(const LocalCluster& cluster, std::size_t master, const std::string& player) {
  const auto reply = support::ask_for_seat(cluster.http(master), player, "eu");
  EXPECT_TRUE(reply && reply->status == 200U) << (reply ? reply->body : "no answer");
  return reply ? nlohmann::json::parse(reply->body) : nlohmann::json{};
}

TEST(Reconnect, a_player_who_was_cut_off_finds_its_room_and_leaves_it_to_others_if_it_wants) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 1, .boot_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part == Part::worker) config["games"][0]["reconnect_ms"] = 3'600'000;
                       }};
  cluster.start();
  const auto first = seat_of(cluster, 0, "ann");
  const std::string room = first.at("room_id");
  // A visit ends at once, which the game tells its worker.
  EXPECT_EQ(support::join(*client_sim::parse_match_answer(first.dump())), "WELCOME");
  // Of the worker, which let ann in before the visit was welcome.
  const auto seats = [&](const char* state) {
    return support::get_metric(cluster.worker_admin(0), "worker_seats", state);
  };
  support::wait_until("the game has said that ann has gone",
                      [&] { return seats("occupied") == 0; });
  EXPECT_EQ(seats("reserved"), 1);
  EXPECT_NE(seat_of(cluster, 0, "bob").at("room_id"), room);
  const auto again = seat_of(cluster, 1, "ann");
  EXPECT_EQ(again.at("room_id"), room);
  EXPECT_EQ(support::join(*client_sim::parse_match_answer(again.dump())), "WELCOME");
  support::wait_until("the game has said so again", [&] { return seats("occupied") == 0; });
  EXPECT_EQ(seats("reserved"), 2) << "bob's is the other one";
  const std::string token = again.at("seat_token");
  EXPECT_EQ(support::remove(cluster.http(0), "/v1/seats/" + token)->status, 204U);
  support::wait_until("the seat is free", [&] { return seats("reserved") == 1; });
  EXPECT_EQ(seat_of(cluster, 0, "cid").at("room_id"), room);
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
