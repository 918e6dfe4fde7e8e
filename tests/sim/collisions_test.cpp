// What client-sim counts from the events of the nodes is what the simulator knows to be true.
#include "client-sim/judge/collisions.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/sim/collision_truth.hpp"
#include "tests/sim/simulation.hpp"

namespace fixkeep::sim {
namespace {

constexpr std::uint64_t seeds = 1'000;

struct Counted {
  std::set<std::string> truth;
  std::set<std::string> from_events;
  std::size_t orders = 0;
  std::size_t orders_told = 0;
};

Counted count(Options options, Duration news = {}) {
  options.record_events = true;
  Simulation simulation{options};
  CollisionTruth truth;
  simulation.tell(truth);
  (void)simulation.run();
  Counted counted;
  counted.truth = truth.collisions(news);
  counted.orders = truth.orders();
  const auto bill = client_sim::find_collisions(truth.take_events(), news);
  counted.orders_told = bill.orders;
  for (const auto& collision : bill.collisions) {
    counted.from_events.insert(collision.group.text() + " " + to_string(collision.order));
  }
  return counted;
}

TEST(Collisions, that_are_counted_from_events_are_the_true_ones_whatever_the_seed) {
  std::size_t without_a_lock = 0;
  for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    Options options = draw_options(seed);
    options.strategy = seed % 2 == 0 ? "none" : "multiphase";
    options.faults.worker_crash_mean = options.faults.copy_mean = {};
    options.faults.machine_stall_mean = {};
    options.busy = {};
    const Counted counted = count(options, options.network.delay_most * (seed / 2 % 3));
    EXPECT_EQ(counted.from_events, counted.truth) << "seed " << seed;
    EXPECT_EQ(counted.orders_told, counted.orders) << "seed " << seed;
    if (seed % 2 == 0) without_a_lock += counted.truth.size();
  }
  EXPECT_GT(without_a_lock, seeds / 10) << "there was nothing to find";
}

TEST(Collisions, of_a_burst_come_without_a_lock_and_never_with_one) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Options options;
    options.seed = seed;
    options.strategy = "none";
    options.groups = 32;
    options.players = 256;
    EXPECT_GT(count(options).from_events.size(), 5U) << "seed " << seed;
    options.strategy = "multiphase";
    EXPECT_EQ(count(options).from_events.size(), 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fixkeep::sim
