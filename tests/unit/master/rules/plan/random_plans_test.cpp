// Rules and pools that a seed draws, and what must hold of every plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "master/rules/plan/planner.hpp"
#include "tests/support/plan_cases.hpp"
#include "tests/support/plan_judge.hpp"

namespace fixkeep::master::plan {
namespace {

using std::chrono::seconds;
using test::PlanCase;

const Budget plenty{.work = 1'000'000'000, .looks_per_ticket = 1'000'000, .from = {}};

TicketPool pool_of(const std::vector<Ticket>& tickets) {
  TicketPool pool;
  for (const Ticket& ticket : tickets) pool.insert(ticket);
  return pool;
}

Decision plan_of(Planner& planner, const PlanCase& c, const Budget& budget = plenty) {
  Decision decision;
  Budget within = budget;
  within.regions = c.regions;
  planner.plan(c.rules, pool_of(c.tickets), c.rooms, c.now, within, decision);
  return decision;
}

std::string all_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

TEST(RandomPlans, hold_what_a_plan_promises) {
  Planner planner;
  std::size_t fills = 0;
  std::size_t orders = 0;
  std::size_t left = 0;
  for (std::uint64_t seed = 1; seed <= 100'000; ++seed) {
    Random random{seed};
    const PlanCase c = test::random_case(1 + random.below(7), random);
    const Decision decision = plan_of(planner, c);
    const auto wrong = test::judge_plan(c, decision, true);
    ASSERT_TRUE(wrong.empty()) << "seed " << seed << '\n'
                               << all_of(wrong) << test::to_text(c, decision);
    fills += decision.fills.size();
    orders += decision.orders.size();
    left += decision.reasons.size();
  }
  // The cases are of use only if much of everything happens in them.
  EXPECT_GT(fills, 10'000U);
  EXPECT_GT(orders, 30'000U);
  EXPECT_GT(left, 50'000U);
}

TEST(RandomPlans, depend_neither_on_the_order_of_what_is_named_nor_on_what_was_decided_before) {
  Planner used;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    Random random{seed};
    PlanCase c = test::random_case(40, random);
    Planner fresh;
    const Decision first = plan_of(fresh, c);
    std::reverse(c.tickets.begin(), c.tickets.end());
    std::reverse(c.rooms.begin(), c.rooms.end());
    ASSERT_EQ(plan_of(used, c), first) << "seed " << seed;
  }
}

// Arrivals over a minute, a decision a second; whoever has a room goes.
class Minute {
 public:
  explicit Minute(std::uint64_t seed) : random_(seed) {
    c_.now = TimePoint{seconds{1'000}};
    c_.rules = test::random_rules(random_);
  }

  void run(const Budget& budget, bool is_whole) {
    Budget next = budget;
    for (int second = 0; second < 60; ++second) {
      for (auto more = random_.below(3); more > 0 && c_.tickets.size() < 7; --more) {
        c_.tickets.push_back(test::random_ticket(c_.rules, TicketId{++ids_}, c_.now, random_));
        c_.tickets.back().since = c_.now;
      }
      const Decision decision = plan_of(planner_, c_, next);
      next.from = decision.next;
      const bool whole = is_whole || (!next.from && whole_before_);
      whole_before_ = !next.from;
      const auto wrong = test::judge_plan(c_, decision, whole);
      ASSERT_TRUE(wrong.empty()) << "second " << second << '\n'
                                 << all_of(wrong) << test::to_text(c_, decision);
      count_passes(decision);
      leave(decision);
      c_.now += seconds{1};
    }
  }

 private:
  void count_passes(const Decision& decision) {
    for (const TicketId id : test::passed_over(c_, decision)) {
      EXPECT_LE(++passes_[id], c_.rules.passes)
          << "ticket " << id.number() << " is passed over without end\n"
          << test::to_text(c_, decision);
    }
  }

  void leave(const Decision& decision) {
    for (Ticket& ticket : c_.tickets) {
      const auto& passed = decision.passed;
      if (std::find(passed.begin(), passed.end(), ticket.id) != passed.end()) ++ticket.passed;
    }
    std::erase_if(c_.tickets, [&](const Ticket& ticket) {
      const auto is_it = [&](const auto& one) { return one.ticket == ticket.id; };
      return std::any_of(decision.placed.begin(), decision.placed.end(), is_it) ||
             std::any_of(decision.refused.begin(), decision.refused.end(), is_it);
    });
  }

  Random random_;
  PlanCase c_;
  Planner planner_;
  std::uint64_t ids_ = 0;
  bool whole_before_ = true;
  std::map<TicketId, std::uint32_t> passes_;
};

TEST(RandomPlans, never_pass_a_ticket_over_more_often_than_is_said) {
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    SCOPED_TRACE(seed);
    Minute{seed}.run(plenty, true);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// The smallest budget there is finishes one ticket a call.
TEST(RandomPlans, with_a_small_budget_go_on_in_the_order_of_age) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random{seed};
    PlanCase c = test::random_case(30, random);
    Planner planner;
    Budget budget{.work = 1, .looks_per_ticket = 1'000'000, .from = {}};
    Cursor before{};
    int calls = 0;
    do {
      const Decision decision = plan_of(planner, c, budget);
      budget.from = decision.next;
      ASSERT_LE(++calls, 31) << "seed " << seed;
      if (!budget.from) break;
      ASSERT_LT(before, *budget.from) << "seed " << seed << " is not in order of age";
      before = *budget.from;
    } while (true);
  }
}

}  // namespace
}  // namespace fixkeep::master::plan
