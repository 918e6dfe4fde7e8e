#include "common/config/retired.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "common/config/loader.hpp"

namespace fixkeep::config {
namespace {

Schema schema_of(const std::string& role) {
  std::ifstream file{FIXKEEP_SCHEMAS + role + ".schema.json"};
  return Schema{std::string{std::istreambuf_iterator<char>{file}, {}}};
}

std::string example_of(std::string_view pattern) {
  std::string key{pattern};
  if (const auto list = key.find("[]"); list != std::string::npos) key.insert(list + 1, "0");
  if (const auto name = key.find('*'); name != std::string::npos) key.replace(name, 1, "a");
  return key;
}

// A section that has gone as a whole is named once, and not each of its keys.
std::string named_in_a_file(const std::string& key) {
  for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1)) {
    if (why_retired(key.substr(0, dot))) return key.substr(0, dot);
  }
  return key;
}

// Nor can a retired key come back with another meaning: files that have it would be taken wrongly.
TEST(RetiredKeys, are_keys_of_no_schema_and_each_stands_there_once) {
  std::set<std::string_view> seen;
  const auto master = schema_of("master");
  const auto worker = schema_of("worker");
  ASSERT_NE(master.at("http.port"), nullptr);
  for (const auto& [key, now] : retired_keys()) {
    EXPECT_EQ(master.at(example_of(key)), nullptr) << key;
    EXPECT_EQ(worker.at(example_of(key)), nullptr) << key;
    EXPECT_TRUE(seen.insert(key).second) << key;
  }
  EXPECT_FALSE(why_retired("http.port"));
}

TEST(RetiredKeys, are_named_wherever_they_stand) {
  const auto master = schema_of("master");
  const auto worker = schema_of("worker");
  for (const auto& retired : retired_keys()) {
    const auto key = example_of(retired.key);
    const auto& schema = master.at(key.substr(0, key.find_first_of("[."))) ? master : worker;
    const std::string why =
        "is no longer a setting (" + std::string{retired.now} + "): leave it out";
    Problems problems;
    Document document;
    std::vector<std::string> wanted;
    if (key.find('[') == std::string::npos) {  // no variable reaches into a list
      apply_environment(schema, std::vector{variable_name(key) + "=1"}, document, problems);
      wanted.push_back("environment variable " + variable_name(key) + ": " + why);
    }
    apply_settings(schema, std::vector{key + "=1"}, document, problems);
    wanted.push_back("--set " + key + ": " + why);
    auto path = "/" + std::regex_replace(key, std::regex{"[.[]"}, "/");
    std::erase(path, ']');
    Json file;
    file[Json::json_pointer{path}] = 1;
    schema.validate(Document::from_text("old.json", file.dump(), problems), problems);
    const auto named = named_in_a_file(key);
    wanted.push_back("old.json:1: " + named + ": " + why_retired(named).value_or(""));
    std::erase_if(problems,
                  [&](const auto& each) { return !each.key.empty() && each.key != named; });
    std::vector<std::string> said;
    for (const auto& problem : problems) said.push_back(to_string(problem));
    EXPECT_EQ(said, wanted);
  }
}

}  // namespace
}  // namespace fixkeep::config
