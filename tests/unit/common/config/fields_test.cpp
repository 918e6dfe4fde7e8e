#include "common/config/fields.hpp"

#include <gtest/gtest.h>

#include "common/config/schema.hpp"

namespace fixkeep::config {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Window {
  std::string label;
  std::uint16_t panes = 0;
};

struct House {
  std::string name;
  std::string street;
  std::uint16_t doors = 3;
  std::chrono::microseconds wait{std::chrono::seconds{2}};
  double sun = 0.5;
  bool lit = true;
  Colour colour = Colour::green;
  bool cat = false;
  bool dog = false;
  std::int64_t most_guests = -1;
  std::vector<Window> windows;
  std::map<std::string, std::vector<std::string>> rooms;
  std::optional<Window> skylight;
};

void describe(Fields& fields, Window& window) {
  const auto entry = fields.section(self, "A window.");
  fields.text(config::always("label"), window.label, name_text(8), "Its label.");
  fields.whole(config::maybe("panes"), window.panes, {1, 12, "panes"}, "Its panes.");
}

void describe(Fields& fields, House& house) {
  fields.text(config::always("name"), house.name, {1, 20}, "Its name.");
  {
    const auto in_facts = fields.section("facts", "Facts.");
    fields.text(always("street"), house.street, {}, "Its street.");
    fields.whole("doors", house.doors, {0, 99, "doors"}, "Its doors.");
    fields.time("wait_ms", house.wait, {100, 60'000}, "Longest wait.");
    fields.share("sun", house.sun, "Share of sun.");
    fields.flag("lit", house.lit, "Whether it is lit.");
    fields.choice("colour", house.colour, {{Colour::red, "red"}, {Colour::green, "green"}}, "It.");
    fields.words("pets", {{"cat", house.cat}, {"dog", house.dog}}, "Pets.");
    fields.limit("guests", house.most_guests, std::int64_t{-1}, {0, 50}, "Most guests.");
    fields.secret("key", {4, 9}, "The key.");
  }
  fields.list("windows", house.windows, {0, 4}, "Windows.",
              [&](Window& window) { describe(fields, window); });
  fields.map("rooms", house.rooms, "Rooms.", [&](auto& things) {
    fields.texts(self, things, {1, 2, true}, {1, 5}, "Things.");
  });
  fields.optional("skylight", house.skylight, "A skylight.", [&](Window& window) {
    fields.whole(config::always("panes"), window.panes, {1, 12}, "Its panes.");
  });
}

std::string schema_of_a_house() {
  return Fields::schema("house", "A house.", [](Fields& fields) {
    House house;
    describe(fields, house);
  });
}

House read(const std::string& text, Problems& problems) {
  const Schema schema{schema_of_a_house()};
  auto document = Document::from_text("f", text, problems);
  schema.fill_defaults(document);
  schema.validate(document, problems);
  House house;
  Fields fields = Fields::reading(document.root());
  describe(fields, house);
  return house;
}

Json shown(House house) {
  Json json = Json::object();
  Fields fields = Fields::writing(json);
  describe(fields, house);
  return json;
}

TEST(Fields, make_a_schema_with_the_defaults_of_a_new_struct) {
  const Json expected = Json::parse(R"({
    "$schema": "http://json-schema.org/draft-07/schema#", "title": "house", "type": "object",
    "description": "A house.", "additionalProperties": false, "required": ["name", "facts"],
    "properties": {
    "name": {"type": "string", "description": "Its name.", "minLength": 1, "maxLength": 20},
    "facts": {"type": "object", "description": "Facts.", "additionalProperties": false,
     "required": ["street"], "properties": {
      "street": {"type": "string", "description": "Its street."},
      "doors": {"type": "integer", "description": "Its doors.", "minimum": 0, "maximum": 99,
                "unit": "doors", "default": 3},
      "wait_ms": {"type": "integer", "description": "Longest wait.", "minimum": 100,
                  "maximum": 60000, "unit": "milliseconds", "default": 2000},
      "sun": {"type": "number", "description": "Share of sun.", "minimum": 0, "maximum": 1,
              "default": 0.5},
      "lit": {"type": "boolean", "description": "Whether it is lit.", "default": true},
      "colour": {"type": "string", "description": "It.", "enum": ["red", "green"],
                 "default": "green"},
      "pets": {"type": "array", "description": "Pets.", "uniqueItems": true, "default": [],
               "items": {"type": "string", "enum": ["cat", "dog"]}},
      "guests": {"type": "integer", "description": "Most guests.", "minimum": 0, "maximum": 50},
      "key": {"type": "string", "description": "The key.", "minLength": 4, "maxLength": 9,
              "writeOnly": true, "replaces": "facts.key_file"},
      "key_file": {"type": "string", "minLength": 1, "maxLength": 4096, "replaces": "facts.key",
        "description": ")"
                                    "A file with the key; white space around the key is ignored. "
                                    R"(Relative to the folder of this file."}}},
    "windows": {"type": "array", "description": "Windows.", "maxItems": 4, "default": [], "items": {
      "type": "object", "description": "A window.", "additionalProperties": false,
      "required": ["label"], "properties": {
        "label": {"type": "string", "description": "Its label.", "minLength": 1, "maxLength": 8,
          "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$",
          "expects": "a name of up to 8 letters, digits, \".\", \"_\" and \"-\""},
        "panes": {"type": "integer", "description": "Its panes.", "minimum": 1, "maximum": 12,
                  "unit": "panes"}}}},
    "rooms": {"type": "object", "description": "Rooms.", "default": {}, "additionalProperties": {
      "type": "array", "description": "Things.", "minItems": 1, "maxItems": 2,
      "uniqueItems": true, "items": {"type": "string", "minLength": 1,
                                     "maxLength": 5}}},
    "skylight": {"type": "object", "description": "A skylight.", "optional": true,
      "additionalProperties": false, "required": ["panes"], "properties": {
        "panes": {"type": "integer", "description": "Its panes.", "minimum": 1, "maximum": 12}}}}
    })");
  EXPECT_EQ(Json::parse(schema_of_a_house()), expected);
}

TEST(Fields, take_from_a_document_what_it_has_and_defaults_for_the_rest) {
  Problems problems;
  const House house = read(R"({"name": "a", 
    "facts": {"street": "b", "wait_ms": 150, "pets": ["dog"]},
    "windows": [{"label": "x", "panes": 2}, {"label": "y"}], "rooms": {"hall": ["mat", "rug"]}})",
                           problems);
  ASSERT_TRUE(problems.empty()) << to_string(problems.front());
  EXPECT_EQ(house.name, "a");
  EXPECT_EQ(house.doors, 3);
  EXPECT_EQ(house.wait, std::chrono::milliseconds{150});
  EXPECT_EQ(house.colour, Colour::green);
  EXPECT_TRUE(house.dog && !house.cat);
  EXPECT_EQ(house.most_guests, -1);
  ASSERT_EQ(house.windows.size(), 2U);
  EXPECT_EQ(house.windows[0].panes, 2);
  EXPECT_EQ(house.windows[1].label, "y");
  EXPECT_EQ(house.rooms.at("hall"), (std::vector<std::string>{"mat", "rug"}));
  EXPECT_FALSE(house.skylight);
}

TEST(Fields, show_what_a_document_may_say_and_no_secret) {
  Problems problems;
  const std::string text = R"({"name": "a", "facts": {
    "street": "b", "doors": 1, "wait_ms": 100, "sun": 0.25,
    "lit": false, "colour": "red", "pets": ["cat", "dog"], "guests": 5},
    "windows": [{"label": "x", "panes": 2}], "rooms": {"hall": ["mat"]},
    "skylight": {"panes": 4}})";
  EXPECT_EQ(shown(read(text, problems)), Json::parse(text));
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(shown(House{})["facts"].contains("guests"));
  EXPECT_FALSE(shown(House{}).contains("skylight"));
}

TEST(Fields, have_bounds_that_are_checked) {
  Problems problems;
  (void)read(R"({"name": "", "facts": {"street": "b", "doors": 100, "key": "abc"},
    "windows": [{"panes": 0}], "rooms": {"hall": ["mat", "mat"]}, "skylight": {}})",
             problems);
  std::vector<std::string> keys;
  for (const auto& problem : problems) keys.push_back(problem.key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"facts.doors", "facts.key", "name", "rooms.hall[1]",
                                      "skylight.panes", "windows[0].label", "windows[0].panes"}));
}

}  // namespace
}  // namespace fixkeep::config
