#include "master/rules/mode.hpp"
#include "master/rules/equal_attribute.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

const Mode duel{ModeName{"duel"}, 8, {"region", "version"}, {{"skill", {1000, 1200}}}};

std::string key_of(const Attributes& attributes) {
  std::vector<AttributeProblem> problems;
  const auto group = group_of(duel, attributes, problems);
  for (const auto& problem : problems) ADD_FAILURE() << problem.attribute << problem.message;
  return group.text();
}

std::vector<std::string> problems_of(const Attributes& attributes) {
  std::vector<AttributeProblem> problems;
  (void)group_of(duel, attributes, problems);
  std::vector<std::string> texts;
  texts.reserve(problems.size());
  for (const auto& problem : problems) texts.push_back(problem.attribute + " " + problem.message);
  return texts;
}

TEST(GroupKeys, name_the_mode_its_attributes_and_the_bands) {
  EXPECT_EQ(key_of({{"region", "eu-west"}, {"version", "1.4.22"}, {"skill", 1100}}),
            "duel/region=eu-west/version=1.4.22/skill=1000-1199");
}

TEST(GroupKeys, ignore_attributes_that_the_mode_does_not_name) {
  EXPECT_EQ(key_of({{"region", "eu"}, {"version", 3}, {"skill", 0}, {"hat", "red"}}),
            "duel/region=eu/version=3/skill=lt1000");
}

TEST(GroupKeys, of_different_attributes_differ_whatever_the_values_hold) {
  EXPECT_NE(key_of({{"region", "a/version=b"}, {"version", "c"}, {"skill", 1}}),
            key_of({{"region", "a"}, {"version", "b/version=c"}, {"skill", 1}}));
  EXPECT_EQ(key_of({{"region", "ü %"}, {"version", "1"}, {"skill", 1}}),
            "duel/region=%C3%BC%20%25/version=1/skill=lt1000");
}

TEST(Bands, hold_their_lower_edge_and_not_their_upper_one) {
  const Band band{"skill", {0, 1000, 1200}};
  EXPECT_EQ(band_name(band, -1), "lt0");
  EXPECT_EQ(band_name(band, 0), "0-999");
  EXPECT_EQ(band_name(band, 999), "0-999");
  EXPECT_EQ(band_name(band, 1000), "1000-1199");
  EXPECT_EQ(band_name(band, 1199), "1000-1199");
  EXPECT_EQ(band_name(band, 1200), "ge1200");
}

TEST(Bands, take_fractions_into_the_band_of_the_whole_number_below) {
  EXPECT_EQ(key_of({{"region", "eu"}, {"version", "1"}, {"skill", 1199.9}}),
            "duel/region=eu/version=1/skill=1000-1199");
}

// They reach command lines, files and logs.
TEST(GroupKeys, have_no_control_characters) {
  for (const std::string& bad :
       {std::string{"a\0b", 3}, std::string{"a\nb"}, std::string{"\x7f"}, std::string{"\x1b[2J"},
        std::string{"\u0085"}, std::string{"\u202e"}, std::string{"\xff"}}) {
    EXPECT_EQ(problems_of({{"region", bad}, {"version", "1"}, {"skill", 1}}),
              std::vector<std::string>{"region must be UTF-8 without control characters"});
  }
}

TEST(GroupKeys, tell_all_that_is_wrong_at_once) {
  EXPECT_EQ(
      problems_of({{"version", ""}, {"skill", "good"}}),
      (std::vector<std::string>{"region is required by mode duel",
                                "version must have 1 to 64 bytes", "skill must be a number"}));
  EXPECT_EQ(problems_of({{"region", PlainValue{}}, {"version", std::string(65, 'v')}}),
            (std::vector<std::string>{"region must be a text or a whole number",
                                      "version must have 1 to 64 bytes",
                                      "skill is required by mode duel"}));
}

TEST(GroupKeys, refuse_values_that_are_not_listed_and_tell_those_that_are) {
  Mode listed = duel;
  listed.values = {{"region", {"eu", "us"}}, {"version", {"3"}}};
  std::vector<AttributeProblem> problems;
  EXPECT_EQ(group_of(listed, {{"region", "us"}, {"version", 3}, {"skill", 1}}, problems).text(),
            "duel/region=us/version=3/skill=lt1000");
  EXPECT_TRUE(problems.empty());
  (void)group_of(listed, {{"region", "mars"}, {"version", "4"}, {"skill", 1}}, problems);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].attribute, "region");
  EXPECT_EQ(problems[0].message, "must be one of: eu, us");
  EXPECT_EQ(problems[1].message, "must be one of: 3");
}

TEST(GroupKeys, tell_a_bounded_number_of_the_values_that_are_listed) {
  Mode listed = duel;
  for (std::size_t i = 0; i < values_told + 5; ++i) {
    listed.values["region"].push_back("r" + std::to_string(i));
  }
  std::vector<AttributeProblem> problems;
  (void)group_of(listed, {{"region", "mars"}, {"version", "4"}, {"skill", 1}}, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].message.find(", r19 and 5 more"), std::string::npos);
  EXPECT_EQ(problems[0].message.find("r20"), std::string::npos);
}

TEST(GroupKeys, refuse_numbers_beyond_all_measure) {
  EXPECT_EQ(problems_of({{"region", "eu"}, {"version", 1}, {"skill", 1e300}}),
            std::vector<std::string>{"skill must be a number"});
}

TEST(GroupKeys, are_within_those_that_have_fewer_members_and_private_ones_are_within_none) {
  EXPECT_TRUE(is_within("duel/region=eu", "duel/region=eu"));
  EXPECT_TRUE(is_within("duel/region=eu/skill=lt1000", "duel/region=eu"));
  EXPECT_FALSE(is_within("duel/region=eu-west", "duel/region=eu"));
  EXPECT_FALSE(is_within("duel", "duel/region=eu"));
  EXPECT_FALSE(is_within("duel/region=eu/*code=7K3MQX2P", "duel/region=eu"));
  EXPECT_FALSE(is_within("*duel/8", "duel"));
}

TEST(WarmRule, wants_a_share_of_the_rooms_in_use_within_its_bounds) {
  const WarmRule rule{2, 10, 0.1};
  EXPECT_EQ(rule.wanted(0), 2U);
  EXPECT_EQ(rule.wanted(20), 2U);
  EXPECT_EQ(rule.wanted(21), 3U);
  EXPECT_EQ(rule.wanted(30), 3U) << "0.1 is a little more than a tenth";
  EXPECT_EQ(rule.wanted(1'000), 10U);
  EXPECT_EQ((WarmRule{1, 3, 0}.wanted(1'000)), 1U);
}

}  // namespace
}  // namespace fixkeep::master
