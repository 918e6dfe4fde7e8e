// Whoever guesses codes of private rooms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "common/auth/api_key.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::attack {
namespace {

using integration::expect_clean_stop;
using integration::problem_type;
using support::LocalCluster;
using support::Part;

struct Guessers : testing::Test {
  Guessers() { cluster.start(); }

  // In the name of the player, by a service: each of its players is slowed alone.
  [[nodiscard]] client_sim::HttpReply ask(const std::string& player, const char* member,
                                          const std::string& text,
                                          const std::string& region = "eu") const {
    auto body = nlohmann::json::parse(support::match_body(player, region));
    if (!text.empty()) body[member] = text;
    const auto reply = support::post(cluster.http(0), "/v1/match", body.dump(), key);
    if (!reply) throw std::runtime_error{"no answer: " + reply.error().message()};
    return *reply;
  }
  [[nodiscard]] std::string made_code() const {
    const auto reply = ask("ann", "create", "one");
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return nlohmann::json::parse(reply.body).at("code");
  }
  static void expect_wrong(const client_sim::HttpReply& reply) {
    EXPECT_EQ(reply.status, 403U) << reply.body;
    EXPECT_EQ(problem_type(reply.body), "wrong-code");
  }

  std::string key = auth::make_api_key();
  LocalCluster cluster{
      {.masters = 1, .workers = 1, .capacity = 2, .boot_ms = 0, .log_level = "debug"},
      [this](LocalCluster::Config& config, Part part, std::size_t) {
        if (part != Part::master) return;
        config["modes"][0]["join"] = {"code", "room_id"};
        config["identity"] = {
            {"keys", {{{"name", "back-end"}, {"hash", auth::hash_of_api_key(key)}}}}};
      }};
};

TEST_F(Guessers, learn_from_no_answer_whether_a_room_has_a_code) {
  const auto before = ask("eve", "code", "7K3M-QX2P-9TRW");
  const auto code = made_code();
  const auto after = ask("eve", "code", "7K3M-QX2P-9TRX");
  expect_wrong(before);
  EXPECT_EQ(before.body, after.body);
  // The right code with other attributes is as wrong as any, and the room's own group is no code.
  EXPECT_EQ(ask("eve", "code", code, "us").body, before.body);
  EXPECT_EQ(ask("eve", "code", code.substr(0, 9)).body, before.body);
  expect_clean_stop(cluster);
}

TEST_F(Guessers, are_slowed_each_for_itself_and_keep_no_right_code_away) {
  const auto code = made_code();
  int wrong = 0;
  client_sim::HttpReply reply;
  // A machine that is busy for a second between two calls gives the guesser one more try.
  while (wrong < 100 && (reply = ask("eve", "code", "0000-0000-0000")).status == 403) ++wrong;
  EXPECT_GE(wrong, 5);
  EXPECT_EQ(problem_type(reply.body), "too-many-wrong-codes");
  EXPECT_EQ(ask("eve", "code", code).status, 200U);
  expect_wrong(ask("bob", "code", "0000-0000-0000"));
  expect_clean_stop(cluster);
}

TEST_F(Guessers, come_to_no_private_room_by_its_id_and_learn_nothing_of_it) {
  const auto made = nlohmann::json::parse(ask("ann", "create", "one").body);
  const std::string id = made.at("room_id");
  const auto refused = ask("eve", "room_id", id);
  EXPECT_EQ(problem_type(refused.body), "room-closed");
  const auto nobody = ask("eve", "room_id", id.substr(0, id.rfind('-')) + "-77");
  EXPECT_EQ(nobody.status, refused.status);
  EXPECT_EQ(nobody.body, refused.body);
  EXPECT_EQ(cluster.rooms_started(0), 1U);
  expect_clean_stop(cluster);
}

TEST_F(Guessers, make_no_room_and_leave_nothing_behind) {
  const auto known_groups = [&] {
    return support::get_json(cluster.admin(0), "/v1/locks").at("locks").size();
  };
  const auto before = known_groups();
  for (int i = 0; i < 50; ++i) {
    const auto number = std::to_string(10 + i);
    expect_wrong(ask("p" + number, "code", "0000-0000-00" + number));
  }
  EXPECT_EQ(known_groups(), before);
  EXPECT_EQ(cluster.rooms_started(0), 0U);
  expect_clean_stop(cluster);
}

TEST_F(Guessers, find_no_code_in_a_log) {
  const auto code = made_code();
  EXPECT_EQ(ask("bob", "code", code).status, 200U);
  expect_clean_stop(cluster);
  const auto log = cluster.master(0).log() + cluster.worker(0).log();
  EXPECT_THAT(log, testing::HasSubstr("*code="));  // the group, which is not enough to come in
  EXPECT_THAT(log, testing::Not(testing::HasSubstr(code)));
}

}  // namespace
}  // namespace fixkeep::attack
