#include "common/base/lock_strategies.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <string>

namespace fixkeep {
namespace {

TEST(LockStrategies, are_those_of_the_document) {
  std::ifstream document{"docs/locks.md"};
  const std::string text{std::istreambuf_iterator<char>{document}, {}};
  for (const auto& each : lock::strategies) {
    EXPECT_THAT(text, ::testing::HasSubstr("`" + std::string{each.name} + "`"));
  }
}

}  // namespace
}  // namespace fixkeep
