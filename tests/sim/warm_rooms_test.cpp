// Modes with warm rooms: what they save, and what they must not cost.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/seeds.hpp"
#include "tests/sim/simulation.hpp"

namespace fixkeep::sim {
namespace {

constexpr Duration a_second{1'000'000};

// A room of 16 seats for each of four groups is ready when all players come at once.
Options warm_burst(std::uint64_t seed) {
  Options options;
  options.seed = seed;
  options.capacity = 16;
  options.players = 40;
  options.boot_least = options.boot_most = 2 * a_second;
  options.arrive_after = 6 * a_second;
  options.warm_modes = 1;
  options.warm = {4, 4, 0};
  return options;
}

// Counted over all masters.
template <class Count>
std::uint64_t sum(Simulation& simulation, Count count) {
  std::uint64_t all = 0;
  for (const auto& master : simulation.cluster().masters()) {
    all += count(master->core->counters());
  }
  return all;
}

TEST(WarmRooms, a_burst_with_a_warm_room_for_each_group_waits_for_no_boot) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    const Outcome outcome = simulate(warm_burst(seed));
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.rooms, outcome.ideal_rooms) << "seed " << seed;
    EXPECT_LT(outcome.slowest_seat(), Duration{100'000}) << "seed " << seed;
  }
}

TEST(WarmRooms, a_burst_with_too_few_of_them_makes_the_others) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = warm_burst(seed);
    options.warm = {2, 2, 0};
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.rooms, outcome.ideal_rooms) << "seed " << seed;
  }
}

TEST(WarmRooms, masters_that_are_split_make_together_no_more_than_are_wanted) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    Options options = warm_burst(seed);
    options.faults.scripted_in_masters = true;
    Simulation simulation{options};
    simulation.at(a_second / 2, [&] {
      for (NodeIndex other = 1; other < 2 + seed % 2; ++other) {
        simulation.cluster().network().set_blocked(0, other, true);
      }
    });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(outcome.rooms, outcome.ideal_rooms) << "seed " << seed;
  }
}

TEST(WarmRooms, the_orderer_of_a_pool_may_die_between_its_orders_and_the_answers) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = warm_burst(seed);
    options.faults.scripted_in_masters = true;
    Simulation simulation{options};
    simulation.when([&] { return simulation.invariants().orders_sent() > 0; },
                    [&] {
                      for (std::size_t i = 0; i < 3; ++i) {
                        const auto& core = simulation.cluster().masters()[i]->core;
                        if (core->counters().warm_ordered > 0) {
                          simulation.cluster().crash_master(i);
                        }
                      }
                    });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
  }
}

TEST(WarmRooms, the_rooms_of_a_worker_that_dies_are_made_anew) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = warm_burst(seed);
    options.faults.scripted_in_workers = true;
    Simulation simulation{options};
    for (std::size_t worker = 0; worker < 3; ++worker) {
      simulation.at(5 * a_second, [&, worker] { simulation.cluster().crash_worker(worker); });
    }
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
  }
}

TEST(WarmRooms, that_do_not_come_up_are_tried_again_without_haste) {
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    Options options = warm_burst(seed);
    options.boot_least = options.boot_most = Duration{10'000};
    options.arrive_after = 10 * a_second;
    options.faults.boot_failure = 1;
    options.faults_until = 12 * a_second;
    Simulation simulation{options};
    simulation.at(9 * a_second, [&] {
      // 4 rooms a try, and rests of 0.5, 1, 2, 4 and 8 s between them on each of three masters.
      EXPECT_LE(sum(simulation, [](const auto& counters) { return counters.warm_ordered; }), 60U);
      EXPECT_GE(sum(simulation, [](const auto& counters) { return counters.warm_ordered; }), 8U);
    });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
  }
}

TEST(WarmRooms, of_which_there_are_too_many_are_closed) {
  std::uint64_t closed = 0;
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    Options options = warm_burst(seed);
    options.warm = {1, 6, 1};
    options.play_most = 5 * a_second;
    options.close_empty_after = 2 * a_second;
    Simulation simulation{options};
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    closed += sum(simulation, [](const auto& counters) { return counters.warm_closed; });
  }
  EXPECT_GE(closed, seeds(10));
}

TEST(WarmRooms, leave_players_of_other_modes_their_place) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options;
    options.seed = seed;
    options.workers = 2;
    options.room_limit = 2;
    options.modes = 2;
    options.warm_modes = 1;
    options.warm = {4, 4, 0};
    options.groups = 4;
    options.players = 16;
    options.capacity = 2;
    options.play_most = 3 * a_second;
    options.close_empty_after = 2 * a_second;
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.seated, options.players);
  }
}

}  // namespace
}  // namespace fixkeep::sim
