#include "common/auth/jwt/json_object.hpp"

#include <set>
#include <string>
#include <vector>

namespace fixkeep::auth {

using nlohmann::json;

std::optional<json> strict_object(std::string_view text) {
  constexpr int deepest = 16;
  bool refused = false;
  std::vector<std::set<std::string>> names;  // of the objects around the present value
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > deepest) refused = true;
    if (event == json::parse_event_t::object_start) names.emplace_back();
    if (event == json::parse_event_t::object_end) names.pop_back();
    if (event == json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
      refused = true;
    return true;
  };
  auto document = json::parse(text, watch, false);
  if (refused || !document.is_object()) return {};
  return document;
}

const std::string* text_at(const json& object, std::string_view name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return nullptr;
  return found->get_ptr<const std::string*>();
}

}  // namespace fixkeep::auth
