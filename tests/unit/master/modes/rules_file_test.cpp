#include "master/modes/rules_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "master/modes/mode_json.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

std::string mode_with(const std::string& capacity, const std::string& rules) {
  return R"({"name": "m", "capacity": )" + capacity + R"(, "rules": {)" + rules + "}}";
}

std::vector<std::string> problems_of(const std::string& text) {
  const auto read = read_rules("m.json", text);
  std::vector<std::string> lines;
  if (const auto* problems = std::get_if<config::Problems>(&read)) {
    for (const auto& problem : *problems) lines.push_back(problem.key + ": " + problem.message);
  }
  return lines;
}

TEST(RulesFile, says_all_that_a_plan_needs_to_know) {
  const auto read = read_rules("five.json", R"({
    "name": "five", "capacity": 10, "attributes": ["version"],
    "rules": {
      "wait_ms": 60000, "party": 3,
      "distance": [{"attribute": "rating", "widen": "both",
                    "steps": [{"after_ms": 0, "most": 50}, {"after_ms": 10000}]}],
      "latency": {"regions": ["eu", "us"], "steps": [{"after_ms": 0, "most": 80}]},
      "size": {"best": 10, "least": 8, "after_ms": 30000},
      "teams": {"count": 2, "size": 5, "attribute": "level", "difference": 200},
      "roles": {"damage": 3, "healer": 2},
      "avoid": {"until_ms": 45000}
    }})");
  ASSERT_TRUE(std::holds_alternative<Mode>(read));
  const auto& mode = std::get<Mode>(read);
  EXPECT_EQ(mode.name, ModeName{"five"});
  EXPECT_THAT(mode.attributes, ElementsAre("version"));
  plan::Rules wanted;
  wanted.numbers = {"rating", "level"};
  wanted.distances = {
      {0, {{Duration{0}, 50}, {seconds{10}, plan::no_limit}}, plan::Widening::both}};
  wanted.latency = plan::LatencyRule{{"eu", "us"}, {{Duration{0}, 80}}};
  wanted.size = {.least = 8, .best = 10, .most = 10, .after = seconds{30}};
  wanted.teams = plan::TeamRule{2, 5, 1, 200};
  wanted.roles = {{"damage", 3}, {"healer", 2}};
  wanted.avoid = plan::AvoidRule{seconds{45}};
  wanted.party = 3;
  wanted.wait = seconds{60};
  EXPECT_EQ(*mode.rules, wanted);
}

TEST(RulesFile, is_shown_as_it_was_read) {
  for (const char* file : {"duel", "five", "battle", "coop"}) {
    const auto read = read_rules_file(std::string{"configs/matching/"} + file + ".json");
    ASSERT_TRUE(std::holds_alternative<Mode>(read)) << file;
    const auto& mode = std::get<Mode>(read);
    const auto again = read_rules("shown", to_json(mode).dump());
    ASSERT_TRUE(std::holds_alternative<Mode>(again)) << to_json(mode).dump(1);
    EXPECT_EQ(*std::get<Mode>(again).rules, *mode.rules) << file;
    EXPECT_EQ(to_json(std::get<Mode>(again)), to_json(mode)) << file;
  }
}

TEST(RulesFile, of_no_rules_makes_full_rooms_of_anybody) {
  const auto read = read_rules("m.json", mode_with("4", ""));
  ASSERT_TRUE(std::holds_alternative<Mode>(read));
  plan::Rules wanted;
  wanted.size = {.least = 4, .best = 4, .most = 4, .after = {}};
  wanted.party = 4;
  wanted.wait = seconds{120};
  EXPECT_EQ(*std::get<Mode>(read).rules, wanted);
}

std::string with_shadow(const std::string& rules, const std::string& shadow) {
  return R"({"name": "m", "capacity": 4, "rules": {)" + rules + R"(}, "rules_shadow": {)" + shadow +
         "}}";
}

TEST(RulesFile, has_shadow_rules_that_know_what_players_bring_anyway) {
  const auto read = read_rules("m.json", with_shadow(R"(
      "distance": [{"attribute": "rating", "steps": [{"after_ms": 0, "most": 50}]},
                   {"attribute": "level", "steps": [{"after_ms": 0, "most": 5}]}])",
                                                     R"("wait_ms": 60000,
      "distance": [{"attribute": "level", "steps": [{"after_ms": 0, "most": 9}]}])"));
  ASSERT_TRUE(std::holds_alternative<Mode>(read));
  const auto& mode = std::get<Mode>(read);
  EXPECT_THAT(mode.shadow->numbers, ElementsAre("rating", "level"));
  EXPECT_EQ(mode.shadow->distances,
            (std::vector<plan::DistanceRule>{{1, {{Duration{0}, 9}}, plan::Widening::older}}));
  EXPECT_EQ(mode.shadow->wait, seconds{60});
  EXPECT_EQ(mode.rules->wait, seconds{120});
  const auto again = read_rules("shown", to_json(mode).dump());
  ASSERT_TRUE(std::holds_alternative<Mode>(again)) << to_json(mode).dump(1);
  EXPECT_EQ(*std::get<Mode>(again).shadow, *mode.shadow);
}

TEST(RulesFile, refuses_shadow_rules_that_need_more_of_players_than_the_live_ones) {
  EXPECT_THAT(
      problems_of(with_shadow("", R"("distance": [{"attribute": "rating",
          "steps": [{"after_ms": 0}]}], "latency": {"regions": ["eu"], "steps": [{"after_ms": 0}]},
          "teams": {"count": 2, "size": 2}, "roles": {"tank": 4}, "avoid": {"until_ms": 1})")),
      ElementsAre(
          "rules_shadow.distance[0].attribute: must be a number that rules compares, is "
          "\"rating\": players bring no other",
          "rules_shadow.latency.regions: must equal rules.latency.regions, in the same order: "
          "players measure no other regions",
          "rules_shadow.teams: must have the count of rules.teams: only difference may be another "
          "one, since players sit in teams already",
          "rules_shadow.roles: must equal the roles of rules, or be left out: players name no "
          "other roles",
          "rules_shadow.avoid: must be left out, as in rules: requests name no players to avoid"));
  const std::string live = R"(
      "latency": {"regions": ["eu", "us"], "steps": [{"after_ms": 0}]},
      "teams": {"count": 2, "size": 2, "attribute": "rating", "difference": 9},
      "roles": {"tank": 1, "healer": 1}, "avoid": {"until_ms": 1})";
  const std::string teams =
      R"("teams": {"count": 2, "size": 2, "attribute": "rating", "difference": 99})";
  EXPECT_THAT(problems_of(with_shadow(live, live)), ElementsAre());
  EXPECT_THAT(problems_of(with_shadow(live, teams)), ElementsAre());
  EXPECT_THAT(problems_of(with_shadow(live, teams + R"(,
          "latency": {"regions": ["us", "eu"], "steps": [{"after_ms": 0}]},
          "roles": {"tank": 2})")),
              ElementsAre("rules_shadow.latency.regions: must equal rules.latency.regions, in the "
                          "same order: players measure no other regions",
                          "rules_shadow.roles: must equal the roles of rules, or be left out: "
                          "players name no other roles"));
  EXPECT_THAT(problems_of(with_shadow(live, "")),
              ElementsAre("rules_shadow.teams: must have the count of rules.teams: only difference "
                          "may be another one, since players sit in teams already"));
}

TEST(RulesFile, says_the_same_of_shadow_rules_under_their_own_name) {
  EXPECT_THAT(
      problems_of(with_shadow("", R"("size": {"best": 3, "least": 4}, "party": 5,
          "roles": {})")),
      ElementsAre("rules_shadow.size.least: must be at most rules_shadow.size.best (3), is 4",
                  "rules_shadow.party: must be at most capacity (4), is 5: a party is not "
                  "split, so a larger one would wait in vain"));
}

TEST(RulesFile, refuses_steps_that_nobody_reaches_or_that_widen_nothing) {
  EXPECT_THAT(
      problems_of(
          mode_with("2", R"("wait_ms": 30000, "distance": [{"attribute": "rating", "steps": [
          {"after_ms": 5, "most": 50}, {"after_ms": 5, "most": 60}, {"after_ms": 9, "most": 60},
          {"after_ms": 30000}, {"after_ms": 20000}]}])")),
      ElementsAre(
          "rules.distance[0].steps[0].after_ms: must be 0, is 5: all players begin with the first "
          "step",
          "rules.distance[0].steps[1].after_ms: must be more than in the previous step (5), is 5",
          "rules.distance[0].steps[2].most: must be more than in the previous step (60), is 60: "
          "limits only widen",
          "rules.distance[0].steps[3].after_ms: must be less than rules.wait_ms (30000), is 30000: "
          "players have left before they reach this step",
          "rules.distance[0].steps[4].after_ms: must be more than in the previous step (30000), is "
          "20000",
          "rules.distance[0].steps[4]: must not be there: the step before it has no limit "
          "already"));
}

TEST(RulesFile, refuses_a_rule_that_refuses_everybody) {
  EXPECT_THAT(problems_of(mode_with("2", R"("latency": {"regions": ["eu"],
                                             "steps": [{"after_ms": 0, "most": 0}]})")),
              ElementsAre("rules.latency.steps[0].most: must be more than 0: no player has a "
                          "latency of 0 ms, so no player would get a seat"));
}

TEST(RulesFile, refuses_sizes_with_which_no_room_starts) {
  EXPECT_THAT(problems_of(mode_with("4", R"("size": {"best": 5})")),
              ElementsAre("rules.size.best: must be at most capacity (4), is 5: no room would ever "
                          "start"));
  EXPECT_THAT(problems_of(mode_with("4", R"("size": {"best": 3, "least": 4})")),
              ElementsAre("rules.size.least: must be at most rules.size.best (3), is 4"));
  EXPECT_THAT(
      problems_of(mode_with("4", R"("size": {"best": 3, "least": 2, "after_ms": 120000})")),
      ElementsAre(
          "rules.size.after_ms: must be less than rules.wait_ms (120000), is 120000: players "
          "have left before a room starts with rules.size.least"));
  EXPECT_THAT(
      problems_of(mode_with("9", R"("teams": {"count": 2, "size": 5})")),
      ElementsAre("rules.teams.size: must be capacity (9) divided by rules.teams.count (2), "
                  "is 5"));
}

TEST(RulesFile, refuses_parties_and_roles_that_no_team_has_seats_for) {
  EXPECT_THAT(
      problems_of(mode_with("10", R"("party": 6, "teams": {"count": 2, "size": 5})")),
      ElementsAre(
          "rules.party: must be at most rules.teams.size (5), is 6: a party is not split, so "
          "a larger one would wait in vain"));
  EXPECT_THAT(problems_of(mode_with("3", R"("roles": {"tank": 1, "healer": 1})")),
              ElementsAre("rules.roles: must add up to at least capacity (3), is 2 in all: no room "
                          "would ever be full"));
}

TEST(RulesFile, refuses_a_comparison_of_teams_that_says_half_of_it) {
  EXPECT_THAT(
      problems_of(mode_with("4", R"("teams": {"count": 2, "size": 2, "difference": 100})")),
      ElementsAre("rules.teams: must have both attribute and difference, or neither: sums of the "
                  "attribute are what differs"));
}

TEST(RulesFile, refuses_a_number_that_players_must_have_in_common_anyway) {
  EXPECT_THAT(problems_of(R"({"name": "m", "capacity": 2, "attributes": ["rating"], "rules": {
                "distance": [{"attribute": "rating", "steps": [{"after_ms": 0, "most": 5}]}]}})"),
              ElementsAre("rules.distance[0].attribute: must not stand in attributes too, is "
                          "\"rating\": players with equal numbers are never apart"));
}

TEST(RulesFile, tells_what_the_schema_asks) {
  EXPECT_THAT(problems_of(R"({"name": "m", "capacity": 0, "rules": {"distanse": []}})"),
              ElementsAre("capacity: must be a whole number between 1 and 10000, is 0",
                          "rules.distanse: is not a known key; did you mean \"distance\"?"));
}

}  // namespace
}  // namespace fixkeep::master
