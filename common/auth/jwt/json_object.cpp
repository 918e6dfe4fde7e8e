#include "common/auth/jwt/json_object.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fixkeep::auth {

using nlohmann::json;

namespace {

constexpr int never = 1000;

// Parses an object. If an object at depth `spoiled_alone`, or an object inside it, has a repeated
// name, the object at this depth becomes the text "has a name twice". After any other repeated
// name, returns no value.
std::optional<json> parsed_strictly(std::string_view text, int spoiled_alone) {
  constexpr int deepest = 16;
  bool refused = false;
  bool twice = false;                        // a repeated name in the current object
  std::vector<std::set<std::string>> names;  // names of each open object
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > deepest) refused = true;
    if (event == json::parse_event_t::object_start) names.emplace_back();
    if (event == json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
      (depth > spoiled_alone ? twice : refused) = true;
    if (event != json::parse_event_t::object_end) return true;
    names.pop_back();
    if (depth == spoiled_alone && std::exchange(twice, false)) parsed = "has a name twice";
    return true;
  };
  auto document = json::parse(text, watch, false);
  if (refused || !document.is_object()) return {};
  return document;
}

}  // namespace

std::optional<json> strict_object(std::string_view text) {
  return parsed_strictly(text, never);
}

std::optional<json> object_of_list(std::string_view text) {
  constexpr int entries = 2;
  return parsed_strictly(text, entries);
}

const std::string* text_at(const json& object, std::string_view name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return nullptr;
  return found->get_ptr<const std::string*>();
}

}  // namespace fixkeep::auth
