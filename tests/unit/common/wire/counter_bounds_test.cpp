#include "common/wire/counter_bounds.hpp"

#include <gtest/gtest.h>

#include <variant>

namespace fixkeep::wire {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;

constexpr std::uint64_t hour_us = 3'600'000'000;

TEST(CounterBounds, are_a_count_a_microsecond_with_room_for_clocks_that_differ) {
  const CounterBounds early = counter_bounds(system_clock::time_point{});
  EXPECT_EQ(early.said_by_worker, hour_us);
  EXPECT_EQ(early.said_by_master, 2 * hour_us);
  EXPECT_EQ(early.ordered, 3 * hour_us);
  const CounterBounds later = counter_bounds(system_clock::time_point{hours{10}});
  EXPECT_EQ(later.said_by_worker, 11 * hour_us);
  // A clock that is set to before 1970 leaves the honest what they need.
  EXPECT_EQ(counter_bounds(system_clock::time_point{-hours{100}}).ordered, 0U);
}

TEST(CounterBounds, what_a_worker_claims_becomes_what_can_be) {
  Report state = WorkerState{.highest_counter = 1000};
  Report promise = PrepareReply{.highest = {999, MasterId{2}}};
  Report order = SpawnReply{.highest = {1001, MasterId{2}}};
  for (Report* message : {&state, &promise, &order}) bound_counters(*message, 1000);
  EXPECT_EQ(std::get<WorkerState>(state).highest_counter, 1000U);
  EXPECT_EQ(std::get<PrepareReply>(promise).highest, (FencingToken{999, MasterId{2}}));
  EXPECT_EQ(std::get<SpawnReply>(order).highest, (FencingToken{1000, MasterId{2}}));
  bound_counters(state, 7);
  EXPECT_EQ(std::get<WorkerState>(state).highest_counter, 7U);
}

TEST(CounterBounds, no_token_of_a_master_is_beyond) {
  const FencingToken most{10, MasterId{9}};
  const FencingToken beyond{11, MasterId{1}};
  const auto lock = [](FencingToken token, FencingToken stamp, FencingToken fence) {
    lock::LockMessage message;
    message.token = token;
    message.value.stamp = stamp;
    message.value.fence = fence;
    return message;
  };
  EXPECT_TRUE(counters_within(PrepareSpawn{.token = most}, 10));
  EXPECT_FALSE(counters_within(PrepareSpawn{.token = beyond}, 10));
  EXPECT_TRUE(counters_within(SpawnRoom{.creation = {most}, .basis = most}, 10));
  EXPECT_FALSE(counters_within(SpawnRoom{.creation = {beyond}, .basis = most}, 10));
  EXPECT_FALSE(counters_within(SpawnRoom{.creation = {most}, .basis = beyond}, 10));
  EXPECT_FALSE(counters_within(CloseWarmRoom{.order = {beyond}, .basis = most}, 10));
  EXPECT_FALSE(counters_within(CloseWarmRoom{.order = {most}, .basis = beyond}, 10));
  EXPECT_TRUE(counters_within(lock(most, most, most), 10));
  EXPECT_FALSE(counters_within(lock(beyond, most, most), 10));
  EXPECT_FALSE(counters_within(lock(most, beyond, most), 10));
  EXPECT_FALSE(counters_within(lock(most, most, beyond), 10));
  EXPECT_FALSE(counters_within(lock::MeshHello{.highest_counter = 11}, 10));
  EXPECT_FALSE(counters_within(lock::MeshHello{.outstanding = {lock(beyond, most, most)}}, 10));
  EXPECT_TRUE(counters_within(lock::MeshHello{.outstanding = {lock(most, most, most)}}, 10));
}

}  // namespace
}  // namespace fixkeep::wire
