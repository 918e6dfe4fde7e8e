#include "master/core/seats/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(Answers, flag_the_claims_that_have_seats) {
  EXPECT_THAT(reserved_flags({0, 2}, 3), Optional(ElementsAre(true, false, true)));
  EXPECT_THAT(reserved_flags({}, 2), Optional(ElementsAre(false, false)));
}

TEST(Answers, make_no_sense_if_a_claim_is_named_twice_backwards_or_was_not_asked_for) {
  EXPECT_EQ(reserved_flags({1, 1}, 3), std::nullopt);
  EXPECT_EQ(reserved_flags({2, 1}, 3), std::nullopt);
  EXPECT_EQ(reserved_flags({3}, 3), std::nullopt);
  EXPECT_EQ(reserved_flags({0}, 0), std::nullopt);
}

}  // namespace
}  // namespace fixkeep::master
