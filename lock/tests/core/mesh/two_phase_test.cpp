// Masters that meet come apart. tests/scenarios and tests/model test the rest of the machine.
#include "lock/core/mesh/two_phase.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::milliseconds;

TEST(TwoPhase, pauses_double_and_part_masters) {
  std::vector<Duration> of_first_try;
  for (int self = 1; self <= 20; ++self) {
    for (std::uint32_t tries = 1; tries <= 7; ++tries) {
      const auto pause = pause_of(id_of(self), {}, tries, tries);
      EXPECT_GT(pause, Duration{0});
      EXPECT_LE(pause, longest_pause * (1U << tries));
      if (tries == 1) of_first_try.push_back(pause);
    }
  }
  std::sort(of_first_try.begin(), of_first_try.end());
  EXPECT_LT(of_first_try.front(), longest_pause / 2);
  EXPECT_GT(of_first_try.back(), longest_pause * 3 / 2);
  EXPECT_EQ(std::adjacent_find(of_first_try.begin(), of_first_try.end()), of_first_try.end());
}

TEST(TwoPhase, nine_masters_that_meet_are_all_served_in_the_end) {
  TableMesh mesh{9, {.strategy = "two-phase"}};
  for (int master = 1; master <= 9; ++master) mesh.acquire(master, "a");
  mesh.deliver_all();
  EXPECT_THAT(mesh.take_news(), testing::IsEmpty());  // each refused all others
  std::vector<std::string> served;
  for (int i = 0; i < 5'000 && served.size() < 9; ++i) {
    mesh.pass(milliseconds{1});
    for (const auto& news : mesh.take_news()) {
      EXPECT_THAT(news, testing::HasSubstr("granted a"));
      served.push_back(news.substr(0, 1));
      mesh.give(news[0] - '0', "a");
    }
  }
  std::sort(served.begin(), served.end());
  EXPECT_THAT(served, testing::ElementsAre("1", "2", "3", "4", "5", "6", "7", "8", "9"));
}

}  // namespace
}  // namespace fixkeep::lock
