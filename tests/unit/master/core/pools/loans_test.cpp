// Which hold may seat which waiting claim of a master.
#include "master/core/pools/loans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr MasterId master_1{1};
constexpr MasterId master_2{2};
constexpr FencingToken first{1, master_1};
constexpr FencingToken second{2, master_2};
constexpr FencingToken third{3, master_1};
constexpr TimePoint asked_at{std::chrono::minutes{10}};

struct OneClaim {
  OneClaim() { loans.add(claim); }
  const TicketId claim{7};
  Loans loans;
};

TEST(Loans, lend_a_claim_to_one_hold_at_a_time) {
  OneClaim one;
  EXPECT_THAT(*one.loans.lend(first, master_1, asked_at), ElementsAre(one.claim));
  EXPECT_THAT(*one.loans.lend(second, master_2, asked_at), IsEmpty());
  EXPECT_THAT(one.loans.close(first), ElementsAre(one.claim));
  EXPECT_THAT(*one.loans.lend(third, master_1, asked_at), ElementsAre(one.claim));
}

TEST(Loans, lend_nothing_to_a_hold_of_a_master_that_has_a_newer_one) {
  OneClaim one;
  (void)one.loans.lend(third, master_1, asked_at);
  (void)one.loans.close(third);
  EXPECT_FALSE(one.loans.lend(first, master_1, asked_at));
  EXPECT_FALSE(one.loans.lend(third, master_1, asked_at)) << "it has asked already";
  EXPECT_FALSE(one.loans.lent(one.claim));
}

TEST(Loans, keep_no_holder_out_for_what_another_one_says_its_token_is) {
  OneClaim one;
  (void)one.loans.lend({3'600'000'000, master_2}, master_2, asked_at);
  (void)one.loans.close({3'600'000'000, master_2});
  EXPECT_THAT(*one.loans.lend(first, master_1, asked_at), ElementsAre(one.claim));
  (void)one.loans.close(first);
  (void)one.loans.link_broke(master_2);
  EXPECT_THAT(*one.loans.lend(second, master_2, asked_at), ElementsAre(one.claim))
      << "its next run";
}

TEST(Loans, end_when_their_holder_says_nothing_for_too_long) {
  OneClaim one;
  (void)one.loans.lend(first, master_1, asked_at);
  const Duration nearly = Loans::longest - Duration{1};
  EXPECT_THAT(*one.loans.lend(second, master_2, asked_at + nearly), IsEmpty());
  const FencingToken later{4, master_2};
  EXPECT_THAT(*one.loans.lend(later, master_2, asked_at + Loans::longest), ElementsAre(one.claim));
  EXPECT_FALSE(one.loans.seated(first, one.claim)) << "those seats are to be given back";
}

TEST(Loans, count_what_a_hold_says_only_of_what_it_has_borrowed) {
  OneClaim one;
  EXPECT_FALSE(one.loans.seated(first, one.claim));
  (void)one.loans.lend(first, master_1, asked_at);
  (void)one.loans.link_broke(master_1);
  (void)one.loans.lend(second, master_2, asked_at);
  EXPECT_FALSE(one.loans.seated(first, one.claim)) << "those seats are to be given back";
  EXPECT_TRUE(one.loans.seated(second, one.claim));
  EXPECT_FALSE(one.loans.seated(second, one.claim)) << "it has seats";
}

TEST(Loans, end_with_the_link_to_their_holder) {
  OneClaim one;
  (void)one.loans.lend(first, master_1, asked_at);
  EXPECT_THAT(one.loans.link_broke(master_2), IsEmpty()) << "it is lent to another";
  EXPECT_TRUE(one.loans.lent(one.claim));
  EXPECT_THAT(one.loans.link_broke(master_1), ElementsAre(one.claim));
  EXPECT_THAT(*one.loans.lend(second, master_2, asked_at), ElementsAre(one.claim));
}

TEST(Loans, end_with_their_claim) {
  OneClaim one;
  (void)one.loans.lend(first, master_1, asked_at);
  one.loans.remove(one.claim);
  EXPECT_FALSE(one.loans.seated(first, one.claim)) << "its client has hung up";
}

}  // namespace
}  // namespace fixkeep::master
