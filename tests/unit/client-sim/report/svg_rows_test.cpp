#include "client-sim/report/svg_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "client-sim/judge/observation.hpp"
#include "client-sim/progress_bar.hpp"
#include "client-sim/report/svg_plot.hpp"

namespace fixkeep::client_sim {
namespace {

// The number after `name="` in the element in which `part` stands.
double attribute(const std::string& svg, const std::string& part, const std::string& name) {
  const auto element = svg.find(part);
  if (element == std::string::npos) return -1;
  const auto at = svg.find(" " + name + "=\"", element);
  return std::stod(svg.substr(at + name.size() + 3));
}

TEST(Rows, draw_what_never_ended_as_the_longest) {
  const auto svg =
      rows_plot({.description = "d", .x_label = "ms", .logarithmic = true},
                {{.label = "redis", .style = 7, .bars = {{.value = 4900, .text = "4900"}}},
                 {.label = "maekawa", .style = 4, .bars = {{.value = never, .text = "never"}}},
                 {.label = "none", .style = 0, .bars = {{.value = {}, .text = {}}}}})
          .svg;
  const auto longest = attribute(svg, "bar c4 s0 never", "width");
  EXPECT_GT(longest, attribute(svg, "bar c7 s0", "width") + 20);
  EXPECT_GT(longest, 300);
  EXPECT_NE(svg.find("class=\"alarm\">never<"), std::string::npos);
  EXPECT_NE(svg.find("not measured"), std::string::npos) << "and has no bar, which would look best";
  EXPECT_EQ(svg.find("bar c0"), std::string::npos);
}

TEST(Ranges, draw_what_never_ended_in_a_lane_above_all) {
  const Axes axes{.description = "d", .x_label = "x", .y_label = "ms", .y_max = 100, .never = true};
  const auto svg = range_plot(axes, {"0 ms"},
                              {{.style = 0, .spans = {Spread{10, 50, 100}}},
                               {.style = 1, .spans = {Spread{20, never, never}}},
                               {.style = 2, .spans = {std::nullopt}}})
                       .svg;
  const auto height_of = [&](const std::string& marker) {
    const auto at = svg.find(marker);
    const auto place = svg.find("translate(", at);
    return std::stod(svg.substr(svg.find(' ', place) + 1));
  };
  EXPECT_LT(height_of("marker c1"), height_of("marker c0") - 50);
  EXPECT_NE(svg.find(">never<"), std::string::npos);
  EXPECT_EQ(svg.find("marker c2"), std::string::npos) << "it was not measured";
}

TEST(Frames, have_no_lane_for_what_never_happened_without_need) {
  EXPECT_EQ(line_plot({.description = "d"}, {}, {}).svg.find("never"), std::string::npos);
}

TEST(Ticks, are_round) {
  EXPECT_EQ(nice_ticks(10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(nice_ticks(0, 5), std::vector<double>{0});
  const auto small = nice_ticks(0.7, 4);
  ASSERT_EQ(small.size(), 4U);
  EXPECT_NEAR(small[1], 0.2, 1e-12);
}

TEST(Plots, stay_inside_their_frame_and_escape) {
  const auto svg = line_plot({.description = "a<b", .x_label = "x&y", .x_max = 1, .y_max = 1},
                             {{.points = {{.x = 0, .y = 0}, {.x = 5, .y = 5}}}}, {})
                       .svg;
  EXPECT_NE(svg.find("<title>a&lt;b</title>"), std::string::npos);
  EXPECT_NE(svg.find("x&amp;y"), std::string::npos);
  EXPECT_NE(svg.find("L624 24"), std::string::npos) << "clamped to the upper right corner";
}

TEST(ProgressLine, shows_share_and_counts) {
  const auto line = progress_line({.players = 256,
                                   .asked = 200,
                                   .decided = 128,
                                   .connected = 120,
                                   .rooms = 16,
                                   .elapsed_ms = 1500});
  EXPECT_EQ(line,
            "[############------------] 120/256 connected, 72 waiting, 8 failed, 16 rooms, 1.5 s");
}

}  // namespace
}  // namespace fixkeep::client_sim
