#include "worker/core/player_count.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker {
namespace {

TEST(PlayerCount, never_exceeds_the_capacity_whatever_is_counted) {
  Seats seats{3};
  seats.reserve(PlayerId{"a"}, {ReservationId{1}});
  EXPECT_EQ(apply_count(seats, 2).taken.size(), 1U);
  EXPECT_EQ(apply_count(seats, 100).taken.size(), 1U);
  EXPECT_EQ(seats.taken(), 3U);
  EXPECT_EQ(seats.occupied(), 2U);
  EXPECT_TRUE(has_come(seats, 3));
  EXPECT_FALSE(has_come(seats, 2));
  EXPECT_EQ(apply_count(seats, 0).freed.size(), 2U);
  EXPECT_EQ(seats.taken(), 1U) << "the reservation has its time still";
}

}  // namespace
}  // namespace fixkeep::worker
