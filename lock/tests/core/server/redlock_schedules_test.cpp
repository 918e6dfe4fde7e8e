// Thousands of random schedules (redlock_world.hpp): the production machine keeps its promises in
// all of them. The same schedules find the faults of machines without a check.
#include <gtest/gtest.h>

#include "lock/tests/core/server/redlock_world.hpp"

namespace fixkeep::lock {
namespace {

// Instrumented code is ten times slower; it is there to watch the machine, not to count schedules.
#ifdef FIXKEEP_SANITIZED
constexpr std::uint64_t production_seeds = 30;
#else
constexpr std::uint64_t production_seeds = 1200;
#endif

struct Found {
  int violations = 0;
  int two_holders = 0;
  std::string first;
};

Found search(RedlockChecks checks, std::size_t servers, std::uint64_t seeds) {
  Found found;
  int grants = 0;
  int fences = 0;
  int losses = 0;
  int restarts = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    RedlockWorld world{checks, servers, seed};
    world.run();
    grants += world.grants();
    fences += world.fences();
    losses += world.losses();
    restarts += world.restarts();
    if (world.violation().empty()) continue;
    ++found.violations;
    if (world.violation() == "two holders") ++found.two_holders;
    if (found.first.empty())
      found.first = "seed " + std::to_string(seed) + ": " + world.violation();
  }
  // Otherwise the schedules try nothing.
  EXPECT_GT(grants, static_cast<int>(seeds) * 10);
  EXPECT_GT(grants, fences);
  EXPECT_GT(fences, 0);
  EXPECT_GT(losses, 0);
  EXPECT_GT(restarts, 0);
  return found;
}

class RedlockSchedules : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Servers, RedlockSchedules, testing::Values(1, 3, 5));

TEST_P(RedlockSchedules, never_two_holders_nor_a_loss_without_a_fence) {
  const auto found = search({}, GetParam(), production_seeds);
  EXPECT_EQ(found.violations, 0) << found.first;
}

#ifndef FIXKEEP_SANITIZED  // those machines are not the production's
TEST_P(RedlockSchedules, find_the_release_without_an_owner_check) {
  EXPECT_GT(search({.owner = false}, GetParam(), 150).two_holders, 0);
}

TEST_P(RedlockSchedules, find_the_acquisition_without_a_validity_check) {
  EXPECT_GT(search({.validity = false}, GetParam(), 150).two_holders, 0);
}
#endif

}  // namespace
}  // namespace fixkeep::lock
