// How long reserved seats last; what else claims do is in tests/scenarios/cluster.
#include "master/core/groups/claim.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "master/core/claims/player_index.hpp"

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

// The hashes of these two are the same without a key.
TEST(PlayerIndex, tells_players_apart_whose_hashes_are_the_same) {
  const wire::Claim one{.player = PlayerId{"b53176d71516c200"}};
  const wire::Claim other{.player = PlayerId{"2ef2eea536a476b1"}};
  ASSERT_EQ(PlayerHasher{}(one.player), PlayerHasher{}(other.player));
  PlayerIndex index;
  index.add(1, one);
  index.add(2, one);
  EXPECT_EQ(index.most_claims(one), 2U);
  EXPECT_EQ(index.most_claims(other), 0U);
  index.add(3, other);
  std::vector<ClaimNumber> found;
  index.each_claim(other.player, [&](ClaimNumber number) { found.push_back(number); });
  EXPECT_EQ(found, std::vector<ClaimNumber>{3});
  index.remove(2, one);
  EXPECT_EQ(index.most_claims(one), 1U);
  EXPECT_EQ(index.most_claims(other), 1U);
}

}  // namespace
}  // namespace fixkeep::master
