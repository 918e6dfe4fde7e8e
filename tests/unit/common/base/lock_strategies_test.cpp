#include "common/base/lock_strategies.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fixkeep {
namespace {

TEST(LockStrategies, are_those_of_the_schema_and_of_the_document) {
  std::ifstream file{"configs/master.schema.json"};
  const auto schema = nlohmann::json::parse(file);
  const auto& settings = schema["properties"]["lock"]["properties"];
  std::vector<std::string> names;
  names.reserve(lock::strategies.size());
  for (const auto& each : lock::strategies) names.emplace_back(each.name);
  EXPECT_EQ(settings["strategy"]["enum"].get<std::vector<std::string>>(), names);

  std::ifstream document{"docs/locks.md"};
  const std::string text{std::istreambuf_iterator<char>{document}, {}};
  for (const auto& name : names) EXPECT_THAT(text, ::testing::HasSubstr("`" + name + "`"));
}

}  // namespace
}  // namespace fixkeep
