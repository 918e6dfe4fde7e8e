// An intake takes codes of private rooms, and slows a caller that shows wrong ones.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "common/auth/api_key.hpp"
#include "master/http/match/intake.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string key_of_service = auth::make_api_key();
const TimePoint first_moment{seconds{1000}};
constexpr const char* wrong_code = "0000-0000-0000";

class CodesIntake : public ::testing::Test {
 protected:
  static IntakeOptions options() {
    IntakeOptions made;
    made.modes = {{.name = ModeName{"duel"}, .capacity = 4, .attributes = {"region"}}};
    made.modes.front().join.code = true;
    made.secret = "of the cluster";
    made.identity.keys.push_back({.name = "back-end",
                                  .hash = auth::hash_of_api_key(key_of_service),
                                  .modes = {},
                                  .limits = {}});
    return made;
  }

  // The group of the claim, or the type of the error.
  std::string asked(const std::string& player, const char* member, const std::string& text,
                    TimePoint now = first_moment, const char* client = "10.0.0.1",
                    const std::string& credential = {}) {
    net::HttpRequest request;
    if (!credential.empty()) {
      request.insert(net::http::field::authorization, "Bearer " + credential);
    }
    json body{{"player_id", player}, {"mode", "duel"}, {"attributes", {{"region", "eu"}}}};
    body[member] = text;
    request.body() = body.dump();
    auto taken = intake_.admit(request, boost::asio::ip::make_address(client), now);
    if (const auto* refusal = std::get_if<Identity::Refusal>(&taken)) {
      retry_after_ = refusal->answer.retry_after_seconds;
      ends_connection_ = refusal->answer.last;
      return std::string{refusal->type};
    }
    auto& admitted = std::get<Intake::Admitted>(taken);
    code_ = admitted.held.code;
    intake_.done(admitted.held, true);
    return admitted.body.group.text();
  }
  void guess(const std::string& player, int times, const std::string& credential = {}) {
    for (int i = 0; i < times; ++i) {
      EXPECT_EQ(asked(player, "code", wrong_code, first_moment, "10.0.0.1", credential),
                "wrong-code");
    }
  }

  Intake intake_{options()};
  std::string code_;  // of the one that was taken last
  std::optional<unsigned> retry_after_;
  bool ends_connection_ = false;
};

TEST_F(CodesIntake, who_shows_a_code_is_in_the_group_of_whoever_made_it) {
  const auto group = asked("ann", "create", "x");
  const auto code = code_;
  EXPECT_EQ(asked("bob", "code", code), group);
  EXPECT_EQ(code_, code);
  EXPECT_NE(asked("ann", "create", "y"), group);
}

TEST_F(CodesIntake, after_a_few_wrong_codes_the_next_one_costs_its_connection) {
  guess("eve", 5);
  EXPECT_FALSE(ends_connection_);
  EXPECT_EQ(asked("eve", "code", wrong_code), "too-many-wrong-codes");
  EXPECT_EQ(retry_after_, 1U);
  EXPECT_TRUE(ends_connection_);
  EXPECT_EQ(asked("another name", "code", wrong_code), "too-many-wrong-codes");
  EXPECT_EQ(asked("eve", "code", wrong_code, first_moment + milliseconds{999}),
            "too-many-wrong-codes");
  EXPECT_EQ(asked("eve", "code", wrong_code, first_moment, "10.0.0.2"), "wrong-code");
  EXPECT_EQ(asked("eve", "create", "x").find("duel/"), 0U) << "who makes one guesses nothing";
  EXPECT_EQ(asked("eve", "code", wrong_code, first_moment + seconds{1}), "wrong-code");
}

// Many players may be behind one address.
TEST_F(CodesIntake, wrong_codes_keep_no_right_one_away) {
  const auto group = asked("ann", "create", "x");
  const auto code = code_;
  guess("eve", 5);
  EXPECT_EQ(asked("eve", "code", wrong_code), "too-many-wrong-codes");
  EXPECT_EQ(asked("bob", "code", code), group);
}

TEST_F(CodesIntake, of_the_players_of_a_service_each_is_slowed_alone) {
  guess("eve", 5, key_of_service);
  EXPECT_EQ(asked("eve", "code", wrong_code, first_moment, "10.0.0.1", key_of_service),
            "too-many-wrong-codes");
  EXPECT_EQ(asked("bob", "code", wrong_code, first_moment, "10.0.0.1", key_of_service),
            "wrong-code");
}

}  // namespace
}  // namespace fixkeep::master
