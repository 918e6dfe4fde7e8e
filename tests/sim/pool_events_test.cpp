// The judge of pools (lab/pools/pool_judge.hpp) reads what simulated nodes tell.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "client-sim/judge/collisions.hpp"
#include "lab/pools/pool_judge.hpp"
#include "master/rules/plan/brings.hpp"
#include "tests/sim/collision_truth.hpp"
#include "tests/sim/simulation.hpp"

namespace fixkeep::sim {
namespace {

constexpr std::uint64_t seeds = 200;

struct Judged {
  client_sim::PoolBill bill;
  std::size_t orders = 0;  // that were sent
};

// Single players where nothing fails, so that all that is promised holds.
Judged judge(std::uint64_t seed, const char* strategy) {
  Options options = draw_pool_options(seed);
  options.strategy = strategy;
  options.faults = {};
  options.busy = {};
  options.parties = options.rivals = options.hang_ups = 0;
  options.newcomers = Newcomers::always;  // no event tells the judge that a room is closed
  options.game_closes = options.game_wants = 0;
  options.newcomers_for = {};
  options.record_events = true;
  Simulation simulation{options};
  CollisionTruth truth;
  simulation.tell(truth);
  (void)simulation.run();
  auto seen = truth.take_events();
  client_sim::put_in_order(seen);
  client_sim::Brought brought;
  for (const events::Event& event : seen) {
    const auto* asked = std::get_if<events::MatchAsked>(&event.what);
    if (asked == nullptr) continue;
    const std::string text = brings_of({.player = asked->player, .party = {}}, *options.rules);
    brought[asked->player] = master::plan::parse_brings(text, *options.rules)->numbers;
  }
  return {client_sim::judge_pools(seen, *options.rules, brought), truth.orders()};
}

// The sum over many seeds, none of which has a fault.
client_sim::PoolBill sum_of(const char* strategy) {
  client_sim::PoolBill sum;
  for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    const auto [bill, orders] = judge(seed, strategy);
    EXPECT_EQ(bill.orders + bill.refused, orders) << "seed " << seed;
    EXPECT_EQ(bill.too_wide + bill.unjustified() + bill.seated_twice, 0U)
        << "seed " << seed << ": " << (bill.words.empty() ? "" : bill.words.front());
    sum.fills += bill.fills;
    sum.orders += bill.orders;
    sum.refused += bill.refused;
  }
  return sum;
}

TEST(PoolEvents, of_a_lock_that_is_kept_show_no_fault_whatever_the_seed) {
  const auto sum = sum_of("multiphase");
  EXPECT_GT(sum.fills, seeds) << "hardly anybody has joined a room";
  EXPECT_LT(sum.refused, sum.orders / 20);
}

TEST(PoolEvents, without_a_lock_show_no_fault_either_but_orders_that_workers_refuse) {
  const auto sum = sum_of("none");
  EXPECT_GT(sum.fills, seeds) << "hardly anybody has joined a room";
  EXPECT_GT(sum.refused, sum.orders / 20);
}

}  // namespace
}  // namespace fixkeep::sim
