// The bound of what is remembered, and a master that sleeps; all else is in
// tests/scenarios/cluster/holds.txt.
#include "master/core/hold/awaited_workers.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

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

TEST(AwaitedWorkers, are_waited_for_as_long_as_the_master_was_there) {
  const TimePoint started{minutes{1}};
  const TimePoint woken = started + minutes{1};
  AwaitedWorkers workers{{seconds{2}, seconds{3}, seconds{1}}, started};
  workers.named_by_peer(WorkerId{"one"}, started);
  workers.held_up(minutes{1}, minutes{1});
  workers.time_passed(woken + milliseconds{1999});
  EXPECT_TRUE(workers.just_started());
  workers.time_passed(woken + seconds{2});
  EXPECT_FALSE(workers.just_started());
  EXPECT_TRUE(workers.any()) << "the other master's has a second left";
  workers.time_passed(woken + seconds{3});
  EXPECT_FALSE(workers.any());
}

}  // namespace
}  // namespace fixkeep::master
