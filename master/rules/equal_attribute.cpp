#include "master/rules/equal_attribute.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "common/base/printable.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {
namespace {

// Returns a text unchanged, and a whole number or truth value in its JSON form. {"version": 3} and
// {"version": "3"} are thus one group.
struct AsText {
  using Text = std::optional<std::string>;

  Text operator()(const std::string& text) const { return text; }
  Text operator()(std::int64_t number) const { return std::to_string(number); }
  Text operator()(std::uint64_t number) const { return std::to_string(number); }
  Text operator()(bool truth) const { return truth ? "true" : "false"; }
  Text operator()(double /*fraction*/) const { return {}; }
  Text operator()(std::monostate /*nothing*/) const { return {}; }
};

// Returns a text like "must be one of: eu, us".
std::string one_of(const std::vector<std::string>& values) {
  std::string text = "must be one of: ";
  const auto told = std::min(values.size(), values_told);
  for (std::size_t i = 0; i < told; ++i) text.append(i == 0 ? "" : ", ").append(values[i]);
  if (told < values.size()) text += " and " + std::to_string(values.size() - told) + " more";
  return text;
}

// Returns the allowed values if `value` is not among them, otherwise null.
const std::vector<std::string>* values_without(const Mode& mode, const std::string& name,
                                               const std::string& value) {
  const auto listed = mode.values.find(name);
  if (listed == mode.values.end()) return nullptr;
  const auto& values = listed->second;
  return std::find(values.begin(), values.end(), value) == values.end() ? &values : nullptr;
}

}  // namespace

void add_equal_attributes(const Mode& mode, const Attributes& attributes, GroupKeyDraft& draft) {
  for (const auto& name : mode.attributes) {
    const PlainValue* found = attributes.find(name);
    if (found == nullptr) {
      draft.miss(name);
      continue;
    }
    const auto text = std::visit(AsText{}, *found);
    if (!text) {
      draft.refuse(name, "must be a text or a whole number");
    } else if (text->empty() || text->size() > attribute_bytes) {
      draft.refuse(name, "must have 1 to " + std::to_string(attribute_bytes) + " bytes");
    } else if (!is_printable(*text)) {
      draft.refuse(name, "must be UTF-8 without control characters");
    } else if (const auto* allowed = values_without(mode, name, *text)) {
      draft.refuse(name, one_of(*allowed));
    } else {
      draft.add(name, *text);
    }
  }
}

}  // namespace fixkeep::master
