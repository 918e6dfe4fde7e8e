// What becomes of a cluster whose names mislead: two machines have one, or nobody answers for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/sim/seeds.hpp"
#include "tests/sim/simulation.hpp"

namespace fixkeep::sim {
namespace {

TEST(Names, copies_of_workers_take_nothing_from_those_that_run) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options;
    options.seed = seed;
    options.faults.scripted_copies = true;
    Simulation simulation{options};
    for (std::size_t i = 0; i < options.workers; ++i) {
      simulation.at(Duration{1'000'000}, [&, i] { simulation.cluster().start_copy(i); });
    }
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.rooms, outcome.ideal_rooms);
  }
}

TEST(Names, worker_whose_place_a_copy_has_taken_is_back_when_that_is_gone) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options;
    options.seed = seed;
    options.faults.scripted_in_workers = options.faults.scripted_copies = true;
    Simulation simulation{options};
    Cluster& cluster = simulation.cluster();
    const auto links_of = [&](const std::unique_ptr<WorkerNode>& worker) {
      const auto& masters = cluster.masters();
      return std::count_if(masters.begin(), masters.end(), [&](const auto& master) {
        return cluster.network().up(master->node, worker->node);
      });
    };
    std::ptrdiff_t of_copy = 0;
    std::ptrdiff_t beside_copy = 0;
    simulation.at(Duration{1'530'000}, [&] {
      cluster.crash_worker(0);
      cluster.start_copy(0);
    });
    simulation.at(Duration{5'000'000}, [&] {
      of_copy = links_of(cluster.copies()[0]);
      cluster.start_worker(0);
    });
    simulation.at(Duration{9'000'000}, [&] {
      beside_copy = links_of(cluster.workers()[0]);
      cluster.crash_copy(0);
    });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(outcome.seated, options.players);
    EXPECT_EQ(of_copy, options.masters);
    EXPECT_EQ(beside_copy, 0);
    EXPECT_EQ(links_of(cluster.workers()[0]), options.masters);
  }
}

TEST(Names, name_that_is_looked_up_for_long_keeps_one_link_waiting) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options;
    options.seed = seed;
    options.faults.scripted_in_masters = options.faults.scripted_in_workers = true;
    Simulation simulation{options};
    Cluster& cluster = simulation.cluster();
    const NodeIndex master = cluster.masters()[0]->node;
    const NodeIndex worker = cluster.workers()[0]->node;
    cluster.network().set_slow_name(worker, master, true);
    simulation.at(Duration{1'000'000}, [&] {
      for (const auto& other : cluster.workers()) {
        const bool waits = other->node == worker;
        EXPECT_NE(cluster.network().up(master, other->node), waits) << "seed " << seed;
      }
    });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(outcome.seated, options.players);
    EXPECT_TRUE(cluster.network().up(master, worker));
  }
}

}  // namespace
}  // namespace fixkeep::sim
