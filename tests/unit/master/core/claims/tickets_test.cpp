#include "master/core/claims/tickets.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

constexpr TimePoint early{Duration{100}};
constexpr TimePoint much_later{Duration{200}};

TEST(Schedule, gives_what_is_due_in_the_order_of_time) {
  Schedule<int> schedule;
  EXPECT_EQ(schedule.next(), TimePoint::max());
  schedule.add(much_later, 1);
  schedule.add(early, 3);
  schedule.add(early, 2);
  EXPECT_EQ(schedule.next(), early);
  EXPECT_EQ(schedule.due(early - Duration{1}), nullptr);
  EXPECT_EQ(schedule.take_due(early), 2);
  EXPECT_EQ(schedule.take_due(early), 3);
  EXPECT_EQ(schedule.take_due(early), std::nullopt);
  schedule.remove(much_later, 1);
  EXPECT_EQ(schedule.size(), 0U);
}

TEST(Tickets, are_known_until_they_are_removed) {
  const TicketId first{1};
  const TicketId second{2};
  Tickets tickets;
  tickets.add(first, 7, much_later);
  tickets.add(second, 7, early);
  EXPECT_EQ(tickets.claim_of(first), ClaimNumber{7});
  EXPECT_EQ(tickets.size(), 2U);
  tickets.remove(first);
  EXPECT_EQ(tickets.claim_of(first), std::nullopt);
  EXPECT_EQ(tickets.claim_of(second), ClaimNumber{7});
  EXPECT_EQ(tickets.size(), 1U);
}

TEST(Tickets, fall_due_in_the_order_of_their_deadlines_and_only_while_they_are_here) {
  const TicketId first{1};
  const TicketId second{2};
  Tickets tickets;
  EXPECT_EQ(tickets.next_deadline(), TimePoint::max());
  tickets.add(first, 1, much_later);
  tickets.add(second, 2, early);
  EXPECT_EQ(tickets.next_deadline(), early);
  EXPECT_EQ(tickets.due(early - Duration{1}), nullptr);
  ASSERT_NE(tickets.due(much_later), nullptr);
  EXPECT_EQ(*tickets.due(much_later), second);
  tickets.remove(second);
  EXPECT_EQ(tickets.due(early), nullptr);
  EXPECT_EQ(tickets.next_deadline(), much_later);
}

}  // namespace
}  // namespace fixkeep::master
