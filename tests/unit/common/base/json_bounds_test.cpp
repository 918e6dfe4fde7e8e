#include "common/base/json_bounds.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep {
namespace {

constexpr JsonBounds small{.deepest = 2, .most_values = 5};

TEST(JsonBounds, count_brackets_and_values) {
  EXPECT_TRUE(is_within("", small));
  EXPECT_TRUE(is_within(R"({"a":[1,2,3]})", small));
  EXPECT_FALSE(is_within("[[[", small));
  EXPECT_FALSE(is_within("[1,2,3,4,5]", small));
  EXPECT_TRUE(is_within("[[],[]]", small)) << "one beside the other is no deeper";
}

TEST(JsonBounds, take_what_is_in_a_string_for_text) {
  EXPECT_TRUE(is_within(R"(["[[[,,,,,,\"[[["])", small));
  EXPECT_FALSE(is_within(R"(["\\",[[[])", small)) << "the string has ended";
  EXPECT_TRUE(is_within("\"\\", small)) << "it ends anywhere";
}

}  // namespace
}  // namespace fixkeep
