// What a match request is called goes with its claim to the workers, and decides nothing.
#include <gtest/gtest.h>

#include "master/core/tickets.hpp"
#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

const wire::RequestContext traced{"r1", TraceContext{{1, 2}, 3, true}};

struct RequestContexts : testing::Test {
  RequestContexts() { master.connect("w1", 5); }

  [[nodiscard]] MatchRequested request(const std::string& player, std::uint64_t ticket,
                                       const wire::RequestContext& context) const {
    return {.ticket = TicketId{ticket},
            .groups = GroupChoice{GroupKey{"g"}},
            .mode = ModeName{"duel"},
            .capacity = 4,
            .claim = {PlayerId{player}, {}, context},
            .deadline = master.now + std::chrono::seconds{30}};
  }
  void match(std::uint64_t ticket, const std::string& player, const wire::RequestContext& context) {
    master.match(request(player, ticket, context));
  }
  const wire::SpawnRoom& ordered() {
    orders = master.orders();
    EXPECT_EQ(orders.size(), 1U);
    return std::get<wire::SpawnRoom>(orders.at(0).message);
  }
  LoneMaster master;
  std::vector<LoneMaster::Sent> orders;
};

TEST_F(RequestContexts, go_with_an_order) {
  match(1, "ann", traced);
  master.grant();
  EXPECT_EQ(ordered().claims.at(0).context, traced);
}

TEST_F(RequestContexts, of_an_order_without_any_are_made_of_the_first_ticket) {
  match(4, "ann", {});
  match(5, "bob", {});
  master.grant();
  const auto& claims = ordered().claims;
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].context.request_id,
            ticket_text(ticket_prefix(MasterId{1}, Incarnation{100}), TicketId{4}));
  EXPECT_TRUE(claims[1].context.empty());
}

TEST_F(RequestContexts, go_with_a_question_for_seats_and_are_not_made_for_it) {
  for (const auto& context : {traced, wire::RequestContext{}}) {
    LoneMaster alone;
    alone.connect("w1", 5, 10, {open_room(1, 4)});
    alone.match(request("ann", 1, context));
    const auto asked = alone.take<wire::SeatRequest>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(std::get<wire::SeatRequest>(asked[0].message).claims.at(0).context, context);
  }
}

TEST_F(RequestContexts, of_a_retry_are_other_ones_and_it_shares_the_seats_all_the_same) {
  match(1, "ann", traced);
  match(2, "ann", {"r2", {}});
  master.grant();
  EXPECT_EQ(ordered().claims.size(), 1U);
}

}  // namespace
}  // namespace fixkeep::master
