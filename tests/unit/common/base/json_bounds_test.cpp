#include "common/base/json_bounds.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep {
namespace {

constexpr JsonBounds little_bounds{.deepest = 2, .most_values = 5};

TEST(JsonBounds, count_brackets_and_values) {
  EXPECT_TRUE(is_within("", little_bounds));
  EXPECT_TRUE(is_within(R"({"a":[1,2,3]})", little_bounds));
  EXPECT_FALSE(is_within("[[[", little_bounds));
  EXPECT_FALSE(is_within("[1,2,3,4,5]", little_bounds));
  EXPECT_TRUE(is_within("[[],[]]", little_bounds)) << "one beside the other is no deeper";
}

TEST(JsonBounds, take_what_is_in_a_string_for_text) {
  EXPECT_TRUE(is_within(R"(["[[[,,,,,,\"[[["])", little_bounds));
  EXPECT_FALSE(is_within(R"(["\\",[[[])", little_bounds)) << "the string has ended";
  EXPECT_TRUE(is_within("\"\\", little_bounds)) << "it ends anywhere";
}

}  // namespace
}  // namespace fixkeep
