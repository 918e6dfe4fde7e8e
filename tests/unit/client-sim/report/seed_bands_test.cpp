#include "client-sim/report/seed_bands.hpp"

#include <gtest/gtest.h>

#include "client-sim/judge/observation.hpp"

namespace fixkeep::client_sim {
namespace {

using Points = std::vector<CurvePoint>;

TEST(SeedBands, of_steps_span_the_seeds_at_each_moment) {
  const Points one{{0, 0}, {10, 4}};
  const Points two{{0, 0}, {20, 6}};
  const Points three{{0, 0}, {10, 2}, {30, 5}};
  const auto line = band_of_steps(3, {&one, &two, &three});
  EXPECT_EQ(line.style, 3U);
  EXPECT_TRUE(line.steps);
  EXPECT_EQ(line.points, (Points{{0, 0}, {10, 2}, {20, 4}, {30, 5}}));
  EXPECT_EQ(line.lower, (Points{{0, 0}, {10, 0}, {20, 2}, {30, 4}}));
  EXPECT_EQ(line.upper, (Points{{0, 0}, {10, 4}, {20, 6}, {30, 6}}));
}

TEST(SeedBands, of_one_seed_are_its_line) {
  const Points one{{0, 0}, {10, 4}};
  const auto line = band_of_steps(0, {&one});
  EXPECT_EQ(line.points, one);
  EXPECT_TRUE(line.lower.empty());
  EXPECT_TRUE(line.upper.empty());
}

TEST(SeedBands, have_a_bounded_number_of_points) {
  Points long_curve;
  for (int index = 0; index < 10'000; ++index) {
    long_curve.push_back({static_cast<double>(index), static_cast<double>(index)});
  }
  const auto line = band_of_steps(0, {&long_curve, &long_curve});
  EXPECT_EQ(line.points.size(), most_band_points);
  EXPECT_EQ(line.points.back(), long_curve.back());
}

TEST(SeedBands, of_times_go_from_the_fastest_to_the_slowest_seed) {
  const auto line = band_of_times(0, {{100, 200}, {110, 250}, {90, 220}});
  EXPECT_EQ(line.points.front(), (CurvePoint{100, 0}));
  EXPECT_EQ(line.points.back(), (CurvePoint{220, 100}));
  EXPECT_EQ(line.lower.front().x, 90);
  EXPECT_EQ(line.upper.back(), (CurvePoint{250, 100}));
}

TEST(SeedBands, of_times_stop_where_players_waited_for_ever) {
  const auto line = band_of_times(0, {{100, never}, {110, never}, {90, 200}});
  EXPECT_EQ(line.points.back(), (CurvePoint{100, 50})) << "half of them in the median seed";
  EXPECT_EQ(line.upper.back().x, never);
}

}  // namespace
}  // namespace fixkeep::client_sim
