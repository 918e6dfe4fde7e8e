// What players bring, as the text that workers keep.
#include "master/rules/plan/brings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/wire/limits.hpp"

namespace fixkeep::master::plan {
namespace {

Rules two_teams_and_two_numbers() {
  Rules rules;
  rules.numbers = {"rating", "level"};
  rules.teams = TeamRule{2, 5, {}, no_limit};
  return rules;
}

TEST(Brings, come_back_as_they_were) {
  const Rules rules = two_teams_and_two_numbers();
  const Brings brings{1, {-1'500, number_most, 0, 0}, 0, {}, {}};
  EXPECT_EQ(to_text(brings, rules), "1 -1500 1000000000000");
  EXPECT_EQ(parse_brings(to_text(brings, rules), rules), brings);
  EXPECT_EQ(to_text({}, Rules{}), "0") << "without teams and numbers";
}

TEST(Brings, of_a_claim_that_waits_have_the_way_to_each_region) {
  Rules rules = two_teams_and_two_numbers();
  rules.latency = LatencyRule{{"eu", "us", "ap"}, {{Duration{0}, 80}}};
  Brings brings{1, {-1'500, 7, 0, 0}, 0, Latencies{}, {}};
  brings.latency_ms->fill(unmeasured);
  brings.latency_ms->at(0) = 30;
  brings.latency_ms->at(2) = 65'534;
  EXPECT_EQ(to_text(brings, rules), "1 -1500 7 30 - 65534");
  EXPECT_EQ(parse_brings(to_text(brings, rules), rules), brings);
  EXPECT_EQ(parse_brings("1 -1500 7", rules)->latency_ms, std::nullopt) << "in a room";
  for (const std::string text : {"1 2 3 30", "1 2 3 30 - ", "1 2 3 30 - 65536", "1 2 3 30 - - -",
                                 "1 2 3 30 x 3", "1 2 3 -30 1 2"}) {
    EXPECT_FALSE(parse_brings(text, rules)) << '"' << text << '"';
  }
  EXPECT_FALSE(parse_brings("1 2 3 30 - 1", two_teams_and_two_numbers())) << "nobody asks for it";
}

TEST(Brings, have_roles_and_avoided_players_where_the_rules_know_them) {
  Rules rules;
  rules.roles = {{"healer", 1}, {"fighter", 3}};
  rules.avoid = AvoidRule{};
  rules.latency = LatencyRule{{"eu"}, {{Duration{0}, 80}}};
  Brings brings;
  brings.roles = 0b10;
  brings.avoids = {PlayerHash{35}, PlayerHash{36}};
  EXPECT_EQ(to_text(brings, rules), "0 2 !z !10");
  EXPECT_EQ(parse_brings(to_text(brings, rules), rules), brings);
  EXPECT_TRUE(parse_brings("0 3 20 !z", rules)) << "while the claim waits";
  for (const std::string text : {"0", "0 0", "0 4", "0 x", "0 2 !", "0 2 !z ", "0 2 !z!z", "0 2 z",
                                 "0 2 !zzzzzzzzzzzzzzzz"}) {
    EXPECT_FALSE(parse_brings(text, rules)) << '"' << text << '"';
  }
  std::string too_many = "0 2";
  for (std::size_t i = 0; i <= avoided_most; ++i) too_many += " !z";
  EXPECT_FALSE(parse_brings(too_many, rules));
  EXPECT_FALSE(parse_brings("0 2 !z", Rules{})) << "nobody avoids";
}

TEST(Brings, fit_the_wire) {
  Rules rules;
  rules.numbers = {"a", "b", "c", "d"};
  rules.teams = TeamRule{teams_most, 2, {}, no_limit};
  rules.latency = LatencyRule{std::vector<std::string>(regions_most, "eu"), {{Duration{0}, 80}}};
  Brings brings;
  brings.team = teams_most - 1;
  brings.numbers.fill(-number_most);
  brings.latency_ms.emplace().fill(unmeasured - 1);
  rules.roles.assign(roles_most, Role{});
  brings.roles = (1U << roles_most) - 1;
  rules.avoid = AvoidRule{};
  brings.avoids.assign(avoided_most, PlayerHash{~0ULL});
  EXPECT_EQ(parse_brings(to_text(brings, rules), rules), brings);
  EXPECT_LE(to_text(brings, rules).size(), wire::limits::brings_bytes);
}

TEST(Brings, are_none_if_the_rules_do_not_know_them) {
  const Rules rules = two_teams_and_two_numbers();
  for (const std::string text : {"", "x", "0", "0 1", "0 1 2 3", "0 1 2 ", "0  1 2", "2 1 2",
                                 "-1 1 2", "0 1 1000000000001", "0 1 -1000000000001", "0 1 x"}) {
    EXPECT_FALSE(parse_brings(text, rules)) << '"' << text << '"';
  }
}

TEST(Brings, name_a_team_without_the_rules) {
  EXPECT_EQ(parse_team("1"), 1U);
  EXPECT_EQ(parse_team("2 1500 20 !z"), 2U);
  for (const std::string text : {"", "x", "-1", " 1", "1x"}) {
    EXPECT_FALSE(parse_team(text)) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace fixkeep::master::plan
