#include "client-sim/report/sequence_diagram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace fixkeep::client_sim {
namespace {

CollisionStory story() {
  return {.group = "duel",
          .nodes = {"m1", "w1", "w2", "m2"},
          .steps = {{.at_ms = 3.25, .from = "m1", .to = "m1", .text = "wants the lock"},
                    {.at_ms = 10, .from = "m1", .to = "w1", .text = "orders room A"},
                    {.at_ms = 12,
                     .from = "m2",
                     .to = "w2",
                     .text = "orders room B, 2 seats of 8 claimed while A has 7 seats free",
                     .bad = true},
                    {.at_ms = 13, .from = "w1", .to = "w1", .text = "room <A> is starting"}}};
}

bool has(const std::string& svg, const std::string& part) {
  return svg.find(part) != std::string::npos;
}

TEST(SequenceDiagram, shows_each_node_and_each_step_with_its_time) {
  const auto svg = sequence_diagram(story()).svg;
  for (const auto* text : {">m1<", ">w1<", ">w2<", ">m2<", ">3.25<", ">10.00<", ">12.00<",
                           ">wants the lock<", ">orders room A<", "room &lt;A&gt; is starting"}) {
    EXPECT_TRUE(has(svg, text)) << text;
  }
  const auto count = [&](std::string_view part) {
    std::size_t found = 0;
    for (auto at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("class=\"lifeline\""), 4U);
  EXPECT_EQ(count("class=\"arrow\""), 1U);
  EXPECT_EQ(count("class=\"arrow bad\""), 1U) << "the order that collided";
  EXPECT_EQ(count("<circle"), 2U) << "what a node does by itself";
}

TEST(SequenceDiagram, is_as_high_as_its_steps) {
  auto more = story();
  more.steps.push_back(more.steps.back());
  EXPECT_GT(sequence_diagram(more).height, sequence_diagram(story()).height);
}

TEST(SequenceDiagram, of_one_master_and_one_worker_is_drawn_too) {
  auto small = story();
  small.nodes = {"m1"};
  EXPECT_TRUE(has(sequence_diagram(small).svg, ">m1<"));
  EXPECT_TRUE(has(sequence_diagram({}).svg, "<svg"));
}

}  // namespace
}  // namespace fixkeep::client_sim
