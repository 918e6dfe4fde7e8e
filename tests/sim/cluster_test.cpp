// The whole cluster under the faults that its promises name, one test a promise.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/sim/simulation.hpp"

namespace fixkeep::sim {
namespace {

Options burst(std::uint64_t seed) {
  Options options;
  options.seed = seed;
  return options;
}

void expect_exact(const Outcome& outcome) {
  EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  EXPECT_EQ(outcome.rooms, outcome.ideal_rooms);
}

MasterNode* holder(Simulation& simulation, const GroupKey& group) {
  for (const auto& master : simulation.cluster().masters()) {
    if (master->inbox.responsive() && simulation.invariants().holds(master->id, group)) {
      return master.get();
    }
  }
  return nullptr;
}

const GroupKey first_group{"g0"};

class BurstMakesExactRooms
    : public testing::TestWithParam<std::tuple<std::uint16_t, std::uint32_t>> {};

TEST_P(BurstMakesExactRooms, whatever_the_seed) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Options options = burst(seed);
    options.masters = std::get<0>(GetParam());
    options.capacity = std::get<1>(GetParam());
    options.players = 128;
    expect_exact(simulate(options));
  }
}

INSTANTIATE_TEST_SUITE_P(Cluster, BurstMakesExactRooms,
                         testing::Combine(testing::Values(1, 2, 3, 5, 9),
                                          testing::Values(1, 8, 100)));

TEST(Cluster, without_a_lock_a_burst_makes_duplicates_so_the_judge_can_fail) {
  int with_duplicates = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Options options = burst(seed);
    options.strategy = "none";
    options.masters = 5;
    options.arrive_within = Duration{2'000};
    const Outcome outcome = simulate(options);
    EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    if (outcome.rooms > outcome.ideal_rooms) ++with_duplicates;
  }
  EXPECT_GT(with_duplicates, 15);
}

TEST(Cluster, master_killed_while_it_holds_the_lock_loses_no_request) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Options options = burst(seed);
    options.faults.scripted_in_masters = true;
    Simulation simulation{options};
    simulation.when([&] { return holder(simulation, first_group) != nullptr; },
                    [&] {
                      const auto index = holder(simulation, first_group)->id.number() - 1U;
                      simulation.cluster().crash_master(index);
                    });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(outcome.seated, 64U);
  }
}

TEST(Cluster, worker_killed_in_a_burst_is_replaced_by_the_others) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Options options = burst(seed);
    options.faults.scripted_in_workers = true;
    Simulation simulation{options};
    simulation.at(Duration{530'000}, [&] { simulation.cluster().crash_worker(0); });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(outcome.seated, 64U);
  }
}

TEST(Cluster, churn_closes_rooms) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Options options = burst(seed);
    options.arrival = Arrival::churn;
    options.arrive_within = Duration{10'000'000};
    options.play_most = Duration{3'000'000};
    Simulation simulation{options};
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    for (const auto& worker : simulation.cluster().workers()) {
      EXPECT_TRUE(worker->core->rooms().empty());
    }
  }
}

TEST(Cluster, clients_that_hang_up_or_never_come_leak_no_seat) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Options options = burst(seed);
    options.hang_ups = 0.3;
    options.never_claims = 0.3;
    const Outcome outcome = simulate(options);
    EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

}  // namespace
}  // namespace fixkeep::sim
