#include "master/rules/equal_attribute.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "master/rules/mode.hpp"

namespace fixkeep::master {
namespace {

// A text as it is; a whole number or a truth value as its JSON form, so that {"version": 3} and
// {"version": "3"} are one group.
std::optional<std::string> text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer() || value.is_boolean()) return value.dump();
  return {};
}

// "must be one of: eu, us"
std::string one_of(const std::vector<std::string>& values) {
  std::string text = "must be one of: ";
  const auto told = std::min(values.size(), values_told);
  for (std::size_t i = 0; i < told; ++i) text.append(i == 0 ? "" : ", ").append(values[i]);
  if (told < values.size()) text += " and " + std::to_string(values.size() - told) + " more";
  return text;
}

// Null: the attribute may have this value.
const std::vector<std::string>* values_without(const Mode& mode, const std::string& name,
                                               const std::string& value) {
  const auto listed = mode.values.find(name);
  if (listed == mode.values.end()) return nullptr;
  const auto& values = listed->second;
  return std::find(values.begin(), values.end(), value) == values.end() ? &values : nullptr;
}

}  // namespace

void add_equal_attributes(const Mode& mode, const nlohmann::json& attributes,
                          GroupKeyDraft& draft) {
  for (const auto& name : mode.attributes) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) {
      draft.miss(name);
      continue;
    }
    const auto text = text_of(*found);
    if (!text) {
      draft.refuse(name, "must be a text or a whole number");
    } else if (text->empty() || text->size() > attribute_bytes) {
      draft.refuse(name, "must have 1 to " + std::to_string(attribute_bytes) + " bytes");
    } else if (const auto* allowed = values_without(mode, name, *text)) {
      draft.refuse(name, one_of(*allowed));
    } else {
      draft.add(name, *text);
    }
  }
}

}  // namespace fixkeep::master
