// Requests of modes whose rules widen.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "master/http/match/body.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

const Mode& ranked() {
  static const Mode mode = [] {
    plan::Rules rules;
    rules.numbers = {"rating", "level"};
    rules.wait = std::chrono::seconds{120};
    rules.party = 2;
    Mode made{ModeName{"ranked"}, 4, {"region"}, {}};
    made.join.code = true;
    made.rules = std::make_shared<plan::Rules>(rules);
    return made;
  }();
  return mode;
}

json ranked_body(const json& rating) {
  return {{"player_id", "ann"},
          {"mode", "ranked"},
          {"attributes", {{"region", "eu"}, {"rating", rating}, {"level", -7}}}};
}

std::variant<MatchBody, MatchProblem> parse_ranked(const json& body) {
  static const std::vector<Mode> only{ranked()};
  return parse_match_body(body.dump(), only, milliseconds{30'000});
}

TEST(RankedBodies, bring_the_numbers_of_the_rules_to_their_pool) {
  const auto body = std::get<MatchBody>(parse_ranked(ranked_body(1499.6)));
  EXPECT_EQ(body.group, GroupKey{"ranked/region=eu"});
  EXPECT_EQ(body.rules, ranked().rules);
  EXPECT_EQ(body.claim.brings, "0 1499 -7");
  EXPECT_EQ(body.wait, milliseconds{120'000}) << "as long as the rules, not as configured";
}

TEST(RankedBodies, say_which_number_is_missing_or_is_none) {
  const auto detail = [](const json& body) {
    return std::get<MatchProblem>(parse_ranked(body)).detail;
  };
  EXPECT_EQ(detail(ranked_body("high")),
            "attributes.rating must be a number of at most 1000000000000, without quotes");
  EXPECT_EQ(detail(ranked_body(-1'000'000'000'001)), detail(ranked_body("high")));
  auto without = ranked_body(1);
  without["attributes"].erase("level");
  EXPECT_EQ(detail(without), "attributes.level is required by mode ranked");
  auto long_wait = ranked_body(1);
  long_wait["wait_ms"] = 120'001;
  EXPECT_EQ(detail(long_wait), "wait_ms must be a whole number from 1 to 120000");
}

TEST(RankedBodies, bring_the_way_to_each_region_that_the_rules_ask_for) {
  Mode mode = ranked();
  auto rules = std::make_shared<plan::Rules>(*mode.rules);
  rules->latency = plan::LatencyRule{{"eu", "us", "ap"}, {{Duration{0}, 80}, {Duration{9}, 120}}};
  mode.rules = std::move(rules);
  const std::vector<Mode> only{mode};
  const auto parsed = [&](const json& latency) {
    auto body = ranked_body(7);
    if (!latency.is_discarded()) body["latency_ms"] = latency;
    return parse_match_body(body.dump(), only, milliseconds{1});
  };
  const auto body = std::get<MatchBody>(parsed({{"eu", 30.0}, {"ap", 120}, {"mars", "far"}}));
  EXPECT_EQ(body.claim.brings, "0 7 -7 30 - 120");
  const auto detail = [&](const json& latency) {
    return std::get<MatchProblem>(parsed(latency)).detail;
  };
  EXPECT_EQ(detail({{"us", 121}}), "latency_ms must have at most 120 for one of: eu, us, ap");
  EXPECT_EQ(detail(json::object()), detail({{"us", 121}}));
  for (const json& wrong : {json{{"eu", -1}}, json{{"eu", 65'535}}, json{{"eu", "near"}}}) {
    EXPECT_EQ(detail(wrong), "latency_ms must have whole numbers from 0 to 65534") << wrong;
  }
  EXPECT_EQ(detail(json::value_t::discarded), detail(json::array()));
  EXPECT_NE(detail(json::array()).find("as GET /v1/modes names them"), std::string::npos);
  auto not_asked = ranked_body(7);
  not_asked["latency_ms"] = {{"eu", 30}};
  EXPECT_EQ(std::get<MatchBody>(parse_ranked(not_asked)).claim.brings, "0 7 -7");
}

// A mode of healers and fighters, who may avoid each other.
std::variant<MatchBody, MatchProblem> parse_raid(const json& more) {
  static const std::vector<Mode> modes = [] {
    plan::Rules rules;
    rules.wait = std::chrono::seconds{1};
    rules.party = 4;
    rules.roles = {{"healer", 2}, {"fighter", 3}};
    rules.avoid = plan::AvoidRule{};
    Mode raid{ModeName{"raid"}, 4, {}, {}};
    raid.rules = std::make_shared<plan::Rules>(rules);
    return std::vector<Mode>{raid, ranked()};
  }();
  json body{{"player_id", "ann"}, {"mode", "raid"}, {"party", {"bob", "cid"}}};
  body.update(more);
  return parse_match_body(body.dump(), modes, milliseconds{1});
}

std::string raid_detail(const json& more) {
  return std::get<MatchProblem>(parse_raid(more)).detail;
}

TEST(RankedBodies, bring_the_roles_of_each_player_and_whom_they_avoid) {
  const auto alike = std::get<MatchBody>(parse_raid({{"roles", {"fighter", "healer"}}}));
  EXPECT_EQ(alike.claim.brings, "0 3");
  EXPECT_TRUE(alike.claim.party_brings.empty()) << "each of the party plays the same";
  const json each{
      {"roles", {"healer"}}, {"party_roles", {{"cid", {"fighter"}}}}, {"avoid", {"eve", "eve"}}};
  const auto body = std::get<MatchBody>(parse_raid(each));
  const auto& rules = *body.rules;
  const auto ann = plan::parse_brings(body.claim.brings, rules);
  ASSERT_TRUE(ann);
  EXPECT_EQ(ann->roles, 0b01);
  EXPECT_EQ(ann->avoids.front(), plan::avoidable(PlayerId{"eve"}));
  ASSERT_EQ(body.claim.party_brings.size(), 2U);
  EXPECT_EQ(plan::parse_brings(body.claim.party_brings[0], rules)->roles, 0b01);
  EXPECT_EQ(plan::parse_brings(body.claim.party_brings[1], rules)->roles, 0b10);
}

TEST(RankedBodies, say_what_is_wrong_with_roles) {
  const std::string wanted = "roles must be a list of one or more of: healer, fighter";
  for (const json& wrong :
       {json::object(), json{{"roles", json::array()}}, json{{"roles", {"healer", "bard"}}},
        json{{"roles", "healer"}}, json{{"roles", {7}}}}) {
    EXPECT_EQ(raid_detail(wrong), wanted) << wrong;
  }
  const json healer{{"roles", {"healer"}}};
  const auto of_party = [&](const json& party_roles) {
    json more = healer;
    more["party_roles"] = party_roles;
    return raid_detail(more);
  };
  for (const json& wrong : {json{{"bob", "healer"}}, json{{"bob", {"bard"}}}, json{{"bob", {1}}},
                            json{{"bob", {{"healer", 1}}}}, json{1}, json("bob")}) {
    EXPECT_EQ(of_party(wrong),
              "party_roles must have for each of fewer than 64 players a list of one or more of: "
              "healer, fighter")
        << wrong;
  }
  EXPECT_EQ(of_party({{"dan", {"healer"}}}),
            "party_roles must name players of the party, without the caller");
  auto elsewhere = ranked_body(1);
  elsewhere["roles"] = {"healer"};
  elsewhere["avoid"] = {"eve"};
  EXPECT_EQ(std::get<MatchProblem>(parse_ranked(elsewhere)).detail,
            "roles is not for this mode: it has no roles, as GET /v1/modes says; "
            "avoid is not for this mode: avoid_most of GET /v1/modes is 0");
}

// They would wait in vain: a party is not split, so no room could ever take it.
TEST(RankedBodies, of_parties_whose_roles_no_team_has_are_refused_at_once) {
  EXPECT_EQ(raid_detail({{"roles", {"healer"}}}),
            "party_roles: 3 of the party play nothing but healer, for which a team has 2 seats");
  const json fighters{{"bob", {"fighter"}}, {"cid", {"fighter"}}, {"dan", {"fighter"}}};
  const auto raid = [&](const json& own) {
    return parse_raid(
        {{"roles", own}, {"party", {"bob", "cid", "dan"}}, {"party_roles", fighters}});
  };
  EXPECT_EQ(std::get<MatchProblem>(raid({"fighter"})).detail,
            "party_roles: 4 of the party play nothing but fighter, for which a team has 3 seats");
  EXPECT_TRUE(std::holds_alternative<MatchBody>(raid({"fighter", "healer"})));
  EXPECT_EQ(raid_detail({{"roles", {"healer", "fighter"}}, {"party", {"b", "c", "d", "e", "f"}}}),
            "party_roles: 6 of the party play nothing but healer, fighter, for which a team has 5 "
            "seats");
}

TEST(RankedBodies, say_who_cannot_be_avoided) {
  const auto avoiding = [](const json& avoid) {
    return raid_detail({{"roles", {"healer"}}, {"avoid", avoid}});
  };
  EXPECT_EQ(avoiding("eve"), "avoid must be a list of at most 16 player ids");
  EXPECT_EQ(avoiding(std::vector<std::string>(17, "eve")), avoiding("eve"));
  EXPECT_EQ(avoiding({"ann"}), "avoid must not name the caller or its party");
  EXPECT_EQ(avoiding({"cid"}), avoiding({"ann"}));
  EXPECT_EQ(avoiding({""}), avoiding("eve"));
  EXPECT_EQ(avoiding({7}), avoiding("eve"));
}

TEST(RankedBodies, with_a_code_are_bound_by_no_rules) {
  auto friends = ranked_body(1);
  friends["attributes"].erase("rating");
  friends["create"] = "word";
  const auto body = std::get<MatchBody>(parse_ranked(friends));
  EXPECT_EQ(body.rules, nullptr);
  EXPECT_EQ(body.claim.brings, "");
}

}  // namespace
}  // namespace fixkeep::master
