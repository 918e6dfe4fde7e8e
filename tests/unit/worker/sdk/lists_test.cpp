#include "worker/sdk/lists.hpp"

#include <gmock/gmock.h>

namespace fixkeep::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

struct ListsTest : testing::Test {
  const ListFacts& players() const { return **lists.find("players"); }
  template <class Result>
  void refuses(const Result& result, SdkCode code, const std::string& begins) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code);
    EXPECT_THAT(result.error().message, StartsWith(begins));
  }

  Lists lists{{{"players", {.capacity = 3, .values = {"ann", "bob"}}}}};
};

TEST_F(ListsTest, keep_their_values_in_the_order_of_adding_and_each_once) {
  EXPECT_TRUE(lists.add("players", "eve"));
  EXPECT_TRUE(lists.remove("players", "ann"));
  EXPECT_TRUE(lists.add("players", "ann"));
  EXPECT_THAT(players().values, ElementsAre("bob", "eve", "ann"));
  EXPECT_TRUE(lists.remove("players", "bob"));
  refuses(lists.add("players", "ann"), SdkCode::unknown, "already exists. Value: ann");
  EXPECT_TRUE(lists.add("players", "bob"));
  refuses(lists.add("players", "more"), SdkCode::unknown,
          "out of range. No available capacity. Current Capacity: 3, List Size: 3");
  refuses(lists.remove("players", "more"), SdkCode::unknown, "not found. Value: more");
  EXPECT_THAT(players().values, ElementsAre("eve", "ann", "bob"));
}

TEST_F(ListsTest, replace_what_the_mask_names_also_by_nothing) {
  EXPECT_TRUE(*lists.update("players", {.values = {"x"}, .fields = {"values"}}));
  EXPECT_EQ(players(), (ListFacts{.capacity = 3, .values = {"x"}}));
  EXPECT_TRUE(*lists.update("players", {.capacity = 9, .values = {"y"}, .fields = {"capacity"}}));
  EXPECT_EQ(players(), (ListFacts{.capacity = 9, .values = {"x"}}));
  EXPECT_TRUE(*lists.update("players", {.fields = {"values"}}));
  EXPECT_EQ(players(), (ListFacts{.capacity = 9, .values = {}}));
  EXPECT_FALSE(*lists.update("players", {.capacity = 1, .fields = {"name"}}));
  EXPECT_TRUE(*lists.update("players", {.fields = {"capacity"}}));
  EXPECT_EQ(players(), ListFacts{});
}

// The official client for Node sends a mask that is there and empty.
TEST_F(ListsTest, take_what_is_set_where_the_mask_names_nothing) {
  EXPECT_TRUE(*lists.update("players", {.capacity = 5}));
  EXPECT_EQ(players(), (ListFacts{.capacity = 5, .values = {"ann", "bob"}}));
  EXPECT_TRUE(*lists.update("players", {.values = {"bob", "eve"}}));
  EXPECT_THAT(players().values, ElementsAre("ann", "bob", "eve"));
  EXPECT_FALSE(*lists.update("players", {}));
}

TEST_F(ListsTest, drop_the_last_values_beyond_the_capacity_and_values_that_come_twice) {
  EXPECT_TRUE(
      *lists.update("players", {.values = {"a", "b", "a", "c", "d"}, .fields = {"values"}}));
  EXPECT_THAT(players().values, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(*lists.update("players", {.capacity = 1, .fields = {"capacity"}}));
  EXPECT_THAT(players().values, ElementsAre("a"));
}

TEST_F(ListsTest, refuse_what_is_out_of_range_or_no_field_or_not_there) {
  refuses(lists.update("players", {.capacity = -1}), SdkCode::unknown,
          "out of range. Capacity must be within range [0,1000]. Found Capacity: -1");
  refuses(lists.update("players", {.capacity = 1001, .fields = {"values"}}), SdkCode::unknown,
          "out of range");
  refuses(lists.update("players", {.fields = {"List.values"}}), SdkCode::unknown,
          "invalid argument. Field Mask Path(s): [List.values]");
  refuses(lists.update("maps", {}), SdkCode::unknown, "not found. maps List not found");
  refuses(lists.add("maps", "x"), SdkCode::unknown, "not found. maps List not found");
  refuses(lists.remove("maps", "x"), SdkCode::unknown, "not found. maps List not found");
  refuses(lists.find("maps"), SdkCode::unknown, "not found. maps List not found");
  EXPECT_EQ(players(), (ListFacts{.capacity = 3, .values = {"ann", "bob"}}));
}

TEST_F(ListsTest, have_bounds_of_their_bytes) {
  refuses(lists.add("players", std::string(1025, 'x')), SdkCode::invalid_argument, "a value");
  EXPECT_TRUE(*lists.update("players", {.capacity = 1000, .fields = {"capacity", "values"}}));
  for (int i = 0; i < 256; ++i) {
    const std::string number = std::to_string(1000 + i);
    EXPECT_TRUE(lists.add("players", number + std::string(1024 - number.size(), 'x')));
  }
  refuses(lists.add("players", "y"), SdkCode::resource_exhausted, "all values");
  EXPECT_EQ(players().values.size(), 256U);
  refuses(lists.update("players", {.values = std::vector<std::string>(1001)}),
          SdkCode::resource_exhausted, "a list has");
}

TEST(Lists, begin_within_their_bounds_whatever_a_mode_says) {
  const Lists lists{{{"a", {.capacity = 2, .values = {"x", "x", "y", "z"}}},
                     {"b", {.capacity = 5000}},
                     {"c", {.capacity = -1, .values = {"x"}}}}};
  EXPECT_THAT((*lists.find("a"))->values, ElementsAre("x", "y"));
  EXPECT_EQ((*lists.find("b"))->capacity, 1000);
  EXPECT_THAT((*lists.find("c"))->values, IsEmpty());
}

}  // namespace
}  // namespace fixkeep::worker
