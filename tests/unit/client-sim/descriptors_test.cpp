#include "client-sim/descriptors.hpp"

#include <gtest/gtest.h>

namespace fixkeep::client_sim {
namespace {

TEST(Descriptors, are_needed_by_every_player_where_nobody_leaves) {
  Options options;
  options.workload.players = 20'000;
  EXPECT_EQ(players_at_once(options), 20'000U);
  options.workload.arrival = Arrival::poisson;
  EXPECT_EQ(players_at_once(options), 20'000U);
}

TEST(Descriptors, are_needed_by_those_that_are_there_at_once_where_players_leave) {
  Options options;
  options.workload.players = 20'000;
  options.workload.arrival = Arrival::churn;
  options.workload.rate = 100;
  options.workload.stay = std::chrono::milliseconds{2500};
  options.cluster.boot_ms = 500;
  EXPECT_EQ(players_at_once(options), 500U) << "400 on average, and five deviations of 20";
  options.workload.players = 30;
  EXPECT_EQ(players_at_once(options), 30U);
}

TEST(Descriptors, that_do_not_suffice_are_told_with_what_to_change) {
  EXPECT_EQ(lack_of_descriptors(924, 1024), "");
  const auto text = lack_of_descriptors(20'000, 1024);
  for (const auto* part : {"20000 players", "20100 open descriptors", "may have 1024",
                           "ulimit -Hn 20100", "at most 924", "--players"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  }
}

}  // namespace
}  // namespace fixkeep::client_sim
