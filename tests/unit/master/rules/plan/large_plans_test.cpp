// Plans for more tickets than any look for a room takes: what cannot be used keeps nobody out.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "master/rules/plan/planner.hpp"
#include "tests/support/plan_cases.hpp"
#include "tests/support/plan_greedy.hpp"

namespace fixkeep::master::plan {
namespace {

using std::chrono::seconds;
using test::PlanCase;

constexpr std::uint8_t tank = 0b001;
constexpr std::uint8_t healer = 0b010;
constexpr std::uint8_t damage = 0b100;

PlanCase room_of(std::uint32_t players) {
  PlanCase c;
  c.now = TimePoint{seconds{1'000}};
  c.rules.size = {.least = players, .best = players, .most = players, .after = {}};
  return c;
}

// Each one has waited for less than the one before.
Ticket& add(PlanCase& c, std::int64_t first = 0, std::int64_t second = 0) {
  Ticket ticket;
  ticket.id = TicketId{c.tickets.size() + 1};
  ticket.since = c.now - seconds{900} + std::chrono::milliseconds{c.tickets.size()};
  ticket.members.push_back({PlayerHash{ticket.id.number() * 100}, 0});
  ticket.sums = {first, second};
  ticket.latency_ms.fill(unmeasured);
  return c.tickets.emplace_back(ticket);
}

void add_role(PlanCase& c, std::uint8_t roles) {
  add(c).members[0].roles = roles;
}

Decision plan_of(const PlanCase& c) {
  TicketPool pool;
  for (const Ticket& ticket : c.tickets) pool.insert(ticket);
  Decision decision;
  Planner{}.plan(c.rules, pool, c.rooms, c.now, {.from = {}, .regions = c.regions}, decision);
  return decision;
}

TEST(LargePlans, find_the_healer_behind_any_number_of_fighters) {
  PlanCase c = room_of(3);
  c.rules.roles = {{"tank", 1}, {"healer", 1}, {"damage", 1}};
  add_role(c, tank);
  for (int i = 0; i < 12; ++i) add_role(c, damage);
  add_role(c, healer);
  EXPECT_EQ(plan_of(c).orders.size(), 1U);
}

TEST(LargePlans, make_as_many_rooms_of_rare_roles_as_a_plain_greedy) {
  PlanCase c = room_of(5);
  c.rules.roles = {{"tank", 1}, {"healer", 1}, {"damage", 3}};
  for (int i = 0; i < 400; ++i) {
    add_role(c, i % 50 == 20 ? tank : i % 50 == 45 ? healer : damage);
  }
  ASSERT_EQ(test::greedy_rooms(c), 8U);
  EXPECT_EQ(plan_of(c).orders.size(), 8U);
}

// The first distance lets a hundred in between two whom the second one lets meet.
TEST(LargePlans, count_only_those_whom_each_distance_lets_in) {
  PlanCase c = room_of(2);
  c.rules.numbers = {"rating", "level"};
  for (std::size_t n = 0; n < 2; ++n) c.rules.distances.push_back({n, {{Duration{0}, 50}}, {}});
  for (int i = 0; i < 400; ++i) add(c, i, i % 50 == 0 ? 0 : 1'000 * (i + 1));
  EXPECT_EQ(plan_of(c).orders.size(), 4U);
}

TEST(LargePlans, count_only_those_who_do_not_avoid_each_other) {
  PlanCase c = room_of(2);
  c.rules.avoid = AvoidRule{};
  add(c);
  const PlayerHash first = c.tickets[0].members[0].player;
  for (int i = 0; i < 300; ++i) add(c).members[0].player = PlayerHash{7};
  for (std::size_t i = 1; i <= 300; ++i)
    c.tickets[i].avoids = {first, PlayerHash{7}, PlayerHash{8}};
  add(c).members[0].player = PlayerHash{8};
  EXPECT_EQ(plan_of(c).placed.size(), 2U);
}

// Two of them make a room, which has a seat for the third one.
TEST(LargePlans, count_only_those_who_may_come_beside_somebody_found) {
  PlanCase c = room_of(3);
  c.rules.size.least = c.rules.size.best = 2;
  c.rules.avoid = AvoidRule{};
  for (int i = 0; i < 2; ++i) add(c).members[0].player = PlayerHash{8};
  for (int i = 0; i < 300; ++i) add(c).members[0].player = PlayerHash{7};
  for (std::size_t i = 2; i < 302; ++i) c.tickets[i].avoids = {PlayerHash{7}, PlayerHash{8}};
  add(c).members[0].player = PlayerHash{8};
  EXPECT_EQ(plan_of(c).placed.size(), 3U);
}

// Each of many may meet the first one, and none of them anybody else.
TEST(LargePlans, look_beyond_those_who_meet_nobody_else) {
  PlanCase c = room_of(3);
  c.rules.avoid = AvoidRule{};
  add(c);
  for (int i = 0; i < 30; ++i) add(c).members[0].player = PlayerHash{7};
  for (std::size_t i = 1; i <= 30; ++i) c.tickets[i].avoids = {PlayerHash{7}, PlayerHash{8}};
  for (int i = 0; i < 2; ++i) add(c).members[0].player = PlayerHash{8};
  EXPECT_EQ(plan_of(c).placed.size(), 3U);
}

// Nobody takes the place of somebody older, so there is nothing to look at.
TEST(LargePlans, do_not_spend_their_work_on_younger_ones_who_were_passed_over) {
  PlanCase c = room_of(2);
  c.rules.numbers = {"rating"};
  c.rules.distances = {{0, {{Duration{0}, 50}}, {}}};
  for (int i = 0; i < 400; ++i) add(c, 1'000 * (i / 2)).passed = 9;
  TicketPool pool;
  for (const Ticket& ticket : c.tickets) pool.insert(ticket);
  Decision decision;
  Planner{}.plan(c.rules, pool, c.rooms, c.now, {.work = 10'000, .from = {}}, decision);
  EXPECT_EQ(decision.orders.size(), 200U);
}

TEST(LargePlans, leave_out_nobody_whom_a_plain_greedy_finds_a_room_for) {
  std::size_t left = 0;
  for (std::uint64_t seed = 1; seed <= 1'500; ++seed) {
    Random random{seed};
    PlanCase c = test::random_case(50 + random.below(351), random);
    for (Ticket& ticket : c.tickets) {
      for (std::size_t n = 0; n < 2; ++n) ticket.sums[n] *= random.between(1, 12);
    }
    // Sums of teams of several are tried until the looks are spent, which may be in vain.
    if (c.rules.teams && c.rules.teams->size > 1) c.rules.teams->number.reset();
    const Decision decision = plan_of(c);
    left += decision.reasons.size();
    ASSERT_EQ(test::left_out(c, decision), "")
        << "seed " << seed << test::to_text(c, decision).substr(0, 500);
  }
  EXPECT_GT(left, 10'000U) << "else there is nothing to find";
}

}  // namespace
}  // namespace fixkeep::master::plan
