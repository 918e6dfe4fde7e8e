#include "common/base/time_limits.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fixkeep {
namespace {

using std::chrono::milliseconds;
using time_limits::choices;
using time_limits::Chosen;
using time_limits::decide;

constexpr auto no_complaint = [](const auto& choice, milliseconds) {
  ADD_FAILURE() << choice.key << " was not chosen";
};

struct Row {
  int round_trip;
  std::array<int, 8> limits;  // in the order of TimeLimits
};

TEST(TimeLimits, grow_with_the_round_trip) {
  const std::vector<Row> rows{
      {0, {5000, 1500, 2000, 2000, 1000, 5000, 10'000, 1000}},
      {1, {5005, 1505, 2005, 2005, 1005, 5010, 10'050, 1005}},
      {80, {5400, 1900, 2400, 2400, 1400, 5800, 14'000, 1400}},
      {300, {6500, 3000, 3500, 3500, 2500, 8000, 25'000, 2500}},
      {2000, {15'000, 11'500, 12'000, 12'000, 11'000, 25'000, 110'000, 11'000}},
  };
  for (const auto& [round_trip, expected] : rows) {
    const auto made = decide(milliseconds{round_trip}, {}, no_complaint);
    const std::array<milliseconds, 8> limits{
        made.join_grace,    made.heartbeat_timeout, made.handshake, made.worker_reply,
        made.await_workers, made.lock_lease,        made.lock_wait, made.lock_reply};
    for (std::size_t i = 0; i < limits.size(); ++i) {
      EXPECT_EQ(limits[i].count(), expected[i]) << round_trip << " ms, limit " << i;
    }
  }
}

TEST(TimeLimits, are_safe_at_every_distance_if_nothing_is_chosen) {
  for (milliseconds trip{0}; trip <= time_limits::round_trip_most; ++trip) {
    const auto made = decide(trip, {}, no_complaint);
    ASSERT_GT(made.heartbeat_timeout, 2 * time_limits::heartbeat_interval + trip);
    ASSERT_GE(made.lock_lease, 2 * made.heartbeat_timeout);
    ASSERT_GT(made.lock_lease, made.worker_reply + trip);
    ASSERT_GE(made.lock_wait, 2 * made.lock_lease);
    ASSERT_GE(made.await_workers, time_limits::reconnect_most + 5 * trip);
    ASSERT_GT(made.handshake, 5 * trip);
    ASSERT_GT(made.join_grace, made.handshake + time_limits::reconnect_most);
    ASSERT_GT(std::min(made.worker_reply, made.lock_reply), 2 * trip);
  }
}

struct Complaint {
  std::string key;
  std::int64_t least;
  friend bool operator==(const Complaint&, const Complaint&) = default;
};

std::vector<Complaint> complaints(milliseconds round_trip, const Chosen& chosen) {
  std::vector<Complaint> all;
  static_cast<void>(decide(round_trip, chosen, [&](const auto& choice, milliseconds least) {
    all.push_back({std::string{choice.key}, least.count()});
  }));
  return all;
}

Chosen with(std::string_view key, milliseconds value, Chosen chosen = {}) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].key == key) chosen[i] = value;
  }
  return chosen;
}

TEST(TimeLimits, that_are_chosen_are_held_against_the_least_that_is_safe) {
  const std::vector<Complaint> least{{"mesh.heartbeat_timeout_ms", 601}, {"lock.lease_ms", 4000}};
  ASSERT_EQ(least.size(), choices.size());
  for (const auto& each : least) {
    const milliseconds bound{each.least};
    EXPECT_EQ(complaints(milliseconds{100}, with(each.key, bound)), std::vector<Complaint>{});
    EXPECT_EQ(complaints(milliseconds{100}, with(each.key, bound - milliseconds{1})),
              std::vector<Complaint>{each});
  }
}

// Otherwise an operator who raises one limit has to know all that build on it.
TEST(TimeLimits, that_are_not_chosen_follow_those_that_are) {
  for (const milliseconds trip : {milliseconds{0}, milliseconds{250}}) {
    for (milliseconds time{2000}; time <= milliseconds{600'000}; time += milliseconds{997}) {
      const auto patient =
          decide(trip, with("mesh.heartbeat_timeout_ms", time), [](const auto&, auto) { FAIL(); });
      EXPECT_EQ(patient.heartbeat_timeout, time);
      EXPECT_GE(patient.lock_lease, 2 * time);
      EXPECT_GE(patient.lock_wait, 2 * patient.lock_lease);
    }
  }
  // A lease that was chosen stays as it is, and is complained of.
  const auto both = with("lock.lease_ms", milliseconds{5000},
                         with("mesh.heartbeat_timeout_ms", milliseconds{2501}));
  EXPECT_EQ(complaints({}, both), (std::vector<Complaint>{{"lock.lease_ms", 5002}}));
}

}  // namespace
}  // namespace fixkeep
