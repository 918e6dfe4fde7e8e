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
            "attributes.rating must be a number of at most 1000000000000");
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
