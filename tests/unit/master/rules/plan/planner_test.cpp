// A plan by example: what each rule does to a few tickets.
#include "master/rules/plan/planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace fixkeep::master::plan {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimePoint now{seconds{1'000}};

Rules duel() {
  Rules rules;
  rules.numbers = {"rating"};
  rules.distances = {{0, {{Duration{0}, 50}, {seconds{10}, 150}, {seconds{30}, 400}}, {}}};
  rules.party = 1;
  return rules;
}

Rules five_against_five() {
  Rules rules;
  rules.numbers = {"rating"};
  rules.size = {.least = 10, .best = 10, .most = 10, .after = {}};
  rules.teams = TeamRule{2, 5, 0, 100};
  rules.party = 5;
  return rules;
}

// Says a plan in words: "1 2" for an order of two tickets, "1>7" for a seat in room 7.
class Example {
 public:
  explicit Example(Rules rules) : rules_(std::move(rules)) {}

  // Numbered in the order in which they are named.
  Ticket& ticket(int waits_s, std::int64_t rating, std::uint64_t players = 1) {
    Ticket ticket;
    ticket.id = TicketId{tickets_.size() + 1};
    ticket.since = now - seconds{waits_s};
    for (std::uint64_t m = 0; m < players; ++m) {
      ticket.members.push_back({PlayerHash{ticket.id.number() * 100 + m}, 0});
    }
    ticket.sums[0] = rating * static_cast<std::int64_t>(players);
    ticket.latency_ms.fill(unmeasured);
    tickets_.reserve(100);
    return tickets_.emplace_back(ticket);
  }
  Room& room(std::uint64_t id, std::vector<RoomTeam> teams, std::int64_t low, std::int64_t high) {
    Room room;
    room.id = id;
    room.teams = std::move(teams);
    room.low[0] = low;
    room.high[0] = high;
    rooms_.reserve(10);
    return rooms_.emplace_back(room);
  }

  std::vector<std::string> plan(Budget budget = {}) {
    TicketPool pool;
    for (const Ticket& ticket : tickets_) pool.insert(ticket);
    Planner{}.plan(rules_, pool, rooms_, now, budget, decision);
    std::vector<std::string> words;
    for (const Fill& fill : decision.fills) {
      words.push_back(std::to_string(fill.ticket.number()) + ">" + std::to_string(fill.room));
    }
    for (const Order& order : decision.orders) {
      std::string text;
      for (std::uint32_t p = order.first; p < order.first + order.count; ++p) {
        const auto id = decision.placed[p].ticket.number();
        text += (text.empty() ? "" : " ") + std::to_string(id);
      }
      words.push_back(text);
    }
    return words;
  }

  Decision decision;

 private:
  Rules rules_;
  std::vector<Ticket> tickets_;
  std::vector<Room> rooms_;
};

TEST(Plan, keeps_players_apart_who_are_too_far_from_each_other) {
  Example example{duel()};
  example.ticket(5, 1'000);
  example.ticket(4, 1'051);
  EXPECT_THAT(example.plan(), IsEmpty());
  EXPECT_EQ(example.decision.reasons[0].why, Why::too_few);
  EXPECT_EQ(example.decision.reasons[0].again, now + seconds{5}) << "its limit widens then";
}

TEST(Plan, widens_with_the_waiting_time_of_the_oldest_and_not_of_the_newest) {
  Example example{duel()};
  example.ticket(30, 1'000);
  example.ticket(0, 1'400);
  EXPECT_THAT(example.plan(), ElementsAre("1 2"));
  Rules both = duel();
  both.distances[0].widening = Widening::both;
  Example mutual{both};
  mutual.ticket(30, 1'000);
  mutual.ticket(0, 1'400);
  EXPECT_THAT(mutual.plan(), IsEmpty());
}

TEST(Plan, takes_the_nearest_for_the_oldest) {
  Example example{duel()};
  example.ticket(30, 1'000);
  example.ticket(20, 1'300);
  example.ticket(10, 1'010);
  EXPECT_THAT(example.plan(), ElementsAre("1 3"));
}

TEST(Plan, does_not_depend_on_how_tickets_with_all_alike_are_numbered_by_others) {
  Example example{duel()};
  for (int i = 0; i < 5; ++i) example.ticket(3, 1'000);
  EXPECT_THAT(example.plan(), ElementsAre("1 2", "3 4"));
}

TEST(Plan, fills_free_seats_before_it_orders_rooms) {
  Example example{duel()};
  example.ticket(5, 1'000);
  example.ticket(4, 1'000);
  example.ticket(3, 1'000);
  example.room(7, {{1, 1, 0, {}}}, 1'020, 1'020);
  EXPECT_THAT(example.plan(), ElementsAre("1>7", "2 3"));
}

TEST(Plan, fills_no_seats_with_tickets_that_want_a_new_room) {
  Example example{duel()};
  example.ticket(5, 1'000).no_backfill = true;
  example.ticket(4, 1'000);
  example.ticket(3, 1'000).no_backfill = true;
  example.room(7, {{1, 1, 0, {}}}, 1'020, 1'020);
  EXPECT_THAT(example.plan(), ElementsAre("2>7", "1 3"));
}

TEST(Plan, counts_the_seats_of_rooms_that_start) {
  Example example{duel()};
  example.ticket(5, 1'000);
  example.ticket(4, 1'000);
  example.room(7, {{0, 2, 0, {}}}, 0, 0).starting = true;
  EXPECT_THAT(example.plan(), ElementsAre("1>7", "2>7"));
}

TEST(Plan, joins_what_can_be_one_room) {
  Rules rules = duel();
  rules.size = {.least = 2, .best = 2, .most = 4, .after = {}};
  rules.latency = LatencyRule{{"eu", "us"}, {{Duration{0}, 50}}};
  Example example{rules};
  // The first two are best off in eu, where the others are not; all four can play in us.
  for (int i = 0; i < 4; ++i) {
    Ticket& ticket = example.ticket(9 - i, 1'000);
    ticket.latency_ms[0] = i < 2 ? 10 : 90;
    ticket.latency_ms[1] = 40;
  }
  EXPECT_THAT(example.plan(), ElementsAre("1 2 3 4"));
  EXPECT_EQ(example.decision.orders[0].region, 1);
}

// Rooms that are there take players wherever they are.
TEST(Plan, orders_no_room_where_none_can_be_made) {
  Rules rules = duel();
  rules.latency = LatencyRule{{"eu", "us"}, {{Duration{0}, 50}}};
  Example example{rules};
  for (int i = 0; i < 5; ++i) {
    Ticket& ticket = example.ticket(9 - i, 1'000);
    ticket.latency_ms[0] = 10;
    ticket.latency_ms[1] = i < 3 ? 40 : 90;
  }
  example.room(7, {{1, 1, 0, {}}}, 1'000, 1'000);
  EXPECT_THAT(example.plan({.from = {}, .regions = 0b10}), ElementsAre("1>7", "2 3"));
  EXPECT_EQ(example.decision.orders[0].region, 1);
  EXPECT_THAT(example.plan({.from = {}, .regions = 0}), ElementsAre("1>7"));
}

// A look for a room takes the nearest 18 of one size who may meet the first ticket. None of those
// may meet anybody else.
TEST(Plan, joins_an_order_with_an_earlier_one_that_did_not_reach_it) {
  Rules rules = duel();
  rules.size = {.least = 2, .best = 2, .most = 6, .after = {}};
  rules.party = 2;
  rules.avoid = AvoidRule{};
  Example example{rules};
  example.ticket(29, 1'000);
  example.ticket(28, 1'000, 2).members[0].player = PlayerHash{8};
  for (int i = 0; i < 18; ++i) {
    Ticket& ticket = example.ticket(27 - i, 1'000);
    ticket.members[0].player = PlayerHash{7};
    ticket.avoids = {PlayerHash{7}, PlayerHash{8}};
  }
  example.ticket(2, 1'040).members[0].player = PlayerHash{8};
  example.ticket(1, 1'040).members[0].player = PlayerHash{8};
  EXPECT_THAT(example.plan(), ElementsAre("1 2 21 22"));
}

TEST(Plan, starts_with_fewer_players_once_the_oldest_has_waited) {
  Rules rules = duel();
  rules.size = {.least = 2, .best = 4, .most = 4, .after = seconds{60}};
  Example early{rules};
  early.ticket(59, 1'000);
  early.ticket(0, 1'000);
  EXPECT_THAT(early.plan(), IsEmpty());
  Example late{rules};
  late.ticket(60, 1'000);
  late.ticket(0, 1'000);
  EXPECT_THAT(late.plan(), ElementsAre("1 2"));
}

TEST(Plan, splits_no_party) {
  Example threes{five_against_five()};
  for (int i = 0; i < 10; ++i) threes.ticket(9, 1'000, 3);
  EXPECT_THAT(threes.plan(), IsEmpty());
  EXPECT_EQ(threes.decision.reasons[0].why, Why::no_arrangement);
  Example mixed{five_against_five()};
  for (int i = 0; i < 4; ++i) mixed.ticket(9, 1'000, i < 2 ? 3 : 2);
  EXPECT_THAT(mixed.plan(), ElementsAre("1 2 3 4"));
  EXPECT_NE(mixed.decision.placed[0].team, mixed.decision.placed[1].team);
}

// Four and one are a team, and four, three and three are ten players. With the two, who are too far
// away, three would be a part of a team as well.
TEST(Plan, splits_no_party_though_both_the_teams_and_the_room_could_be_filled) {
  Rules rules = five_against_five();
  rules.distances = {{0, {{Duration{0}, 50}}, {}}};
  Example example{rules};
  example.ticket(9, 0, 4);
  example.ticket(8, 0, 1);
  for (int i = 0; i < 2; ++i) example.ticket(7, 0, 3);
  example.ticket(6, 1'000, 2);
  EXPECT_THAT(example.plan(), IsEmpty());
  EXPECT_EQ(example.decision.reasons[0].why, Why::no_arrangement);
}

TEST(Plan, makes_teams_that_differ_by_no_more_than_the_rule) {
  Example strong{five_against_five()};
  strong.ticket(9, 1'100, 5);
  strong.ticket(8, 1'000, 5);
  EXPECT_THAT(strong.plan(), IsEmpty());
  Example even{five_against_five()};
  even.ticket(9, 1'020, 5);
  even.ticket(8, 1'000, 5);
  EXPECT_THAT(even.plan(), ElementsAre("1 2"));
}

TEST(Plan, gives_each_player_a_role_that_it_plays) {
  Rules rules = duel();
  rules.roles = {{"healer", 1}, {"fighter", 1}};
  Example example{rules};
  example.ticket(9, 1'000).members[0].roles = 0b10;
  example.ticket(8, 1'000).members[0].roles = 0b10;
  example.ticket(7, 1'040).members[0].roles = 0b11;
  EXPECT_THAT(example.plan(), ElementsAre("1 3"));
}

TEST(Plan, keeps_apart_who_avoids_whom) {
  Rules rules = duel();
  rules.avoid = AvoidRule{seconds{20}};
  Example example{rules};
  example.ticket(9, 1'000);
  example.ticket(8, 1'000).avoids = {PlayerHash{100}};
  example.ticket(7, 1'000);
  EXPECT_THAT(example.plan(), ElementsAre("1 3"));
}

TEST(Plan, gives_those_who_sit_other_roles_so_that_a_newcomer_has_one) {
  Rules rules = duel();
  rules.size = {.least = 2, .best = 3, .most = 3, .after = {}};
  rules.roles = {{"healer", 1}, {"fighter", 2}};
  const auto joins = [&](std::vector<std::uint8_t> seated, std::uint8_t newcomer) {
    Example example{rules};
    example.ticket(9, 1'000).members[0].roles = newcomer;
    example.room(7, {{.players = 2, .free = 1, .sum = 0, .roles = std::move(seated)}}, 1'000,
                 1'000);
    return example.plan() == std::vector<std::string>{"1>7"};
  };
  EXPECT_TRUE(joins({0b11, 0b10}, 0b01)) << "the first one fights";
  EXPECT_TRUE(joins({0b11, 0b10}, 0b10)) << "the first one heals";
  EXPECT_FALSE(joins({0b10, 0b10}, 0b10));
  EXPECT_FALSE(joins({0b01, 0b10}, 0b01));
}

TEST(Plan, lets_nobody_join_whom_somebody_inside_avoids) {
  Rules rules = duel();
  rules.avoid = AvoidRule{seconds{20}};
  Example example{rules};
  example.ticket(9, 1'000);
  example.ticket(8, 1'000);
  Room& room = example.room(7, {{.players = 1, .free = 1, .sum = 0, .roles = {}}}, 1'000, 1'000);
  room.avoided = {PlayerHash{100}};
  EXPECT_THAT(example.plan(), ElementsAre("2>7"));
}

TEST(Plan, lets_who_was_passed_over_too_often_in_before_all_younger_ones) {
  Example example{duel()};
  example.ticket(30, 1'000);
  example.ticket(20, 1'300).passed = 3;
  example.ticket(10, 1'010);
  EXPECT_THAT(example.plan(), ElementsAre("1 2"));
  EXPECT_THAT(example.decision.passed, IsEmpty());
}

TEST(Plan, tells_who_was_passed_over) {
  Example example{duel()};
  example.ticket(30, 1'000);
  example.ticket(20, 1'300);
  example.ticket(10, 1'010);
  (void)example.plan();
  EXPECT_THAT(example.decision.passed, ElementsAre(TicketId{2}));
}

TEST(Plan, goes_on_with_the_oldest_that_the_budget_did_not_reach) {
  Example example{duel()};
  for (int i = 0; i < 8; ++i) example.ticket(20 - i, 1'000 * i);
  (void)example.plan({.work = 2, .looks_per_ticket = 100, .from = {}});
  ASSERT_TRUE(example.decision.next);
  const Cursor first = *example.decision.next;
  EXPECT_GT(first.since, now - seconds{20});
  (void)example.plan({.work = 2, .looks_per_ticket = 100, .from = first});
  ASSERT_TRUE(example.decision.next);
  EXPECT_EQ(example.decision.reasons.front().ticket, first.id);
  EXPECT_GT(*example.decision.next, first);
}

TEST(Plan, knows_when_a_limit_of_a_ticket_widens_next) {
  Rules rules = duel();
  rules.distances[0].steps = {{Duration{0}, 50}, {seconds{20}, 100}};
  rules.latency = LatencyRule{{"eu"}, {{Duration{0}, 50}, {seconds{10}, 80}}};
  rules.size = {.least = 2, .best = 3, .most = 4, .after = seconds{15}};
  rules.avoid = AvoidRule{seconds{25}};
  Duration age{0};
  for (const int next : {10, 15, 20, 25}) {
    ASSERT_EQ(next_change(rules, age), seconds{next});
    age = seconds{next};
  }
  EXPECT_EQ(next_change(rules, age), std::nullopt);
  rules.avoid = AvoidRule{};
  EXPECT_EQ(next_change(rules, age), std::nullopt) << "never is no age";
}

TEST(Plan, refuses_what_can_never_be) {
  Rules rules = five_against_five();
  rules.latency = LatencyRule{{"eu"}, {{Duration{0}, 50}, {seconds{10}, 80}}};
  Example example{rules};
  example.ticket(1, 1'000, 6).latency_ms[0] = 10;
  example.ticket(1, 1'000).latency_ms[0] = 81;
  (void)example.plan();
  ASSERT_EQ(example.decision.refused.size(), 2U);
  EXPECT_EQ(example.decision.refused[0].why, Why::party_too_large);
  EXPECT_EQ(example.decision.refused[1].why, Why::no_region);
}

}  // namespace
}  // namespace fixkeep::master::plan
