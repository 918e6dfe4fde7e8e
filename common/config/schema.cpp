#include "common/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>

#include "common/base/assert.hpp"
#include "common/config/retired.hpp"
#include "common/config/suggestion.hpp"

namespace fixkeep::config {
namespace {

const std::set<std::string> known_keywords = {
    "type",      "properties",  "required",  "additionalProperties",
    "items",     "enum",        "minimum",   "maximum",
    "pattern",   "minLength",   "maxLength", "minItems",
    "maxItems",  "uniqueItems", "default",   "$schema",
    "title",     "description", "unit",      "expects",
    "writeOnly", "replaces",    "unquoted",  "optional",
    "elsewhere"};

const std::set<std::string> known_types = {"object",  "array",  "string",
                                           "integer", "number", "boolean"};

const Json* member(const Json& schema, const char* name) {
  const auto found = schema.find(name);
  return found == schema.end() ? nullptr : &*found;
}

const std::string& type_of(const Json& schema) {
  return schema.at("type").get_ref<const std::string&>();
}

// The schema for members that `properties` does not name. Null if there is none.
const Json* schema_of_others(const Json& schema) {
  const Json* others = member(schema, "additionalProperties");
  return others != nullptr && others->is_object() ? others : nullptr;
}

// Returns the error for a key that is valid only in other objects of this kind. Null: in no object.
const Json* known_elsewhere(const Json& schema, const std::string& name) {
  const Json* elsewhere = member(schema, "elsewhere");
  return elsewhere == nullptr ? nullptr : member(*elsewhere, name.c_str());
}

void check_schema(const Json& schema, const std::string& key) {
  FIXKEEP_ASSERT(schema.is_object() && schema.contains("type") && schema["type"].is_string(), key);
  FIXKEEP_ASSERT(known_types.contains(type_of(schema)), key);
  for (const auto& [keyword, value] : schema.items()) {
    FIXKEEP_ASSERT(known_keywords.contains(keyword), key + " has " + keyword);
  }
  if (type_of(schema) == "object") { FIXKEEP_ASSERT(schema.contains("additionalProperties"), key); }
  if (const Json* properties = member(schema, "properties")) {
    for (const auto& [name, child] : properties->items()) check_schema(child, key + "." + name);
  }
  if (const Json* items = member(schema, "items")) check_schema(*items, key + "[]");
  if (const Json* others = schema_of_others(schema)) check_schema(*others, key + ".*");
}

void collect_leaves(const Json& schema, const std::string& key, std::vector<Schema::Leaf>& leaves) {
  const Json* properties = member(schema, "properties");
  if (properties == nullptr) {
    leaves.push_back({key, &schema});
    return;
  }
  for (const auto& [name, child] : properties->items()) {
    collect_leaves(child, member_key(key, name), leaves);
  }
}

void fill(const Json& schema, Json& value) {
  if (value.is_array()) {
    const Json* items = member(schema, "items");
    if (items == nullptr) return;
    for (auto& entry : value) fill(*items, entry);
    return;
  }
  const Json* properties = member(schema, "properties");
  if (!value.is_object() || properties == nullptr) return;
  for (const auto& [name, child] : properties->items()) {
    if (!value.contains(name)) {
      if (const Json* by_default = member(child, "default")) {
        value[name] = *by_default;
      } else if (child.contains("properties") && !child.contains("optional")) {
        value[name] = Json::object();  // validation then reports the missing members
      } else {
        continue;
      }
    }
    fill(child, value[name]);
  }
}

// --- sentences ----------------------------------------------------------------------------------

// Returns for example " of 1 to 9 entries" (`sizes` is true), " between 1 and 9" or " of at least
// 1". `unit` is the word after the numbers.
std::string range(const Json* least, const Json* most, const std::string& unit, bool sizes) {
  if (least != nullptr && most != nullptr) {
    return sizes ? " of " + least->dump() + " to " + most->dump() + unit
                 : " between " + least->dump() + " and " + most->dump() + unit;
  }
  if (least != nullptr) return " of at least " + least->dump() + unit;
  if (most != nullptr) return " of at most " + most->dump() + unit;
  return "";
}

std::vector<std::string> choices(const Json& schema) {
  const Json* values = member(schema, "enum");
  return values == nullptr ? std::vector<std::string>{} : values->get<std::vector<std::string>>();
}

std::string shown(const Json& value, bool secret) {
  if (value.is_object()) return "an object";
  if (value.is_array()) {
    return fmt::format("a list of {} {}", value.size(), value.size() == 1 ? "entry" : "entries");
  }
  if (value.is_string() && secret) {
    return fmt::format("a secret of {} characters", value.get_ref<const std::string&>().size());
  }
  std::string text =
      secret ? "something else" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  constexpr std::size_t enough = 60;
  if (text.size() > enough) text = text.substr(0, enough) + "…";
  return text;
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

// --- checks -------------------------------------------------------------------------------------

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  return value.is_number_integer();
}

bool within(std::size_t size, const Json* least, const Json* most) {
  return (least == nullptr || size >= least->get<std::size_t>()) &&
         (most == nullptr || size <= most->get<std::size_t>());
}

bool text_fits(const std::string& text, const Json& schema) {
  // Checks the length first: std::regex recurses for each character, so a long text needs much
  // stack.
  if (!within(characters(text), member(schema, "minLength"), member(schema, "maxLength"))) {
    return false;
  }
  const auto allowed = choices(schema);
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
    return false;
  }
  const Json* pattern = member(schema, "pattern");
  return pattern == nullptr ||
         std::regex_search(text, std::regex{pattern->get_ref<const std::string&>()});
}

bool fits(const Json& value, const Json& schema) {
  if (!has_type(value, type_of(schema))) return false;
  if (value.is_string()) return text_fits(value.get_ref<const std::string&>(), schema);
  if (value.is_array()) {
    return within(value.size(), member(schema, "minItems"), member(schema, "maxItems"));
  }
  if (value.is_number()) {
    const Json* least = member(schema, "minimum");
    const Json* most = member(schema, "maximum");
    return (least == nullptr || value >= *least) && (most == nullptr || value <= *most);
  }
  return true;
}

class Walk {
 public:
  Walk(const Document& document, const std::vector<Schema::Leaf>& leaves, Problems& problems)
      : document_(document), leaves_(leaves), problems_(problems) {}

  void check(const Json& value, const Json& schema, const std::string& key) {
    if (!fits(value, schema)) {
      std::string message =
          "must be " + requirement(schema) + ", is " +
          shown(value, schema.value("writeOnly", false) || schema.value("unquoted", false));
      if (value.is_string()) {
        message += suggestion(value.get_ref<const std::string&>(), choices(schema));
      }
      report(key, message);
    }
    if (value.is_object() && type_of(schema) == "object") check_members(value, schema, key);
    if (value.is_array() && type_of(schema) == "array") check_entries(value, schema, key);
  }

 private:
  void check_members(const Json& value, const Json& schema, const std::string& key) {
    static const Json none = Json::object();
    const Json* given = member(schema, "properties");
    const Json& properties = given == nullptr ? none : *given;
    std::vector<std::string> names;
    for (const auto& [name, child] : properties.items()) names.push_back(name);

    if (const Json* required = member(schema, "required")) {
      for (const auto& name : *required) {
        const auto& text = name.get_ref<const std::string&>();
        if (value.contains(text)) continue;
        report(member_key(key, text), "is missing: must be " + requirement(properties.at(text)));
      }
    }
    for (const auto& [name, child] : value.items()) {
      const std::string child_key = member_key(key, name);
      if (const Json* known = member(properties, name.c_str())) {
        check(child, *known, child_key);
      } else if (const Json* others = schema_of_others(schema)) {
        check(child, *others, child_key);
      } else if (schema.at("additionalProperties") == true) {
        continue;
      } else if (const Json* sentence = known_elsewhere(schema, name)) {
        report(child_key, sentence->get<std::string>());
      } else if (const auto why = why_retired(child_key)) {
        report(child_key, *why);
      } else {
        report(child_key, "is not a known key" + meant(name, names, schema));
      }
    }
  }

  // Finds the key that the author of `name` probably meant. First searches the keys of the same
  // object for a similar name. Then searches the keys below this object, and then all keys. It
  // compares `name` in snake case with each whole key, in which "_" replaces ".": "worker.address"
  // for "workerAddress". Then it compares `name` with the last part of each key. Only a single
  // match counts.
  [[nodiscard]] std::string meant(const std::string& name, const std::vector<std::string>& names,
                                  const Json& schema) const {
    if (auto near = suggestion(name, names); !near.empty()) return near;
    const std::string snake = in_snake_case(name);
    std::vector<Schema::Leaf> below;
    collect_leaves(schema, "", below);
    for (const auto* leaves : {&std::as_const(below), &leaves_}) {
      for (const bool joined : {true, false}) {
        std::vector<std::string> found;
        for (const auto& [key, leaf] : *leaves) {
          std::string other = joined ? key : key.substr(key.rfind('.') + 1);
          std::replace(other.begin(), other.end(), '.', '_');
          if (other == snake) found.push_back(key);
        }
        if (found.size() == 1) return "; did you mean \"" + found.front() + "\"?";
      }
    }
    return "";
  }

  void check_entries(const Json& value, const Json& schema, const std::string& key) {
    const bool unique = schema.value("uniqueItems", false);
    const Json* items = member(schema, "items");
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string entry = entry_key(key, i);
      if (items != nullptr) check(value[i], *items, entry);
      const auto here = value.begin() + static_cast<std::ptrdiff_t>(i);
      if (unique && std::find(value.begin(), here, value[i]) != here) {
        report(entry, "must stand in the list once only, is " + shown(value[i], false) + " again");
      }
    }
  }

  void report(const std::string& key, std::string message) {
    problems_.push_back(document_.problem(key, std::move(message)));
  }

  const Document& document_;
  const std::vector<Schema::Leaf>& leaves_;
  Problems& problems_;
};

}  // namespace

Schema::Schema(std::string_view text) : root_(Json::parse(text)) {
  check_schema(root_, "");
  collect_leaves(root_, "", leaves_);
}

void Schema::fill_defaults(Document& document) const {
  fill(root_, document.root());
}

void Schema::validate(const Document& document, Problems& problems) const {
  Walk{document, leaves_, problems}.check(document.root(), root_, "");
}

const Json* Schema::at(std::string_view key) const {
  const Json* schema = &root_;
  for (const auto& step : split_key(key)) {
    const Json* properties = member(*schema, "properties");
    if (properties != nullptr && properties->contains(step)) {
      schema = &properties->at(step);
    } else if (const Json* items = member(*schema, "items")) {
      if (!parse_index(step)) return nullptr;
      schema = items;
    } else {
      schema = schema_of_others(*schema);
      if (schema == nullptr) return nullptr;
    }
  }
  return schema;
}

std::string requirement(const Json& schema) {
  const std::string& type = type_of(schema);
  if (type == "object") return "an object";
  if (type == "boolean") return "true or false";
  if (type == "integer" || type == "number") {
    return (type == "integer" ? "a whole number" : "a number") +
           range(member(schema, "minimum"), member(schema, "maximum"), "", false);
  }
  if (type == "array") {
    return "a list" +
           range(member(schema, "minItems"), member(schema, "maxItems"), " entries", true);
  }
  if (const Json* expects = member(schema, "expects")) return expects->get<std::string>();
  const auto allowed = choices(schema);
  if (allowed.empty()) {
    return "a text" +
           range(member(schema, "minLength"), member(schema, "maxLength"), " characters", true);
  }
  std::string list;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (i > 0) list += i + 1 == allowed.size() ? " or " : ", ";
    list += '"' + allowed[i] + '"';
  }
  return list;
}

}  // namespace fixkeep::config
