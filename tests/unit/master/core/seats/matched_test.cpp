// The news that a ticket has seats in a room that starts, and that it has lost them.
#include "tests/unit/master/core/pools/lending_fixture.hpp"

namespace fixkeep::master {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct MatchedTest : LendingTest {
  // The claim of the player has seats in a room that starts.
  ClaimNumber reserve(const std::string& player) {
    const ClaimNumber number = match(player);
    wire::RoomInfo info;
    info.number = room.number;
    info.group = pool;
    info.mode = mode;
    info.phase = wire::RoomPhase::starting;
    info.capacity = 64;
    info.players = {PlayerId{player}};
    EXPECT_TRUE(directory.put(worker, info));
    (void)gather(first);
    seated(first, number, room);
    return number;
  }
  [[nodiscard]] std::vector<std::pair<std::uint64_t, bool>> take_news() {
    std::vector<std::pair<std::uint64_t, bool>> news;
    for (const Action& action : out) {
      const auto* told = std::get_if<Matched>(&action);
      if (told != nullptr) news.emplace_back(told->ticket.number(), told->has_seats);
    }
    out.clear();
    return news;
  }
};

TEST_F(MatchedTest, is_told_when_the_seats_are_reserved_and_when_they_are_lost) {
  const ClaimNumber ann = reserve("ann");
  EXPECT_THAT(take_news(), ElementsAre(Pair(1, true)));
  Step current = step();
  seating.lost(ann, current);
  EXPECT_THAT(take_news(), ElementsAre(Pair(1, false)));
}

TEST_F(MatchedTest, is_told_to_a_later_ticket_of_the_claim) {
  (void)reserve("ann");
  (void)take_news();
  Step current = step();
  MatchRequested again{
      TicketId{++tickets},          pool, mode, 64, {PlayerId{"ann"}, {}, {}, "0 1500"},
      now + std::chrono::minutes{1}};
  again.rules = rules;
  EXPECT_FALSE(requests.admit(std::move(again), current));
  EXPECT_THAT(take_news(), ElementsAre(Pair(2, true)));
}

TEST_F(MatchedTest, is_not_told_of_a_claim_without_seats) {
  const ClaimNumber ann = match("ann");
  (void)gather(first);
  Step current = step();
  seating.lost(ann, current);
  EXPECT_THAT(take_news(), IsEmpty());
}

}  // namespace
}  // namespace fixkeep::master
