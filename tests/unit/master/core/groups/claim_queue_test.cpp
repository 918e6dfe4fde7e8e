#include "master/core/groups/claim_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

using testing::ElementsAre;

TEST(ClaimQueue, finds_the_first_claim_that_fits_behind_another) {
  ClaimQueue queue;
  queue.insert(1, 4);
  queue.insert(2, 2);
  queue.insert(3, 1);
  queue.insert(4, 2);
  EXPECT_EQ(queue.next(0, 4), 1U);
  EXPECT_EQ(queue.next(0, 3), 2U);
  EXPECT_EQ(queue.next(2, 3), 3U);
  EXPECT_EQ(queue.next(3, 2), 4U);
  EXPECT_EQ(queue.next(3, 1), std::nullopt);
  EXPECT_EQ(queue.next(4, 64), std::nullopt);
  EXPECT_EQ(queue.next(0, 0), std::nullopt);
}

TEST(ClaimQueue, counts_the_seats_of_those_that_are_there) {
  ClaimQueue queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.largest(), 0U);
  queue.insert(7, 3);
  queue.insert(5, 1);
  queue.insert(7, 3);
  EXPECT_THAT(queue.in_order(), ElementsAre(5, 7));
  EXPECT_EQ(queue.seats(), 4U);
  EXPECT_EQ(queue.largest(), 3U);
  queue.erase(7, 3);
  queue.erase(7, 3);
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.seats(), 1U);
  EXPECT_EQ(queue.largest(), 1U);
  EXPECT_EQ(queue.next(5, 64), std::nullopt);
}

TEST(ClaimQueue, finds_claims_without_backfill_where_they_fit) {
  ClaimQueue queue;
  queue.insert(1, 2, true);
  queue.insert(2, 2);
  EXPECT_TRUE(queue.has_no_backfill());
  EXPECT_EQ(queue.largest(), 2U);
  EXPECT_EQ(queue.next(0, 2), 1U);
  EXPECT_EQ(queue.next(0, 2, 0), 2U);
  EXPECT_EQ(queue.next(0, 1, 2), 1U);
  queue.erase(1, 2, true);
  EXPECT_FALSE(queue.has_no_backfill());
  EXPECT_EQ(queue.next(0, 2), 2U);
}

}  // namespace
}  // namespace fixkeep::master
