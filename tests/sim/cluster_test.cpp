// The whole cluster under the faults that its promises name, one test a promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "tests/sim/seeds.hpp"
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
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
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

struct Lock {
  const char* strategy;
  lock::Quorum quorum = lock::Quorum::grid;
};

class EveryLock : public testing::TestWithParam<Lock> {};

TEST_P(EveryLock, makes_exact_rooms_of_a_burst) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.strategy = GetParam().strategy;
    options.quorum = GetParam().quorum;
    options.masters = static_cast<std::uint16_t>(1 + seed % 9);
    expect_exact(simulate(options));
  }
}

TEST_P(EveryLock, keeps_its_promises_under_any_faults) {
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    Options options = draw_options(seed);
    options.strategy = GetParam().strategy;
    options.quorum = GetParam().quorum;
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Mesh, EveryLock,
                         testing::Values(Lock{"lamport"},          //
                                         Lock{"ricart-agrawala"},  //
                                         Lock{"carvalho-roucairol"}, Lock{"suzuki-kasami"},
                                         Lock{"naimi-trehel"},  //
                                         Lock{"raymond"},       //
                                         Lock{"two-phase"},     //
                                         Lock{"coordinator"},   //
                                         Lock{"maekawa"},       //
                                         Lock{"tree-quorum"},   //
                                         Lock{"maekawa", lock::Quorum::majority}),
                         [](const auto& each) {
                           std::string name = each.param.strategy;
                           if (each.param.quorum == lock::Quorum::majority) name += "_majority";
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

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
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
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
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.faults.scripted_in_workers = true;
    Simulation simulation{options};
    simulation.at(Duration{530'000}, [&] { simulation.cluster().crash_worker(0); });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(outcome.seated, 64U);
  }
}

TEST(Cluster, boot_failures_are_tried_again) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.faults.boot_failure = 0.2;
    options.faults.port_taken = 0.1;
    const Outcome outcome = simulate(options);
    EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.seated, options.players);
  }
}

// Game processes that the workers start within the time in which every boot fails.
std::uint64_t starts_in_vain(std::uint64_t seed, Duration boot_pause_most) {
  Options options = burst(seed);
  options.faults.boot_failure = 1;
  options.faults_until = Duration{60'000'000};
  options.boot_pause_most = boot_pause_most;
  Simulation simulation{options};
  std::uint64_t started = 0;
  simulation.at(Duration{59'000'000}, [&] {
    for (const auto& worker : simulation.cluster().workers()) {
      started += worker->core->counters().rooms_started;
    }
  });
  const Outcome outcome = simulation.run();
  EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
  EXPECT_EQ(outcome.seated, options.players);
  return started;
}

TEST(Cluster, games_that_fail_to_boot_are_started_ever_more_rarely_and_all_are_seated_afterwards) {
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    // A worker that does not pause by itself is left out by the masters, some rooms later.
    EXPECT_LT(starts_in_vain(seed, Duration{60'000'000}), starts_in_vain(seed, Duration{0}))
        << "seed " << seed;
  }
}

TEST(Cluster, masters_split_for_long_that_reach_all_workers_make_no_duplicate) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    Options options = burst(seed);
    options.arrive_after = Duration{5'000'000};
    options.faults.scripted_in_masters = true;
    Simulation simulation{options};
    simulation.at(Duration{1'000'000}, [&] {
      // Every second seed leaves one master that reaches both others: a split not transitive.
      for (NodeIndex other = 1; other < 2 + seed % 2; ++other) {
        simulation.cluster().network().set_blocked(0, other, true);
      }
    });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(outcome.rooms, outcome.ideal_rooms) << "seed " << seed;
  }
}

TEST(Cluster, master_killed_between_its_order_and_the_reply_makes_no_duplicate) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.faults.scripted_in_masters = true;
    Simulation simulation{options};
    simulation.when(
        [&] { return simulation.invariants().orders_sent() > 0; },
        [&] {
          for (std::size_t i = 0; i < 3; ++i) {
            if (simulation.cluster().masters()[i]->core->counters().spawns_ordered > 0) {
              simulation.cluster().crash_master(i);
            }
          }
        });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(outcome.seated, 64U);
  }
}

// The holder falls asleep the moment it has the lock and sleeps for `nap`. Returns how many of its
// orders came too late and were refused.
std::uint64_t refused_after_nap(std::uint64_t seed, Duration nap) {
  Options options = burst(seed);
  options.faults.scripted_in_masters = true;
  options.faults.scripted_naps = true;
  Simulation simulation{options};
  std::size_t index = 0;
  simulation.when([&] { return holder(simulation, first_group) != nullptr; },
                  [&] {
                    index = holder(simulation, first_group)->id.number() - 1U;
                    simulation.cluster().pause_master(index);
                    simulation.at(simulation.now() + nap,
                                  [&] { simulation.cluster().resume_master(index); });
                  });
  const Outcome outcome = simulation.run();
  EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
  EXPECT_EQ(outcome.seated, 64U);
  EXPECT_GT(simulation.cluster().masters()[index]->core->counters().seated, 0U)
      << "seed " << seed << ": the sleeper serves again";
  return outcome.orders_refused;
}

TEST(Cluster, master_asleep_for_ten_seconds_while_it_holds_makes_no_duplicate) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    refused_after_nap(seed, Duration{10'000'000});
  }
}

TEST(Cluster, late_orders_of_a_master_that_slept_less_than_its_lease_are_refused) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    refused += refused_after_nap(seed, Duration{1'400'000 + static_cast<int>(seed) * 5'000});
  }
  EXPECT_GT(refused, 0U);
}

TEST(Cluster, the_same_player_on_another_master_gets_the_same_seat) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.players = 1;
    options.groups = 1;
    options.boot_most = Duration{2'000'000};
    options.faults.scripted_in_masters = true;
    Simulation simulation{options};
    RoomId reserved;
    simulation.when([&] { return simulation.invariants().orders_sent() > 0; },
                    [&] {
                      // The worker has made the room by then, and its game still boots.
                      simulation.at(simulation.now() + Duration{10'000}, [&] {
                        for (const auto& worker : simulation.cluster().workers()) {
                          for (const wire::RoomInfo& room : worker->core->rooms()) {
                            reserved = {worker->id, worker->incarnation, room.number};
                          }
                        }
                        simulation.cluster().crash_master(simulation.clients().players()[0].master);
                      });
                    });
    const Outcome outcome = simulation.run();
    EXPECT_EQ(outcome.verdict, Verdict::good) << "seed " << seed << ": " << outcome.what;
    EXPECT_EQ(simulation.clients().players()[0].room, reserved) << "seed " << seed;
    EXPECT_EQ(outcome.rooms, 1U);
  }
}

TEST(Cluster, few_rooms_seat_everybody_in_the_end) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.workers = 2;
    options.room_limit = 1;
    options.groups = 5;
    options.players = 30;
    options.capacity = 2;
    options.play_most = Duration{3'000'000};
    options.close_empty_after = Duration{2'000'000};
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.seated, options.players);
  }
}

TEST(Cluster, workers_that_are_cut_off_make_no_room_behind_a_fence) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    Options options = burst(seed);
    options.arrival = Arrival::poisson;
    options.arrive_within = Duration{10'000'000};
    options.masters = 5;
    options.faults.mesh_cut_mean = Duration{1'000'000};
    options.faults.worker_cut_mean = Duration{4'000'000};
    options.faults.replace_mean = Duration{2'000'000};
    options.batches = seed % 2 == 0;
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

TEST(Cluster, nodes_that_are_configured_differently_keep_the_promises) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    Options options = burst(seed);
    options.modes = 2;
    options.master_configs = {{Duration{5'000'000}, Duration{2'000'000}, 3},
                              {Duration{2'000'000}, Duration{1'000'000}, 1},
                              {Duration{3'000'000}, Duration{1'500'000}, 5}};
    for (std::uint32_t i = 0; i < options.workers; ++i) {
      const Duration second{1'000'000};
      options.worker_configs.push_back(
          {second * (10 + i), second * (i % 3), 1'000 + i, {options.mode(i % 2)}});
    }
    expect_exact(simulate(options));
  }
}

TEST(Cluster, churn_closes_rooms) {
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
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
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.hang_ups = 0.3;
    options.never_claims = 0.3;
    const Outcome outcome = simulate(options);
    EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

// A hold ends, and in the same step the next one begins, orders a room and ends. It keeps a claim
// back for a seat of the hold before, which had once ordered for this claim as well.
TEST(Cluster, hold_within_the_last_step_of_another_keeps_its_own_claims_back) {
  const Outcome outcome = simulate(draw_options(77644));
  EXPECT_EQ(outcome.verdict, Verdict::good) << outcome.what;
}

}  // namespace
}  // namespace fixkeep::sim
