// How long reserved seats last; what else claims do is in tests/scenarios/cluster.
#include "master/core/groups/claim.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

TEST(Reservation, of_a_room_that_starts_is_counted_from_its_opening_by_the_workers_clock) {
  Reservation reservation{ReservationId{1}, TimePoint{seconds{10}}, wire::WorkerTime{seconds{500}},
                          seconds{15}};
  const TimePoint now{seconds{40}};
  EXPECT_EQ(reservation.ends(wire::WorkerTime{seconds{520}}, now), TimePoint{seconds{45}});
  // A room that was open when the seat was granted, and a clock that cannot be right.
  EXPECT_EQ(reservation.ends(wire::WorkerTime{seconds{100}}, now), TimePoint{seconds{25}});
  EXPECT_EQ(reservation.ends(wire::WorkerTime{seconds{9000}}, now), TimePoint{seconds{55}});
}

}  // namespace
}  // namespace fixkeep::master
