// What players bring, as the text that workers keep.
#include "master/rules/plan/brings.hpp"

#include <gtest/gtest.h>

#include <string>

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
  const Brings brings{1, {-1'500, number_most, 0, 0}};
  EXPECT_EQ(to_text(brings, rules), "1 -1500 1000000000000");
  EXPECT_EQ(parse_brings(to_text(brings, rules), rules), brings);
  EXPECT_EQ(to_text({}, Rules{}), "0") << "without teams and numbers";
}

TEST(Brings, are_none_if_the_rules_do_not_know_them) {
  const Rules rules = two_teams_and_two_numbers();
  for (const std::string text : {"", "x", "0", "0 1", "0 1 2 3", "0 1 2 ", "0  1 2", "2 1 2",
                                 "-1 1 2", "0 1 1000000000001", "0 1 -1000000000001", "0 1 x"}) {
    EXPECT_FALSE(parse_brings(text, rules)) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace fixkeep::master::plan
