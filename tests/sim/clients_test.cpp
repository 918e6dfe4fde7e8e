// What clients do that no server likes: they ask twice, hang up late, share players, come at the
// last moment, and come back when everybody has forgotten them.
#include <gtest/gtest.h>

#include "tests/sim/seeds.hpp"
#include "tests/sim/simulation.hpp"

namespace fixkeep::sim {
namespace {

Options burst(std::uint64_t seed) {
  Options options;
  options.seed = seed;
  return options;
}

// Players ask one master, ask another one a moment later, and then hang up on the first one.
Options impatient(std::uint64_t seed) {
  Options options = burst(seed);
  options.players = 10;
  options.groups = 2;
  options.boot_most = Duration{1'200'000};
  options.retries = 1;
  return options;
}

TEST(Clients, player_that_asks_another_master_and_hangs_up_on_the_first_is_let_in) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    const Outcome outcome = simulate(impatient(seed));
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.seated, 10U);
  }
}

TEST(Clients, player_that_asks_another_master_while_the_first_one_sleeps_is_let_in) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    Options options = impatient(seed);
    options.faults.pause_on_retry = 1;
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
    EXPECT_EQ(outcome.seated, 10U);
  }
}

TEST(Clients, parties_that_share_players_and_ask_twice_are_let_in) {
  for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
    Options options = impatient(seed);
    options.players = 20;
    options.masters = static_cast<std::uint16_t>(1 + seed % 3);
    options.parties = 0.6;
    options.rivals = 0.5;
    options.hang_ups = 0.2;
    options.play_most = Duration{3'000'000};
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

TEST(Clients, player_that_comes_late_but_in_time_is_let_in) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.arrival = Arrival::poisson;
    options.late_comers = 0.5;
    options.network.delay_most = Duration{100'000};
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

// Players who come in waves, with a quiet in between in which everybody forgets their groups.
Options waves(std::uint64_t seed, Duration gap) {
  Options options = burst(seed);
  options.players = 24;
  options.waves = 3;
  options.wave_gap = gap;
  options.play_most = Duration{2'000'000};
  return options;
}

TEST(Clients, tokens_and_creation_ids_grow_over_what_masters_forget) {
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    const Outcome outcome = simulate(waves(seed, Duration{90'000'000}));
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

TEST(Clients, tokens_and_creation_ids_grow_over_what_workers_forget) {
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    const Outcome outcome = simulate(waves(seed, Duration{700'000'000}));
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

TEST(Clients, tokens_grow_over_a_restart_of_all_masters) {
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    Options options = waves(seed, Duration{60'000'000});
    options.faults.restart_all_at = Duration{40'000'000};
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

TEST(Clients, room_that_starts_for_nobody_ends) {
  for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
    Options options = burst(seed);
    options.players = 6;
    options.boot_most = Duration{20'000'000};
    options.close_empty_after = Duration{2'000'000};
    options.hang_ups = 1;
    const Outcome outcome = simulate(options);
    ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
  }
}

// Five of them, each with a seat that is kept for its return.
TEST(Clients, rivals_for_one_player_get_its_seat_one_after_the_other) {
  Options options = draw_options(8122);
  options.strategy = "tree-quorum";
  const Outcome outcome = simulate(options);
  ASSERT_EQ(outcome.verdict, Verdict::good) << outcome.what;
}

}  // namespace
}  // namespace fixkeep::sim
