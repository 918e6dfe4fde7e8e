#include "ctl/cluster/watch.hpp"

#include <gtest/gtest.h>

namespace fixkeep::ctl {
namespace {

using nlohmann::ordered_json;

TEST(LineOfAnEvent, has_the_time_and_the_members_in_their_order) {
  const auto event = ordered_json::parse(
      R"({"at_us":1800000000123999,"event":"lock-granted","group":"duel/a","counter":7,"x":null})");
  EXPECT_EQ(line_of(event), "08:00:00.123 lock-granted group=duel/a counter=7");
}

TEST(LineOfAnEvent, is_harmless_for_a_terminal) {
  const auto event =
      ordered_json::parse(R"({"event":"a\u001bb","k\u0007":"c\nd","l":[1,"\u001b"]})");
  EXPECT_EQ(line_of(event), "00:00:00.000 a\\u001bb k\\u0007=c\\u000ad l=[1,\"\\u001b\"]");
  EXPECT_EQ(line_of(ordered_json(3)), "?");
}

}  // namespace
}  // namespace fixkeep::ctl
