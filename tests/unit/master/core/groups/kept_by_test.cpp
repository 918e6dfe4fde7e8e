#include "master/core/groups/kept_by.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

class Counter {
 public:
  using Count = KeptBy<Counter, int>;
  static void count(Count& count) { ++count.change(); }
};

template <class Kept>
concept ChangeableByAll = requires(Kept& kept) {
  kept.change();
};
template <class Kept>
concept AssignableByAll = requires(Kept& kept) {
  *kept = 1;
};

TEST(KeptBy, is_changed_by_its_keeper_and_read_by_all) {
  Counter::Count count;
  EXPECT_EQ(*count, 0);
  Counter::count(count);
  EXPECT_EQ(*count, 1);
  EXPECT_FALSE(ChangeableByAll<Counter::Count>);
  EXPECT_FALSE(AssignableByAll<Counter::Count>);
}

}  // namespace
}  // namespace fixkeep::master
