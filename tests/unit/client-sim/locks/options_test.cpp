#include "client-sim/options.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace fixkeep::client_sim {
namespace {

Options parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), {"fixkeep-client-sim", "locks"});
  std::ostringstream out;
  std::ostringstream err;
  const auto result = parse_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
  if (const auto* options = std::get_if<Options>(&result)) return *options;
  ADD_FAILURE() << err.str();
  return {};
}

TEST(LocksOptions, measure_all_locks_unless_told_otherwise) {
  const auto usual = parsed({});
  EXPECT_EQ(usual.command, Command::locks);
  EXPECT_EQ(usual.locks, known_locks());
  EXPECT_EQ(usual.cluster.masters, 3U);
  EXPECT_TRUE(usual.bench.burst);
  EXPECT_FALSE(parsed({"--no-burst"}).bench.burst);
}

TEST(LocksOptions, quick_leaves_what_was_given) {
  const auto quick = parsed({"--quick", "--seconds", "3", "--locks", "none"});
  EXPECT_EQ(quick.bench.measured.seconds, 3);
  EXPECT_EQ(quick.bench.rounds, 1U);
  EXPECT_LT(quick.workload.players, 256U);
}

}  // namespace
}  // namespace fixkeep::client_sim
