// Seats of rooms that are there, given away with little work: nothing is promised less, and nobody
// is left out for ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "master/rules/plan/planner.hpp"
#include "tests/support/plan_cases.hpp"
#include "tests/support/plan_judge.hpp"

namespace fixkeep::master::plan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::PlanCase;

Decision plan_of(const PlanCase& c, const Budget& budget) {
  TicketPool pool;
  for (const Ticket& ticket : c.tickets) pool.insert(ticket);
  Decision decision;
  Planner{}.plan(c.rules, pool, c.rooms, c.now, budget, decision);
  return decision;
}

// Everybody who got a seat has taken it.
void carry_out(PlanCase& c, const Decision& decision) {
  std::vector<Room> rooms = test::rooms_after(c, decision);
  for (const Fill& fill : decision.fills) {
    const auto room =
        std::find_if(rooms.begin(), rooms.end(), [&](auto& one) { return one.id == fill.room; });
    const auto ticket = std::find_if(c.tickets.begin(), c.tickets.end(),
                                     [&](auto& one) { return one.id == fill.ticket; });
    for (const Member& member : ticket->members) {
      if (!c.rules.roles.empty()) room->teams[fill.team].roles.push_back(member.roles);
    }
    if (!c.rules.avoid || c.now - ticket->since >= c.rules.avoid->until) continue;
    room->avoided.insert(room->avoided.end(), ticket->avoids.begin(), ticket->avoids.end());
  }
  c.rooms = std::move(rooms);
  std::erase_if(c.tickets, [&](const Ticket& ticket) {
    const auto is_it = [&](const auto& one) { return one.ticket == ticket.id; };
    return std::any_of(decision.fills.begin(), decision.fills.end(), is_it) ||
           std::any_of(decision.placed.begin(), decision.placed.end(), is_it) ||
           std::any_of(decision.refused.begin(), decision.refused.end(), is_it);
  });
}

// What is wrong, but that a younger ticket came before an older one that was not looked at.
std::string judged(const PlanCase& c, const Decision& decision, bool whole) {
  std::string text;
  for (const std::string& line : test::judge_plan(c, decision, whole)) {
    if (line.find("and a younger one is put into a room") == std::string::npos) text += line + '\n';
  }
  return text;
}

TEST(FillBudget, keeps_every_promise_with_little_work) {
  std::size_t cut = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    Random random{seed};
    PlanCase c = test::random_case(1 + random.below(8), random);
    Budget budget{.work = 1 + random.below(6), .looks_per_ticket = 100'000, .from = {}};
    budget.regions = c.regions;
    // A whole turn that changes nothing leaves nobody who could have a seat.
    for (bool changed = true; changed;) {
      changed = false;
      int calls = 0;
      do {
        const Decision decision = plan_of(c, budget);
        ASSERT_EQ(judged(c, decision, false), "") << "seed " << seed << '\n'
                                                  << test::to_text(c, decision);
        carry_out(c, decision);
        changed = changed || !decision.fills.empty() || !decision.orders.empty();
        budget.from = decision.next;
        cut += decision.next ? 1 : 0;
        ASSERT_LE(++calls, 30) << "seed " << seed << " comes to no end";
      } while (budget.from);
    }
    ASSERT_EQ(judged(c, {}, true), "") << "seed " << seed << '\n' << test::to_text(c, {});
  }
  EXPECT_GT(cut, 20'000U) << "else there is nothing to see";
}

// Rooms with a seat each that nobody but the last ticket may have: the sums of the teams say so.
PlanCase crowded(std::size_t tickets, std::size_t rooms) {
  PlanCase c;
  c.now = TimePoint{seconds{1'000}};
  c.rules.numbers = {"rating"};
  c.rules.size = {.least = 4, .best = 4, .most = 4, .after = {}};
  c.rules.teams = TeamRule{2, 2, 0, 0};
  for (std::size_t i = 0; i < rooms; ++i) {
    Room room{.id = i + 1, .since = c.now};
    room.teams = {{2, 0, 2'000, {}}, {1, 1, 1'000, {}}};
    c.rooms.push_back(room);
  }
  for (std::size_t i = 0; i < tickets; ++i) {
    Ticket ticket;
    ticket.id = TicketId{i + 1};
    ticket.since = c.now - seconds{900} + milliseconds{i};
    ticket.members.push_back({PlayerHash{i}, 0});
    ticket.sums[0] = i + 1 == tickets ? 1'000 : 10'000 + (std::int64_t{1} << i % 40);
    c.tickets.push_back(ticket);
  }
  return c;
}

TEST(FillBudget, counts_looks_at_rooms_as_work) {
  const PlanCase c = crowded(400, 500);
  const Decision decision = plan_of(c, {.work = 20'000, .from = {}});
  EXPECT_TRUE(decision.next) << "400 times 500 looks are more than 20 000";
  EXPECT_GE(decision.work, 10'000U);
  EXPECT_LE(decision.work, 40'000U);
}

TEST(FillBudget, comes_to_the_youngest_in_the_end) {
  const PlanCase c = crowded(400, 500);
  Budget budget{.work = 20'000, .looks_per_ticket = 50, .from = {}};
  std::vector<Fill> fills;
  int calls = 0;
  while (fills.empty() && ++calls < 100) {
    const Decision decision = plan_of(c, budget);
    fills = decision.fills;
    budget.from = decision.next;
  }
  ASSERT_EQ(fills.size(), 1U);
  EXPECT_EQ(fills[0].ticket, TicketId{400});
  EXPECT_LT(calls, 100);
}

}  // namespace
}  // namespace fixkeep::master::plan
