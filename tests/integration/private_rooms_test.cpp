// Players who come to the rooms of others, by code or by id, at two masters that tell each other
// nothing of either.
#include <gtest/gtest.h>

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

struct PrivateRooms : testing::Test {
  PrivateRooms() { cluster.start(); }

  [[nodiscard]] static std::string body_with(const std::string& player, const char* member,
                                             const std::string& text) {
    auto body = nlohmann::json::parse(support::match_body(player, "eu"));
    body[member] = text;
    return body.dump();
  }
  [[nodiscard]] nlohmann::json seat(std::size_t master, const std::string& body) const {
    const auto reply = support::post(cluster.http(master), "/v1/match", body);
    EXPECT_TRUE(reply && reply->status == 200U) << (reply ? reply->body : "no answer");
    return reply ? nlohmann::json::parse(reply->body) : nlohmann::json{};
  }
  // These players ask at the same time, every second one at another master.
  [[nodiscard]] std::set<std::string> rooms_of(std::size_t players, const std::string& code) const {
    std::vector<HeldRequest> asked;
    for (std::size_t i = 0; i < players; ++i) {
      asked.emplace_back(cluster.http(i % 2), body_with("p" + std::to_string(i), "code", code));
    }
    std::set<std::string> rooms;
    for (auto& request : asked) {
      const auto reply = request.answer();
      EXPECT_EQ(reply.status, 200U) << reply.body;
      const auto answer = nlohmann::json::parse(reply.body);
      rooms.insert(answer.at("room_id"));
      EXPECT_EQ(answer.at("code"), code);
      EXPECT_EQ(support::join(*client_sim::parse_match_answer(reply.body)), "WELCOME");
    }
    return rooms;
  }

  LocalCluster cluster{{.masters = 2, .workers = 2, .capacity = 8, .boot_ms = 500},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part == Part::master) config["modes"][0]["join"] = {"code", "room_id"};
                       }};
};

TEST_F(PrivateRooms, are_entered_at_any_master_by_their_code_and_by_nobody_without) {
  const auto made = seat(0, body_with("ann", "create", "one"));
  const std::string code = made.at("code");
  EXPECT_EQ(rooms_of(7, code), std::set<std::string>{made.at("room_id")});
  const auto stranger = seat(1, support::match_body("eve", "eu"));
  EXPECT_NE(stranger.at("room_id"), made.at("room_id"));
  EXPECT_FALSE(stranger.contains("code"));
  EXPECT_EQ(cluster.rooms_started(0), 2U);
  expect_clean_stop(cluster);
}

TEST_F(PrivateRooms, are_made_once_although_all_ask_at_the_same_time) {
  // The creator's word makes the same code at both masters, so a request may be sent once more.
  HeldRequest first{cluster.http(0), body_with("ann", "create", "one")};
  HeldRequest again{cluster.http(1), body_with("ann", "create", "one")};
  const auto made = nlohmann::json::parse(first.answer().body);
  EXPECT_EQ(nlohmann::json::parse(again.answer().body).at("room_id"), made.at("room_id"));
  EXPECT_EQ(cluster.rooms_started(0), 1U);
  const auto other = seat(0, body_with("bob", "create", "one"));
  EXPECT_NE(other.at("code"), made.at("code"));
  // The creator goes, and with it the room. Who has the code still comes together.
  for (std::size_t master : {0U, 1U}) {
    const std::string token = made.at("seat_token");
    EXPECT_EQ(support::remove(cluster.http(master), "/v1/seats/" + token)->status, 204U);
    const std::string id = made.at("room_id");
    support::wait_until("the room has ended", [&] {
      return support::get(cluster.admin(master), "/v1/rooms/" + id)->status == 404;
    });
  }
  EXPECT_EQ(rooms_of(8, made.at("code")).size(), 1U);
  EXPECT_EQ(cluster.rooms_started(0), 3U);
  expect_clean_stop(cluster);
}

TEST_F(PrivateRooms, are_not_come_to_by_their_id_and_other_rooms_are_at_any_master) {
  const auto made = seat(0, body_with("ann", "create", "one"));
  const auto refused =
      support::post(cluster.http(1), "/v1/match", body_with("eve", "room_id", made.at("room_id")));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 409U);
  EXPECT_EQ(problem_type(refused->body), "room-closed");
  const auto open = seat(0, support::match_body("bob", "eu"));
  const auto friends = seat(1, body_with("cid", "room_id", open.at("room_id")));
  EXPECT_EQ(friends.at("room_id"), open.at("room_id"));
  EXPECT_EQ(support::join(*client_sim::parse_match_answer(friends.dump())), "WELCOME");
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
