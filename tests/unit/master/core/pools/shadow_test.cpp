// What is counted of rules that are planned beside the live ones.
#include "master/core/pools/shadow.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "master/rules/plan/planner.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

constexpr MasterId home{1};
constexpr MasterId abroad{2};

plan::Rules pairs_within(std::int64_t most) {
  plan::Rules rules;
  rules.numbers = {"rating"};
  rules.distances = {{0, {{Duration{0}, most}}, {}}};
  rules.size = {.least = 2, .best = 2, .most = 2, .after = {}};
  return rules;
}

// Claims wait at one master or the other until the live plan seats them, or they leave.
struct ShadowTest : testing::Test {
  using Claim = std::pair<MasterId, std::uint64_t>;
  struct Waits {
    std::int64_t rating = 0;
    TimePoint since;
  };

  void come(std::uint64_t number, std::int64_t rating, MasterId master = home) {
    waiting[{master, number}] = {rating, now};
  }
  void leave(std::uint64_t number, MasterId master = home) { waiting.erase({master, number}); }

  void decide() {
    now += seconds{1};
    const FencingToken token{++holds, home};
    Gathering gathering;
    gathering.begin(token, {home, abroad});
    for (const MasterId master : {home, abroad}) {
      ClaimsPart part{token, 0, false, {}};
      for (const auto& [claim, waits] : waiting) {
        if (claim.first != master) continue;
        if (part.claims.size() == ClaimsPart::part_most) {
          const ClaimsPart next{token, part.index + 1, false, {}};
          gathering.heard(master, std::exchange(part, next), now);
        }
        LentClaim& lent = part.claims.emplace_back();
        lent.ticket.id = TicketId{claim.second};
        lent.ticket.members = {{PlayerHash{claim.second}, 0}};
        lent.ticket.sums[0] = waits.rating;
        lent.waited = now - waits.since;
      }
      part.last = true;
      ASSERT_EQ(gathering.heard(master, std::move(part), now), Gathering::Heard::counted);
    }
    const plan::TicketPool tickets = gathering.tickets();
    plan::Decision decision;
    plan::Planner{}.plan(live, tickets, rooms, now, {}, decision);
    const plan::Decision before = decision;
    shadow.look(pool, shadow_rules, {tickets, rooms, ~0U, decision, gathering, now}, counts);
    EXPECT_EQ(decision, before);
    if (refused) return;
    const auto gone = [&](TicketId id) {
      const Gathering::Lender& lender = gathering.lender(id);
      waiting.erase({lender.master, lender.ticket.number()});
    };
    for (const plan::Placed& placed : decision.placed) gone(placed.ticket);
    for (const plan::Fill& fill : decision.fills) gone(fill.ticket);
  }
  // A room of two in which somebody sits.
  void open_room(std::int64_t rating) {
    plan::Room& room = rooms.emplace_back();
    room.id = rooms.size();
    room.teams = {{.players = 1, .free = 1, .sum = 0, .roles = {}}};
    room.low[0] = room.high[0] = rating;
  }

  const GroupKey pool{"duel"};
  plan::Rules live = pairs_within(50);
  plan::Rules shadow_rules = pairs_within(500);
  bool refused = false;  // workers refuse what the live plan wants
  TimePoint now{seconds{1'000}};
  std::uint64_t holds = 0;
  std::map<Claim, Waits> waiting;
  std::vector<plan::Room> rooms;
  Shadow shadow;
  ShadowCounts counts;
};

TEST_F(ShadowTest, counts_who_would_have_waited_less_and_been_further_apart) {
  come(1, 1'000);
  come(2, 1'300, abroad);
  decide();
  EXPECT_EQ(counts.seated(), 0U) << "nobody is counted before the live plan seats him";
  come(3, 1'010);
  decide();
  EXPECT_EQ(counts.plans, 2U);
  EXPECT_EQ(counts.earlier, 1U) << "1 was to play with 2 at once";
  EXPECT_EQ(counts.same_decision, 0U);
  EXPECT_EQ(counts.not_yet, 1U) << "3 has nobody left";
  EXPECT_EQ(counts.live.spread[0], 10U) << "the rooms of claim 1 alone, which both have seated";
  EXPECT_EQ(counts.shadow.spread[0], 300U);
  EXPECT_EQ(counts.live.waited.sum_us(), 3'000'000U) << "claim 1 for 2 s, and claim 3 for 1 s";
  EXPECT_EQ(counts.shadow.waited.sum_us(), 1'000'000U);
  EXPECT_EQ(counts.live.waits.count(), 2U);
  EXPECT_EQ(counts.shadow.waits.count(), 1U);
}

TEST_F(ShadowTest, of_the_same_rules_seats_the_same_in_the_same_decisions) {
  shadow_rules = live;
  open_room(2'000);
  come(1, 1'000);
  come(2, 1'040);
  come(3, 1'990, abroad);
  come(4, 5'000);
  decide();
  EXPECT_EQ(counts.same_decision, 3U);
  EXPECT_EQ(counts.seated(), 3U);
  EXPECT_EQ(counts.live.spread[0], 40U + 40U + 10U) << "3 joins somebody of 2 000";
  EXPECT_EQ(counts.shadow.spread[0], counts.live.spread[0]);
  EXPECT_EQ(counts.shadow.waited, counts.live.waited);
}

TEST_F(ShadowTest, of_narrower_rules_has_not_seated_whom_the_live_plan_has) {
  std::swap(live, shadow_rules);
  come(1, 1'000);
  come(2, 1'300);
  decide();
  EXPECT_EQ(counts.not_yet, 2U);
  EXPECT_EQ(counts.seated(), 2U);
  EXPECT_EQ(counts.shadow.waits.count(), 0U);
}

TEST_F(ShadowTest, counts_a_claim_once_though_workers_refuse_it) {
  refused = true;
  come(1, 1'000);
  come(2, 1'010);
  decide();
  decide();
  EXPECT_EQ(counts.plans, 2U);
  EXPECT_EQ(counts.same_decision, 2U);
  EXPECT_EQ(counts.seated(), 2U);
}

TEST_F(ShadowTest, plans_no_more_for_a_claim_that_it_has_seated) {
  come(1, 1'000);
  come(2, 1'300);
  decide();
  come(3, 1'010);  // the live plan seats it with 1
  come(4, 1'310);  // and this one with 2
  decide();
  EXPECT_EQ(counts.earlier, 2U);
  EXPECT_EQ(counts.same_decision, 2U) << "3 and 4 are left to each other";
}

TEST_F(ShadowTest, remembers_the_claims_of_the_latest_decision_and_no_others) {
  come(1, 1'000);
  come(2, 9'000, abroad);
  decide();
  EXPECT_EQ(shadow.claims(), 2U);
  leave(1);
  decide();
  EXPECT_EQ(shadow.claims(), 1U);
  leave(2, abroad);
  decide();
  EXPECT_EQ(shadow.claims(), 0U);
}

TEST_F(ShadowTest, does_not_take_a_claim_of_the_next_run_of_a_master_for_one_of_the_last) {
  come(1, 1'000);
  come(2, 1'300, abroad);
  decide();
  shadow.link_broke(abroad);
  EXPECT_EQ(shadow.claims(), 1U);
  come(2, 7'000, abroad);
  come(3, 7'010);
  decide();
  EXPECT_EQ(counts.earlier, 0U);
  EXPECT_EQ(counts.same_decision, 2U);
}

TEST_F(ShadowTest, forgets_a_pool) {
  come(1, 1'000);
  decide();
  shadow.forget(pool);
  EXPECT_EQ(shadow.claims(), 0U);
}

TEST_F(ShadowTest, of_no_latency_fills_the_rooms_of_all_regions) {
  open_room(1'000);
  rooms[0].region = 1;
  live.latency = plan::LatencyRule{{"eu", "us"}, {{Duration{0}, 80}}};
  come(1, 1'010);  // it has measured 0 ms to both
  decide();
  EXPECT_EQ(counts.same_decision, 1U);
}

TEST_F(ShadowTest, remembers_no_more_than_the_oldest_claims_and_says_so) {
  for (std::uint64_t number = 1; number <= Shadow::claims_most; ++number) {
    come(number, static_cast<std::int64_t>(1'000 * number));
  }
  decide();
  EXPECT_EQ(counts.unfinished, 0U);
  come(Shadow::claims_most + 1, 0);
  decide();
  EXPECT_EQ(counts.unfinished, 1U);
  EXPECT_EQ(shadow.claims(), Shadow::claims_most);
}

TEST_F(ShadowTest, says_that_it_has_left_out_claims_where_there_are_too_many_rooms) {
  for (std::size_t i = 0; i < plan::rooms_most; ++i) open_room(1'000'000);
  const std::uint64_t most = Shadow::glances_most / (plan::rooms_most + 1);
  for (std::uint64_t number = 1; number <= most; ++number) {
    come(number, static_cast<std::int64_t>(1'000 * number));
  }
  decide();
  EXPECT_EQ(counts.unfinished, 0U);
  come(most + 1, 0);
  decide();
  EXPECT_EQ(counts.unfinished, 1U);
  EXPECT_EQ(counts.plans, 2U);
}

}  // namespace
}  // namespace fixkeep::master
