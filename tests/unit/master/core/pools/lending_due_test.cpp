// When a master asks for the lock of a pool.
#include "tests/unit/master/core/pools/lending_fixture.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(LendingTest, is_due_at_once_for_a_new_claim_and_not_while_that_is_on_loan) {
  (void)match("ann");
  EXPECT_TRUE(due());
  (void)lent(first);
  EXPECT_FALSE(due());
  (void)match("bob");
  EXPECT_TRUE(due()) << "bob is not planned for";
}

TEST_F(LendingTest, is_due_for_a_limit_once_in_its_pace_at_most) {
  (void)match("ann");
  now += seconds{10} - milliseconds{1};
  (void)lent(first);
  now += milliseconds{5};  // the limit widens, and the holder may not have seen that
  close(first);
  now += Lending::pace - milliseconds{1};
  EXPECT_FALSE(due());
  now += milliseconds{1};
  EXPECT_TRUE(due());
}

TEST_F(LendingTest, is_due_after_its_pace_when_the_holder_could_not_do_all) {
  (void)match("ann");
  (void)lent(first);
  close(first, {}, true);
  EXPECT_FALSE(due());
  now += Lending::pace;
  EXPECT_TRUE(due());
}

TEST_F(LendingTest, asks_again_after_a_pause_when_its_hold_was_refused) {
  (void)match("ann");
  (void)lent({7, self});
  (void)match("bob");
  EXPECT_THAT(lent({7, self}), IsEmpty());
  EXPECT_FALSE(due()) << "else the lock is asked for at each step";
  now += Lending::pace;
  EXPECT_TRUE(due());
}

TEST_F(LendingTest, is_due_when_a_holder_says_nothing_for_too_long) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  now += Loans::longest - Duration{1};
  EXPECT_FALSE(due());
  now += Duration{1};
  EXPECT_TRUE(due());
  EXPECT_THAT(lent({3, self}), ElementsAre(ann));
  EXPECT_FALSE(due());
}

TEST_F(LendingTest, is_due_at_once_when_a_seat_has_come_free_and_somebody_waits) {
  (void)match("ann");
  (void)lent(first);
  lending.seat_freed(pool);
  EXPECT_FALSE(due()) << "nobody waits";
  close(first);
  EXPECT_TRUE(due());
  (void)lent(second);
  close(second);
  EXPECT_FALSE(due()) << "that decision has seen the seat";
}

}  // namespace
}  // namespace fixkeep::master
