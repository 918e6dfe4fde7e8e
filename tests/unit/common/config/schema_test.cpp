#include "common/config/schema.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "common/base/random.hpp"
#include "common/config/suggestion.hpp"

namespace fixkeep::config {
namespace {

using ::testing::ElementsAre;

constexpr const char* example_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["name", "port"],
  "properties": {
    "name": {"type": "string", "minLength": 2, "maxLength": 5},
    "port": {"type": "integer", "minimum": 1, "maximum": 65535},
    "speed": {"type": "string", "enum": ["slow", "medium", "fast"], "default": "fast"},
    "on": {"type": "boolean"},
    "key": {"type": "string", "minLength": 4, "writeOnly": true},
    "host": {"type": "string", "maxLength": 20, "pattern": "^[a-z]+$", "expects": "a host name"},
    "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3,
             "uniqueItems": true},
    "deep": {"type": "object", "additionalProperties": false, "required": ["x"],
             "properties": {"x": {"type": "integer", "minimum": 0},
                            "y": {"type": "integer", "default": 7}}},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}}
  }
})";

std::vector<std::string> violations_in(const std::string& text) {
  const Schema schema{example_schema};
  Problems problems;
  auto document = Document::from_text("f", text, problems);
  schema.fill_defaults(document);
  schema.validate(document, problems);
  std::vector<std::string> lines;
  for (const auto& problem : problems) lines.push_back(to_string(problem));
  return lines;
}

TEST(Schema, reports_everything_that_is_wrong_at_once) {
  EXPECT_THAT(
      violations_in(R"({
  "name": "x",
  "port": 70000,
  "speed": "fsat",
  "on": "yes",
  "key": "abc",
  "host": "not a host",
  "tags": ["a", 1, "a", "b"],
  "deep": {"x": -1, "z": 0},
  "map": {"m": "n"},
  "prot": 1
})"),
      ElementsAre("f:9: deep.x: must be a whole number of at least 0, is -1",
                  "f:9: deep.z: is not a known key",
                  "f:7: host: must be a host name, is \"not a host\"",
                  "f:6: key: must be a text of at least 4 characters, is a secret of 3 characters",
                  "f:10: map.m: must be a whole number, is \"n\"",
                  "f:2: name: must be a text of 2 to 5 characters, is \"x\"",
                  "f:5: on: must be true or false, is \"yes\"",
                  "f:3: port: must be a whole number between 1 and 65535, is 70000",
                  "f:11: prot: is not a known key; did you mean \"port\"?",
                  "f:4: speed: must be \"slow\", \"medium\" or \"fast\", is \"fsat\"; did you mean "
                  "\"fast\"?",
                  "f:8: tags: must be a list of 1 to 3 entries, is a list of 4 entries",
                  "f:8: tags[1]: must be a text, is 1",
                  "f:8: tags[2]: must stand in the list once only, is \"a\" again"));
}

TEST(Schema, reports_wrong_types_and_what_is_missing) {
  EXPECT_THAT(violations_in(R"({"port": 1.5, "tags": {}, "deep": [], "key": 17})"),
              ElementsAre("f:1: name: is missing: must be a text of 2 to 5 characters",
                          "f:1: deep: must be an object, is a list of 0 entries",
                          "f:1: key: must be a text of at least 4 characters, is something else",
                          "f:1: port: must be a whole number between 1 and 65535, is 1.5",
                          "f:1: tags: must be a list of 1 to 3 entries, is an object"));
  EXPECT_THAT(violations_in("[]"), ElementsAre("f:1: must be an object, is a list of 0 entries"));
}

TEST(Schema, fills_in_defaults_also_inside_objects_that_are_missing) {
  const Schema schema{example_schema};
  Problems problems;
  auto document = Document::from_text("f", "{}", problems);
  schema.fill_defaults(document);
  EXPECT_EQ(document.root(), Json::parse(R"({"speed": "fast", "deep": {"y": 7}})"));
}

TEST(Schema, finds_the_schema_of_a_key) {
  const Schema schema{example_schema};
  EXPECT_EQ((*schema.at("deep.y"))["default"], 7);
  EXPECT_EQ((*schema.at("tags[4]"))["type"], "string");
  EXPECT_EQ((*schema.at("map.anything"))["type"], "integer");
  EXPECT_EQ(schema.at("deep.z"), nullptr);
  EXPECT_EQ(schema.at("tags.first"), nullptr);
  EXPECT_EQ(schema.at("port.x"), nullptr);
}

TEST(SchemaDeathTest, refuses_keywords_that_it_would_not_check) {
  EXPECT_DEATH(Schema{R"({"type": "integer", "exclusiveMinimum": 1})"}, "exclusiveMinimum");
  EXPECT_DEATH(Schema{R"({"type": "object", "properties": {}})"}, "assertion failed");
  EXPECT_DEATH(Schema{R"({"type": ["integer", "string"]})"}, "");
}

TEST(Schema, says_of_what_else_a_key_is) {
  const Schema schema{R"({"type": "object", "additionalProperties": false,
    "properties": {"one": {"type": "integer"}}, "elsewhere": {"two": "is of another"}})"};
  Problems problems;
  auto document = Document::from_text("f", R"({"one": 1, "two": 2, "three": 3})", problems);
  schema.validate(document, problems);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(to_string(problems[0]), "f:1: three: is not a known key");
  EXPECT_EQ(to_string(problems[1]), "f:1: two: is of another");
}

TEST(Schema, makes_no_object_that_is_optional) {
  const Schema schema{R"({"type": "object", "additionalProperties": false, "properties": {
    "plain": {"type": "object", "additionalProperties": false,
              "properties": {"a": {"type": "integer", "default": 1}}},
    "chosen": {"type": "object", "optional": true, "additionalProperties": false,
               "properties": {"b": {"type": "integer", "default": 2}}}}})"};
  Document without;
  schema.fill_defaults(without);
  EXPECT_EQ(without.root(), Json::parse(R"({"plain": {"a": 1}})"));
  Document with;
  with.root()["chosen"] = Json::object();
  schema.fill_defaults(with);
  EXPECT_EQ(with.root(), Json::parse(R"({"plain": {"a": 1}, "chosen": {"b": 2}})"));
}

// --- valijson as a second opinion ---------------------------------------------------------------

Json read_json(const std::string& path) {
  std::ifstream file{path};
  return Json::parse(file, nullptr, true, true);
}

bool valid_for_valijson(const valijson::Schema& schema, const Json& value) {
  valijson::Validator validator{valijson::Validator::kStrongTypes};
  const valijson::adapters::NlohmannJsonAdapter adapter{value};
  return validator.validate(schema, adapter, nullptr);
}

// Replaces, removes or adds something at a random place.
void mutate(Json& value, Random& random) {
  if (value.is_structured() && !value.empty() && !random.chance(0.15)) {
    auto child = value.begin();
    std::advance(child, static_cast<std::ptrdiff_t>(random.below(value.size())));
    if (random.chance(0.15)) {
      value.erase(child);
    } else {
      mutate(*child, random);
    }
    return;
  }
  const Json replacements[] = {nullptr,
                               true,
                               -1,
                               0,
                               1,
                               70'000,
                               1'000'000'000'000,
                               1.5,
                               "",
                               "x",
                               Json::array(),
                               Json::object(),
                               "none",
                               "a b:c",
                               "a:1",
                               Json::array({1, 1}),
                               std::string(5000, 'x'),
                               Json::object({{"unknown", 1}})};
  if (value.is_object() && random.chance(0.5)) {
    value["unknown"] = 1;
  } else if (value.is_array() && !value.empty() && random.chance(0.5)) {
    value.push_back(value.front());
  } else {
    value = replacements[random.below(std::size(replacements))];
  }
}

class SecondOpinion : public ::testing::TestWithParam<const char*> {};

TEST_P(SecondOpinion, agrees_on_what_is_valid) {
  const std::string role = GetParam();
  const Json schema_json = read_json(FIXKEEP_SCHEMAS + role + ".schema.json");
  const Json example = read_json("configs/" + role + ".json");
  const Schema ours{schema_json.dump()};
  valijson::Schema theirs;
  const valijson::adapters::NlohmannJsonAdapter schema_adapter{schema_json};
  valijson::SchemaParser{}.populateSchema(schema_adapter, theirs);

  Random random{2};
  int invalid = 0;
#ifdef FIXKEEP_SANITIZED
  constexpr int rounds = 300;
#else
  constexpr int rounds = 500;
#endif
  for (int i = 0; i < rounds; ++i) {
    Document document;
    document.root() = example;
    for (int changes = static_cast<int>(random.below(3)); changes-- > 0;) {
      mutate(document.root(), random);
    }
    Problems problems;
    ours.validate(document, problems);
    ASSERT_EQ(problems.empty(), valid_for_valijson(theirs, document.root()))
        << document.root().dump(1) << (problems.empty() ? "" : to_string(problems[0]));
    if (!problems.empty()) ++invalid;
  }
  EXPECT_GT(invalid, rounds / 3);
  EXPECT_LT(invalid, rounds);
}

INSTANTIATE_TEST_SUITE_P(Roles, SecondOpinion, ::testing::Values("master", "worker"));

// --- suggestions --------------------------------------------------------------------------------

// Each key as other programs write theirs, in the place where it stands.
TEST(Suggestion, knows_keys_in_other_spellings_and_from_other_sections) {
  const auto object = [](const char* members) {
    return R"({"type":"object","additionalProperties":false,"properties":{)" +
           std::string{members} + "}}";
  };
  const auto text = R"({"type":"string"})";
  const Schema schema{object(
      (R"("worker":)" +
       object((R"("address":)" + std::string{text} + R"(,"state_folder":)" + text).c_str()) +
       R"(,"rooms":)" +
       object(
           (R"("address":)" + std::string{text} + R"(,"close_empty_after_ms":)" + text).c_str()) +
       R"(,"games":{"type":"array","items":)" +
       object((R"("stop":)" + object((R"("command":)" + std::string{text}).c_str()) +
               R"(,"working_folder":)" + text)
                  .c_str()) +
       "}")
          .c_str())};
  const auto said = [&](const std::string& document) {
    Problems problems;
    const auto read = Document::from_text("f", document, problems);
    schema.validate(read, problems);
    return problems.size() == 1 ? problems[0].message : std::to_string(problems.size());
  };
  const auto rooms = [](const std::string& key) { return R"({"rooms":{")" + key + R"(":"x"}})"; };
  const auto game = [](const std::string& key) { return R"({"games":[{")" + key + R"(":"x"}]})"; };
  const auto top = [](const std::string& key) { return R"({")" + key + R"(":"x"})"; };
  const std::vector<std::pair<std::string, std::string>> cases{
      {rooms("closeEmptyAfterMs"), "close_empty_after_ms"},
      {rooms("CloseEmptyAfterMS"), "close_empty_after_ms"},
      {rooms("close-empty-after-ms"), "close_empty_after_ms"},
      {rooms("closeEmtpyAfterMs"), "close_empty_after_ms"},
      {rooms("stateFolder"), "worker.state_folder"},
      {top("closeEmptyAfterMs"), "rooms.close_empty_after_ms"},
      {top("workerAddress"), "worker.address"},
      {top("worker_address"), "worker.address"},
      {R"({"worker":{"workerAddress":"x"}})", "worker.address"},
      {game("workingFolder"), "working_folder"},
      {game("stopCommand"), "stop.command"},
      {game("command"), "stop.command"},
      {top("address"), ""},  // of which section?
      {rooms("colour"), ""},
  };
  for (const auto& [document, meant] : cases) {
    EXPECT_EQ(said(document),
              "is not a known key" + (meant.empty() ? "" : "; did you mean \"" + meant + "\"?"))
        << document;
  }
}

TEST(Suggestion, finds_the_nearest_word_only_if_it_is_near) {
  const std::vector<std::string> known = {"port", "address", "connections"};
  EXPECT_EQ(nearest("prot", known), "port");
  EXPECT_EQ(nearest("adress", known), "address");
  EXPECT_EQ(nearest("conection", known), "connections");
  EXPECT_EQ(nearest("zzzz", known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(Suggestion, misses_no_word_that_is_near) {
  Random random{1};
  const auto word = [&] {
    std::string letters(random.below(12), 'a');
    for (char& letter : letters) letter = static_cast<char>('a' + random.below(3));
    return letters;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::vector<std::string> known = {word(), word(), word()};
    const std::string typed = word();
    std::size_t least = std::string::npos;
    for (const auto& each : known) least = std::min(least, edit_distance(typed, each));
    const auto found = nearest(typed, known);
    const bool near = least <= std::min<std::size_t>(3, typed.size() / 3);
    ASSERT_EQ(found.has_value(), near) << typed;
    if (found) ASSERT_EQ(edit_distance(typed, *found), least) << typed << ", " << *found;
  }
}

}  // namespace
}  // namespace fixkeep::config
