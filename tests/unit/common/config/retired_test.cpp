#include "common/config/retired.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "common/config/loader.hpp"

namespace fixkeep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

Schema schema_of(const std::string& role) {
  std::ifstream file{"configs/" + role + ".schema.json"};
  return Schema{std::string{std::istreambuf_iterator<char>{file}, {}}};
}

// Nor can a retired key come back with another meaning: files that have it would be taken wrongly.
TEST(RetiredKeys, are_keys_of_no_schema_and_each_stands_there_once) {
  std::set<std::string_view> seen;
  const auto master = schema_of("master");
  const auto worker = schema_of("worker");
  ASSERT_NE(master.at("http.port"), nullptr);
  for (const auto& [key, now] : retired_keys()) {
    EXPECT_EQ(master.at(key), nullptr) << key;
    EXPECT_EQ(worker.at(key), nullptr) << key;
    EXPECT_TRUE(seen.insert(key).second) << key;
  }
  EXPECT_FALSE(why_retired("http.port"));
}

TEST(RetiredKeys, are_named_wherever_they_stand) {
  const auto master = schema_of("master");
  for (const auto& retired : retired_keys()) {
    const auto key = retired.key;
    const auto now = retired.now;
    const std::string why = "is no longer a setting (" + std::string{now} + "): leave it out";
    Problems problems;
    Document document;
    apply_environment(master, std::vector{variable_name(key) + "=1"}, document, problems);
    apply_settings(master, std::vector{std::string{key} + "=1"}, document, problems);
    std::vector<std::string> said;
    for (const auto& problem : problems) said.push_back(to_string(problem));
    EXPECT_THAT(said, ElementsAre("environment variable " + variable_name(key) + ": " + why,
                                  "--set " + std::string{key} + ": " + why));

    const auto dot = key.find('.');
    Problems in_file;
    const auto old = Document::from_text("m.json",
                                         "{\"" + std::string{key.substr(0, dot)} + "\": {\n\"" +
                                             std::string{key.substr(dot + 1)} + "\": 1}}",
                                         in_file);
    master.validate(old, in_file);
    std::erase_if(in_file, [&](const Problem& problem) { return problem.key != key; });
    if (!key.starts_with("rooms.")) {  // a section of workers
      ASSERT_EQ(in_file.size(), 1U) << key;
      EXPECT_EQ(to_string(in_file[0]), "m.json:2: " + std::string{key} + ": " + why);
    }
  }
}

}  // namespace
}  // namespace fixkeep::config
