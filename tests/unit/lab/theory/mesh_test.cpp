// Counts of the locks of the mesh in simulated time, against the formulas of their papers.
#include "lab/theory/mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "common/base/lock_strategies.hpp"
#include "lab/theory/formulas.hpp"

namespace fixkeep::lab_theory {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double messages(const Counts& counts) {
  return static_cast<double>(counts.messages) / static_cast<double>(counts.grants);
}

class EveryLockOfTheMesh : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryLockOfTheMesh, sends_as_many_messages_as_its_paper_says) {
  for (const std::size_t masters : {2U, 3U, 7U, 16U}) {
    const Formulas formulas = formulas_of(GetParam(), masters);
    ASSERT_FALSE(formulas.source.empty());
    const Counts light = Mesh{GetParam(), masters, 1}.light(400);
    const Counts heavy = Mesh{GetParam(), masters, 1}.heavy(400, 2 * flight);
    EXPECT_TRUE(light.ended && heavy.ended);
    EXPECT_TRUE(formulas.light.agrees(messages(light))) << masters << ": " << messages(light);
    EXPECT_TRUE(formulas.heavy.agrees(messages(heavy))) << masters << ": " << messages(heavy);
    EXPECT_TRUE(formulas.delay.agrees(mean(heavy.delays))) << masters << ": " << mean(heavy.delays);
  }
}

TEST_P(EveryLockOfTheMesh, waits_longer_under_a_higher_load) {
  const auto response = [](Duration between) {
    return mean(Mesh{GetParam(), 5, 1}.poisson(400, 2 * flight, between).responses);
  };
  EXPECT_LT(response(100 * flight), response(5 * flight));
}

std::vector<std::string> locks_of_the_mesh() {
  std::vector<std::string> names;
  for (const auto& each : lock::strategies) {
    if (each.family == lock::Family::mesh) names.emplace_back(each.name);
  }
  return names;
}
std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Theory, EveryLockOfTheMesh, ::testing::ValuesIn(locks_of_the_mesh()),
                         name_of);

TEST(Theory, gives_the_same_counts_for_the_same_seed) {
  const Counts one = Mesh{"maekawa", 9, 3}.poisson(300, 2 * flight, 5 * flight);
  const Counts other = Mesh{"maekawa", 9, 3}.poisson(300, 2 * flight, 5 * flight);
  EXPECT_EQ(one.responses, other.responses);
  EXPECT_EQ(one.messages, other.messages);
}

TEST(Theory, sees_a_count_beside_its_formula) {
  const Formula exact{"3(N-1)", 6, false};
  EXPECT_TRUE(exact.agrees(6.1));
  EXPECT_FALSE(exact.agrees(6.2));
  EXPECT_FALSE(exact.agrees(5.8));
  const Formula bound{"5(K-1)", 20, true};
  EXPECT_TRUE(bound.agrees(1));
  EXPECT_FALSE(bound.agrees(21));
}

}  // namespace
}  // namespace fixkeep::lab_theory
