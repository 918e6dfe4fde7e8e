#include "master/http/tickets/held_tickets.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

struct HeldTicketsTest : testing::Test {
  HeldTicket& add(const std::string& client) {
    const std::string name = "t" + std::to_string(++last);
    return held.add({.claims = {.id = name},
                     .mode = ModeName{"duel"},
                     .players = {PlayerId{name}},
                     .client = ClientAddress{client},
                     .request = TicketId{last}});
  }

  HeldTickets held;
  std::uint64_t last = 0;
};

TEST_F(HeldTicketsTest, make_place_with_the_oldest_ticket_of_the_client_that_has_the_most) {
  const TicketId oldest = add("10.0.0.1").request;
  EXPECT_EQ(held.to_go_for(ClientAddress{"10.0.0.9"}).value(), nullptr) << "there is place";
  for (std::size_t i = 0; i < HeldTickets::most_held / 2; ++i) add("10.0.0.1");
  while (held.waiting() < HeldTickets::most_held) add("10.0.0.2");
  ASSERT_NE(held.to_go_for(ClientAddress{"10.0.0.9"}).value(), nullptr);
  EXPECT_EQ(held.to_go_for(ClientAddress{"10.0.0.9"}).value()->request, oldest);
  EXPECT_FALSE(held.to_go_for(ClientAddress{"10.0.0.1"})) << "it has the most itself";
}

TEST_F(HeldTicketsTest, forget_the_earliest_end_first) {
  add("a");
  held.end(*held.find("t1"), TicketState::cancelled);
  for (std::size_t i = 1; i < HeldTickets::most_ended; ++i) {
    held.end(add("a"), TicketState::failed);
  }
  EXPECT_NE(held.find("t1"), nullptr);
  held.end(add("a"), TicketState::failed);
  EXPECT_EQ(held.find("t1"), nullptr);
  EXPECT_NE(held.find("t2"), nullptr);
  EXPECT_EQ(held.size(), HeldTickets::most_ended);
  EXPECT_EQ(held.waiting(), 0U);
}

TEST_F(HeldTicketsTest, are_found_by_their_players_only_while_they_wait) {
  HeldTicket& one = add("a");
  const std::vector<PlayerId> players{PlayerId{"bob"}, PlayerId{"t1"}};
  EXPECT_EQ(held.waiting_of(ModeName{"duel"}, players), &one);
  EXPECT_EQ(held.waiting_of(ModeName{"arena"}, players), nullptr);
  held.end(one, TicketState::ready);
  EXPECT_EQ(held.waiting_of(ModeName{"duel"}, players), nullptr);
  EXPECT_EQ(held.of_request(TicketId{1}), nullptr);
}

}  // namespace
}  // namespace fixkeep::master
