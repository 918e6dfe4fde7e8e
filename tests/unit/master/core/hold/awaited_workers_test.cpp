// The bound of what is remembered; all else is in tests/scenarios/cluster/holds.txt.
#include "master/core/hold/awaited_workers.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

TEST(AwaitedWorkers, too_many_runs_that_were_given_up_are_forgotten) {
  AwaitedWorkers workers{{}, TimePoint{}};
  const WorkerId one{"one"};
  const WorkerId two{"two"};
  const WorkerRun first{one, Incarnation{0}};
  for (std::uint64_t run = 0; run < AwaitedWorkers::most_given_up; ++run) {
    workers.give_up({{one, Incarnation{run}}});
  }
  EXPECT_TRUE(workers.given_up(first));
  workers.give_up({{two, Incarnation{1}}});
  EXPECT_FALSE(workers.given_up(first));
  EXPECT_TRUE(workers.given_up({two, Incarnation{1}}));
}

}  // namespace
}  // namespace fixkeep::master
