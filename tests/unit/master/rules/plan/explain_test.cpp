// What is told to a ticket that waits: by example, and against all sets that the rules allow.
#include "master/rules/plan/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "tests/support/plan_cases.hpp"
#include "tests/support/plan_fits.hpp"

namespace fixkeep::master::plan {
namespace {

using std::chrono::seconds;
using test::PlanCase;
using test::TicketSet;

constexpr TimePoint told_at{seconds{1'000}};

// The ticket that was named first is the one that asks.
class Told {
 public:
  explicit Told(Rules rules) { c_.rules = std::move(rules); }

  Ticket& ticket(int waits_s, std::int64_t rating, std::uint64_t players = 1) {
    Ticket ticket;
    ticket.id = TicketId{c_.tickets.size() + 1};
    ticket.since = told_at - seconds{waits_s};
    for (std::uint64_t m = 0; m < players; ++m) {
      ticket.members.push_back({PlayerHash{ticket.id.number() * 100 + m}, 1});
    }
    ticket.sums[0] = rating * static_cast<std::int64_t>(players);
    ticket.latency_ms.fill(unmeasured);
    c_.tickets.reserve(100);
    return c_.tickets.emplace_back(ticket);
  }
  void room(std::int64_t low, std::int64_t high, std::uint32_t free) {
    Room& room = c_.rooms.emplace_back();
    room.id = c_.rooms.size();
    room.teams = {{.players = 1, .free = free, .sum = 0, .roles = {}}};
    room.low[0] = low;
    room.high[0] = high;
  }
  Explanation explain() const;

  PlanCase c_;
};

Explanation explanation_of(const PlanCase& c, TicketId id) {
  TicketPool pool;
  for (const Ticket& ticket : c.tickets) pool.insert(ticket);
  Waiting waiting;
  waiting.load(c.rules, pool, c.now);
  Rank rank = 0;
  while (waiting[rank].ticket->id != id) ++rank;
  return plan::explain(c.rules, waiting, c.rooms, rank, c.now, c.regions);
}

Explanation Told::explain() const {
  PlanCase c = c_;
  c.now = told_at;
  return explanation_of(c, TicketId{1});
}

Rules duel_that_widens() {
  Rules rules;
  rules.numbers = {"rating"};
  rules.distances = {{0, {{Duration{0}, 50}, {seconds{10}, 150}, {seconds{30}, 400}}, {}}};
  return rules;
}

std::size_t at(Refuser refuser) {
  return static_cast<std::size_t>(refuser);
}

TEST(Explain, names_the_next_step_that_lets_the_nearest_in) {
  Told told{duel_that_widens()};
  told.ticket(5, 1'000);
  told.ticket(4, 1'120);
  told.ticket(3, 700);
  const Explanation why = told.explain();
  EXPECT_EQ(why.tickets, 2U);
  EXPECT_EQ(why.meets, 0U);
  EXPECT_EQ(why.refused[0], (Explanation::Refused{2, 0}));
  EXPECT_EQ(why.nearest,
            (Explanation::Nearest{Refuser::distance, false, 70, told_at + seconds{5}}));
  EXPECT_EQ(why.players_missing, 1U);
  EXPECT_FALSE(why.enough_at);
}

TEST(Explain, says_that_no_step_lets_the_nearest_in) {
  Told told{duel_that_widens()};
  told.ticket(5, 1'000);
  told.ticket(4, 1'500);
  told.ticket(3, 1'450);
  EXPECT_EQ(told.explain().nearest, (Explanation::Nearest{Refuser::distance, false, 400, {}}));
}

TEST(Explain, knows_that_an_older_ticket_may_have_both) {
  Told told{duel_that_widens()};
  told.ticket(5, 1'000);
  told.ticket(3, 1'100);
  EXPECT_EQ(told.explain().refused[0].tickets, 1U);
  told.ticket(20, 1'050);
  EXPECT_EQ(told.explain().refused[0].tickets, 0U) << "both are within 150 of the oldest";
}

TEST(Explain, tells_of_rooms_by_the_limit_of_the_ticket) {
  Told told{duel_that_widens()};
  told.ticket(5, 1'000, 2);
  told.room(1'010, 1'060, 2);
  told.room(1'010, 1'020, 1);
  told.room(1'010, 1'020, 0);
  const Explanation why = told.explain();
  EXPECT_EQ(why.rooms, 2U) << "a full room refuses nobody";
  EXPECT_EQ(why.refused[0], (Explanation::Refused{0, 1}));
  EXPECT_EQ(why.refused[at(Refuser::size)], (Explanation::Refused{0, 1}));
  EXPECT_EQ(why.nearest, (Explanation::Nearest{Refuser::distance, true, 10, told_at + seconds{5}}));
}

TEST(Explain, says_how_many_players_are_missing_and_when_fewer_will_do) {
  Rules battle;
  battle.size = {.least = 3, .best = 6, .most = 6, .after = seconds{60}};
  Told told{battle};
  told.ticket(5, 0);
  told.ticket(20, 0, 2);
  EXPECT_EQ(told.explain().players_missing, 3U);
  EXPECT_EQ(told.explain().enough_at, told_at + seconds{40});
  Told alone{battle};
  alone.ticket(70, 0);
  EXPECT_EQ(alone.explain().players_missing, 2U) << "the least size is enough by now";
  EXPECT_FALSE(alone.explain().enough_at);
}

TEST(Explain, names_the_role_that_nobody_plays) {
  Rules roles;
  roles.size = {.least = 3, .best = 3, .most = 3, .after = {}};
  roles.roles = {{"heal", 1}, {"fight", 2}};
  Told told{roles};
  for (int i = 0; i < 3; ++i) told.ticket(5, 0).members[0].roles = 2;
  const Explanation why = told.explain();
  EXPECT_EQ(why.players_missing, 0U);
  EXPECT_EQ(why.roles_missing[0], 1U);
  EXPECT_EQ(why.roles_missing[1], 0U);
}

TEST(Explain, counts_players_where_all_of_them_may_play) {
  Rules rules;
  rules.size = {.least = 3, .best = 3, .most = 3, .after = {}};
  rules.latency = LatencyRule{{"a", "b"}, {{Duration{0}, 50}}};
  Told told{rules};
  told.ticket(5, 0).latency_ms = {40, 40};
  told.ticket(4, 0).latency_ms = {40, 90};
  told.ticket(3, 0).latency_ms = {90, 40};
  EXPECT_EQ(told.explain().meets, 2U);
  EXPECT_EQ(told.explain().players_missing, 1U);
}

TEST(Explain, says_when_a_region_and_a_list_of_avoided_players_give_way) {
  Rules rules;
  rules.latency = LatencyRule{{"a", "b"}, {{Duration{0}, 50}, {seconds{10}, 100}}};
  rules.avoid = AvoidRule{seconds{60}};
  Told told{rules};
  told.ticket(5, 0).latency_ms = {40, 90};
  told.c_.tickets[0].avoids = {PlayerHash{200}};
  told.ticket(4, 0).latency_ms = {200, 45};
  Explanation why = told.explain();
  EXPECT_EQ(why.refused[at(Refuser::latency)].tickets, 1U);
  EXPECT_EQ(why.refused[at(Refuser::avoid)].tickets, 1U);
  EXPECT_EQ(why.nearest, (Explanation::Nearest{Refuser::avoid, false, 0, told_at + seconds{55}}))
      << "of two rules the last one to give way counts";
  told.c_.tickets[0].avoids.clear();
  why = told.explain();
  EXPECT_EQ(why.nearest, (Explanation::Nearest{Refuser::latency, false, 40, told_at + seconds{5}}));
}

TEST(Explain, lets_nobody_meet_in_a_region_that_is_full) {
  Rules rules;
  rules.latency = LatencyRule{{"a", "b"}, {{Duration{0}, 50}, {seconds{10}, 100}}};
  Told told{rules};
  told.ticket(5, 0).latency_ms = {40, 90};
  told.ticket(4, 0).latency_ms = {45, 60};
  EXPECT_EQ(told.explain().meets, 1U);
  told.c_.regions = 0b10;
  const Explanation why = told.explain();
  EXPECT_EQ(why.meets, 0U);
  EXPECT_EQ(why.refused[at(Refuser::latency)].tickets, 1U);
  EXPECT_EQ(why.nearest, (Explanation::Nearest{Refuser::latency, false, 40, told_at + seconds{6}}))
      << "when both may play in the other one";
  EXPECT_EQ(why.regions_full, 0b01U);
}

// --- against all sets ----------------------------------------------------------------------------

struct Pair {  // with the one who asks; sizes, teams and roles count where two alone can break them
  const PlanCase& c;
  const Ticket& own;

  [[nodiscard]] bool fits(const Ticket& other, TimePoint time) const {
    PlanCase loose = c;
    loose.now = time;
    loose.rules.size.best = loose.rules.size.least = 1;
    if (c.rules.teams) loose.rules.roles.clear();
    loose.rules.teams.reset();
    const std::size_t most = c.rules.team_size();
    return own.members.size() <= most && other.members.size() <= most &&
           test::set_fits(loose, {&own, &other});
  }
  [[nodiscard]] bool fits(const Room& room, TimePoint time) const {
    PlanCase then = c;
    then.now = time;
    return test::takes(then, {room, test::TicketTeams(room.teams.size())}, own);
  }
};

// The moments at which anything widens.
std::vector<TimePoint> steps_of(const PlanCase& c) {
  std::vector<TimePoint> all;
  for (const Ticket& ticket : c.tickets) {
    const auto add = [&](const Steps& steps) {
      for (const Step& step : steps) all.push_back(ticket.since + step.after);
    };
    for (const auto& rule : c.rules.distances) add(rule.steps);
    if (c.rules.latency) add(c.rules.latency->steps);
    if (c.rules.avoid) all.push_back(ticket.since + c.rules.avoid->until);
  }
  std::erase_if(all, [&](TimePoint time) { return time <= c.now; });
  std::sort(all.begin(), all.end());
  return all;
}

PlanCase case_to_explain(std::uint64_t seed) {
  Random random{seed};
  PlanCase c = test::random_case(2 + random.below(5), random);
  const auto known = static_cast<std::uint8_t>((1U << c.rules.roles.size()) - 1U);
  const bool narrow = random.chance(0.5);
  for (Ticket& ticket : c.tickets) {
    for (Member& member : ticket.members) {
      // The planner refuses whoever plays no role, so nobody explains that.
      if (narrow) member.roles = static_cast<std::uint8_t>(1U << random.below(2));
      member.roles &= known;
      if (member.roles == 0) member.roles = known;
    }
  }
  return c;
}

template <class Visit>
void each_set_with(const PlanCase& c, std::size_t own, const Visit& visit) {
  for (std::size_t set = 0; set < std::size_t{1} << c.tickets.size(); ++set) {
    if ((set >> own & 1U) == 0) continue;
    TicketSet members;
    for (std::size_t i = 0; i < c.tickets.size(); ++i) {
      if ((set >> i & 1U) != 0) members.push_back(&c.tickets[i]);
    }
    visit(members);
  }
}

TEST(RandomExplanations, never_miss_players_or_roles_where_a_room_could_be_made) {
  std::size_t rooms = 0;
  std::size_t missing = 0;
  std::size_t roles = 0;
  for (std::uint64_t seed = 1; seed <= 60'000; ++seed) {
    const PlanCase c = case_to_explain(seed);
    const std::size_t own = seed % c.tickets.size();
    const Explanation why = explanation_of(c, c.tickets[own].id);
    bool any = false;
    std::size_t most_met = 0;
    each_set_with(c, own, [&](const TicketSet& set) {
      if (!test::set_fits(c, set)) return;
      any = true;
      most_met = std::max(most_met, set.size() - 1);
    });
    const auto& wanted = why.roles_missing;
    const bool role = std::any_of(wanted.begin(), wanted.end(), [](auto n) { return n > 0; });
    ASSERT_FALSE(any && (why.players_missing > 0 || role)) << "seed " << seed;
    ASSERT_LE(most_met, why.meets) << "seed " << seed << ": a room has whom a rule refuses";
    rooms += any ? 1 : 0;
    missing += why.players_missing > 0 ? 1 : 0;
    roles += role && why.players_missing == 0 ? 1 : 0;
  }
  EXPECT_GT(rooms, 6'000U);
  EXPECT_GT(missing, 12'000U);
  EXPECT_GT(roles, 150U);
}

// Nobody older can have both, so two alone are all that counts.
TEST(RandomExplanations, of_the_oldest_ticket_say_who_is_refused_and_who_comes_first) {
  std::size_t never = 0;
  std::size_t sometime = 0;
  for (std::uint64_t seed = 1; seed <= 60'000; ++seed) {
    const PlanCase c = case_to_explain(seed);
    const Ticket& own = *std::min_element(c.tickets.begin(), c.tickets.end(), test::is_older);
    const Explanation why = explanation_of(c, own.id);
    const Pair pair{c, own};
    std::uint32_t meets = 0;
    std::uint32_t refused = 0;
    std::optional<TimePoint> first;
    const auto look = [&](const auto& other, bool counts) {
      if (pair.fits(other, c.now)) {
        meets += counts ? 1 : 0;
        return;
      }
      ++refused;
      for (const TimePoint time : steps_of(c)) {
        if (!pair.fits(other, time)) continue;
        first = std::min(first.value_or(time), time);
        break;
      }
    };
    for (const Ticket& other : c.tickets) {
      if (other.id != own.id) look(other, true);
    }
    for (const Room& room : c.rooms) {
      const auto free = [](const RoomTeam& team) { return team.free > 0; };
      const bool looked_at = room.wants.empty();  // otherwise its game refuses, not a rule
      if (looked_at && std::any_of(room.teams.begin(), room.teams.end(), free)) look(room, false);
    }
    ASSERT_EQ(why.meets, meets) << "seed " << seed;
    ASSERT_EQ(why.nearest.has_value(), refused > 0) << "seed " << seed;
    if (refused == 0) continue;
    ASSERT_EQ(why.nearest->at, first) << "seed " << seed;
    ++(first ? sometime : never);
  }
  EXPECT_GT(sometime, 3'000U);
  EXPECT_GT(never, 9'000U);
}

}  // namespace
}  // namespace fixkeep::master::plan
