#include "master/core/workers/worker_runs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep::master {
namespace {

const WorkerId w1{"w1"};

TEST(WorkerRuns, a_run_is_over_when_another_one_has_connected_after_it) {
  WorkerRuns runs;
  EXPECT_FALSE(runs.over(w1, Incarnation{5}));
  runs.connected(w1, Incarnation{5});
  EXPECT_FALSE(runs.over(w1, Incarnation{5}));
  runs.connected(w1, Incarnation{3});
  EXPECT_TRUE(runs.over(w1, Incarnation{5}));
  EXPECT_FALSE(runs.over(w1, Incarnation{3}));
  EXPECT_FALSE(runs.over(w1, Incarnation{7}));
  EXPECT_FALSE(runs.over(WorkerId{"w2"}, Incarnation{5}));
}

TEST(WorkerRuns, a_run_that_comes_back_is_not_over) {
  WorkerRuns runs;
  for (const std::uint64_t run : {5U, 3U, 5U}) runs.connected(w1, Incarnation{run});
  EXPECT_FALSE(runs.over(w1, Incarnation{5}));
  EXPECT_TRUE(runs.over(w1, Incarnation{3}));
}

TEST(WorkerRuns, remembers_a_bounded_number_and_forgets_the_oldest) {
  WorkerRuns runs;
  for (std::uint64_t run = 1; run <= 20; ++run) runs.connected(w1, Incarnation{run});
  EXPECT_FALSE(runs.over(w1, Incarnation{20 - WorkerRuns::most_runs}));
  EXPECT_TRUE(runs.over(w1, Incarnation{20 - WorkerRuns::most_runs + 1}));
  for (std::size_t i = 0; i < WorkerRuns::most_workers; ++i) {
    runs.connected(WorkerId{"x" + std::to_string(i)}, Incarnation{1});
  }
  EXPECT_FALSE(runs.over(w1, Incarnation{19}));
}

}  // namespace
}  // namespace fixkeep::master
