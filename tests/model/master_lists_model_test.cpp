// Masters with different lists of each other, and lists that change at any time. There may be two
// holders, but never two that do not fence, and never two rooms.
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

constexpr std::uint32_t first_two = 0b011;
constexpr std::uint32_t last_two = 0b110;
constexpr std::uint32_t all_three = 0b111;

// m3 lists everybody from its start on; m1 and m2 follow, each at any time.
constexpr Budget a_third_comes{.masters = 3,
                               .acquisitions = 1,
                               .start_connected = true,
                               .lists = {first_two, first_two, all_three},
                               .lists_after = {all_three, all_three, 0}};
// m3 hears nothing of it.
constexpr Budget the_third_leaves{.masters = 3,
                                  .acquisitions = 1,
                                  .start_connected = true,
                                  .lists_after = {first_two, first_two, 0}};
// m1 and m3 do not know of each other.
constexpr Budget two_lists{.masters = 3,
                           .acquisitions = 3,
                           .start_connected = true,
                           .lists = {first_two, all_three, last_two}};

Budget with_worker(Budget budget) {
  budget.workers = 1;
  return budget;
}

TEST(ListsOfMasters, may_grow_and_shrink_at_any_time) {
  expect_all_hold({{"a third master comes", a_third_comes, 200'000, false},
                   {"a third master comes, 1 worker", with_worker(a_third_comes), 200'000, false},
                   {"the third master leaves", the_third_leaves, 400'000, true},
                   {"the third leaves, 1 worker", with_worker(the_third_leaves), 400'000, false}},
                  600'000);
}

TEST(ListsOfMasters, that_differ_make_every_holder_fence) {
  expect_all_hold({{"two lists", two_lists, 400'000, true},
                   {"two lists, 1 worker", with_worker(two_lists), 400'000, false}},
                  100'000);
}

TEST(ListsChecker, finds_two_holders_without_a_fence_if_lists_are_not_told) {
  Budget untold = two_lists;
  untold.lists_told = false;
  expect_found(untold, "two holders without a fence", 20);
}

}  // namespace
}  // namespace fixkeep::model
