// What a holder explains, of what its decision leaves waiting.
#include "master/core/pools/explanations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

#include "common/wire/limits.hpp"
#include "master/rules/plan/planner.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

constexpr MasterId near{1};
constexpr MasterId far{2};
constexpr FencingToken of_near{5, near};
constexpr TimePoint decided_at{seconds{1'000}};

// Claims of two masters, whose ratings are their numbers.
struct Decided {
  Decided() {
    rules.numbers = {"rating"};
    rules.distances = {{0, {{Duration{0}, 50}, {seconds{10}, 5'000}}, {}}};
    gathering.begin(of_near, {near, far});
  }
  void lend(MasterId master, const std::vector<std::pair<std::uint64_t, bool>>& claims) {
    ClaimsPart part{of_near, 0, true, {}};
    std::int64_t waited = static_cast<std::int64_t>(claims.size());
    for (const auto& [number, asked] : claims) {
      LentClaim& lent = part.claims.emplace_back();
      lent.ticket.id = TicketId{number};
      lent.ticket.members = {{PlayerHash{number}, 0}};
      lent.ticket.sums[0] = static_cast<std::int64_t>(number);
      lent.waited = milliseconds{waited--};
      lent.asked = asked;
    }
    ASSERT_EQ(gathering.heard(master, std::move(part), decided_at), Gathering::Heard::counted);
  }
  ExplainedByLender explained(bool oldest = true) {
    const plan::TicketPool tickets = gathering.tickets();
    plan::Decision decision;
    plan::Planner{}.plan(rules, tickets, rooms, decided_at, {}, decision);
    return explain_waiting(rules, tickets, rooms, ~0U, decision, gathering, oldest, decided_at);
  }
  plan::Rules rules;
  Gathering gathering;
  std::vector<plan::Room> rooms;
};

std::vector<std::uint64_t> numbers(const std::vector<wire::Explained>& all) {
  std::vector<std::uint64_t> found;
  for (const auto& each : all) found.push_back(each.number);
  return found;
}

TEST(Explanations, go_to_the_lender_of_each_claim_and_leave_out_whom_the_decision_seats) {
  Decided decided;
  decided.lend(near, {{1'000, false}, {3'000, false}});
  decided.lend(far, {{1'010, false}, {7'000, false}});
  const auto told = decided.explained();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(numbers(told.at(near)), ElementsAre(3'000));
  EXPECT_THAT(numbers(told.at(far)), ElementsAre(7'000));
  EXPECT_EQ(told.at(near)[0].tickets, 1U) << "the pair that has a room waits no more";
  ASSERT_TRUE(told.at(near)[0].nearest);
  EXPECT_EQ(told.at(near)[0].nearest->beyond, 3'950U);
  EXPECT_EQ(told.at(near)[0].nearest->in, milliseconds{9'999});
  EXPECT_EQ(told.at(near)[0].players_missing, 1U);
}

TEST(Explanations, see_the_rooms_as_the_decision_leaves_them) {
  Decided decided;
  plan::Room& room = decided.rooms.emplace_back();
  room.teams = {{.players = 1, .free = 2, .sum = 0, .roles = {}}};
  room.low[0] = room.high[0] = 1'000;
  decided.rules.size.most = 3;
  decided.rules.size.best = 3;
  decided.lend(near, {{960, false}, {1'020, false}});
  decided.lend(far, {});
  const auto told = decided.explained();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(numbers(told.at(near)), ElementsAre(1'020));
  EXPECT_EQ(told.at(near)[0].rooms, 1U);
  ASSERT_TRUE(told.at(near)[0].nearest);
  EXPECT_TRUE(told.at(near)[0].nearest->room);
  EXPECT_EQ(told.at(near)[0].nearest->beyond, 10U) << "from 960, who has come in, to 1020";
}

TEST(Explanations, are_for_those_first_who_have_asked_and_then_for_the_oldest) {
  Decided decided;
  decided.lend(near, {{1'000, false}, {2'000, false}, {3'000, true}});
  decided.lend(far, {});
  EXPECT_THAT(numbers(decided.explained().at(near)), ElementsAre(3'000, 1'000, 2'000));
  EXPECT_THAT(numbers(decided.explained(false).at(near)), ElementsAre(3'000));
}

TEST(Explanations, are_so_many_and_no_more) {
  Decided decided;
  std::vector<std::pair<std::uint64_t, bool>> many;
  for (std::uint64_t i = 1; i <= 300; ++i) many.emplace_back(1'000 * i, false);
  decided.lend(near, many);
  decided.lend(far, {});
  EXPECT_EQ(decided.explained().at(near).size(), wire::limits::explained);
  Decided crowd;
  for (std::uint64_t part = 0; part < 2; ++part) {
    std::vector<std::pair<std::uint64_t, bool>> more;
    for (std::uint64_t i = 0; i < 500; ++i) more.emplace_back(1'000 * (500 * part + i + 1), false);
    crowd.lend(part == 0 ? near : far, more);
  }
  const auto told = crowd.explained();
  std::size_t sum = 0;
  for (const auto& [master, each] : told) sum += each.size();
  EXPECT_EQ(sum, explaining_looks_most / 2'000);
}

}  // namespace
}  // namespace fixkeep::master
