#include "master/core/awaited_workers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep::master {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

struct Awaiting : testing::Test {
  const WorkerId one{"one"};
  const WorkerId two{"two"};
  const TimePoint start{seconds{1000}};
  AwaitedWorkers workers{{.after_start = {}, .join_grace = seconds{5}, .worker_reply = seconds{2}},
                         start};
};

TEST_F(Awaiting, all_workers_are_waited_for_after_the_start) {
  AwaitedWorkers started{{.after_start = seconds{1}}, start};
  EXPECT_TRUE(started.just_started());
  EXPECT_TRUE(started.any());
  EXPECT_EQ(started.next_tick(), start + seconds{1});
  started.introduced(one);
  EXPECT_TRUE(started.any());
  started.time_passed(start + seconds{1});
  EXPECT_FALSE(started.just_started());
  EXPECT_FALSE(started.any());
  EXPECT_FALSE(workers.just_started());
}

TEST_F(Awaiting, who_is_named_by_a_peer_is_waited_for_until_it_comes_or_the_grace_is_over) {
  workers.named_by_peer(one, start + seconds{1});
  workers.named_by_peer(two, start + seconds{5});
  EXPECT_THAT(workers.ends(), ElementsAre(start + seconds{5}));
  workers.introduced(one);
  EXPECT_FALSE(workers.any());
  workers.named_by_peer(one, start + seconds{2});
  workers.time_passed(start + seconds{4});
  EXPECT_TRUE(workers.any());
  workers.time_passed(start + seconds{5});
  EXPECT_FALSE(workers.any());
}

TEST_F(Awaiting, one_of_several_that_goes_is_not_waited_for) {
  workers.went_down(one, 2, start);
  EXPECT_FALSE(workers.any());
}

TEST_F(Awaiting, all_that_go_together_are_waited_for) {
  workers.went_down(one, 2, start);
  workers.went_down(two, 1, start + seconds{1});
  EXPECT_THAT(workers.ends(), ElementsAre(start + seconds{3}, start + seconds{3}));
  workers.introduced(one);
  EXPECT_THAT(workers.ends(), ElementsAre(start + seconds{3}));
}

TEST_F(Awaiting, who_went_long_ago_did_not_go_together_with_the_others) {
  workers.went_down(one, 3, start);
  workers.went_down(two, 2, start + seconds{2});
  EXPECT_FALSE(workers.any());
}

TEST_F(Awaiting, a_link_without_a_word_is_not_silent_for_the_time_in_which_nobody_listened) {
  workers.connected({one, {}}, seconds{2}, start);
  workers.held_up(seconds{5});
  EXPECT_THAT(workers.silent(start + seconds{6}), ElementsAre());
  EXPECT_THAT(workers.silent(start + seconds{7}), ElementsAre(one));
}

TEST_F(Awaiting, a_link_without_a_word_is_silent) {
  workers.connected({one, Incarnation{1}}, std::chrono::seconds{2}, start);
  EXPECT_EQ(workers.next_tick(), start + seconds{2});
  EXPECT_THAT(workers.silent(start + seconds{1}), ElementsAre());
  EXPECT_THAT(workers.silent(start + seconds{2}), ElementsAre(one));
  workers.introduced(one);
  workers.connected({two, Incarnation{1}}, std::chrono::seconds{2}, start);
  workers.disconnected(two);
  EXPECT_THAT(workers.silent(start + seconds{2}), ElementsAre());
  EXPECT_EQ(workers.next_tick(), TimePoint::max());
}

TEST_F(Awaiting, a_run_is_given_up_until_it_connects) {
  const WorkerRun run{one, Incarnation{1}};
  workers.give_up({run});
  workers.connected({one, Incarnation{2}}, std::chrono::seconds{2}, start);
  EXPECT_TRUE(workers.given_up(run));
  workers.connected(run, std::chrono::seconds{2}, start);
  EXPECT_FALSE(workers.given_up(run));
}

TEST_F(Awaiting, too_many_runs_that_were_given_up_are_forgotten) {
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
