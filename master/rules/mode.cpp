#include "master/rules/mode.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace fixkeep::master {
namespace {

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void append_encoded(std::string_view text, std::string& out) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    if (stands_for_itself(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
}

// A text as it is; a whole number or a truth value as its JSON form, so that {"version": 3} and
// {"version": "3"} are one group.
std::optional<std::string> text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer() || value.is_boolean()) return value.dump();
  return {};
}

std::optional<std::int64_t> whole_number_of(const nlohmann::json& value) {
  static constexpr double most = 9e15;  // every whole number up to here is a double
  if (!value.is_number()) return {};
  const auto number = value.get<double>();
  if (!(std::abs(number) <= most)) return {};
  return static_cast<std::int64_t>(std::floor(number));
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

std::string band_name(const Band& band, std::int64_t value) {
  const auto above = std::upper_bound(band.edges.begin(), band.edges.end(), value);
  if (above == band.edges.begin()) return "lt" + std::to_string(band.edges.front());
  if (above == band.edges.end()) return "ge" + std::to_string(band.edges.back());
  return std::to_string(*(above - 1)) + "-" + std::to_string(*above - 1);
}

GroupChoice groups_of(const Mode& mode, const nlohmann::json& attributes,
                      std::vector<AttributeProblem>& problems) {
  std::string key;
  append_encoded(mode.name.text(), key);

  for (const auto& name : mode.attributes) {
    const auto found = attributes.find(name);
    const auto text = found == attributes.end() ? std::nullopt : text_of(*found);
    if (!text) {
      problems.push_back({name, found == attributes.end()
                                    ? "is required by mode " + mode.name.text()
                                    : "must be a text or a whole number"});
    } else if (text->empty() || text->size() > attribute_bytes) {
      problems.push_back({name, "must have 1 to " + std::to_string(attribute_bytes) + " bytes"});
    } else if (const auto* allowed = values_without(mode, name, *text)) {
      problems.push_back({name, one_of(*allowed)});
    } else {
      key += '/';
      append_encoded(name, key);
      key += '=';
      append_encoded(*text, key);
    }
  }

  for (const auto& band : mode.bands) {
    const auto found = attributes.find(band.attribute);
    const auto number = found == attributes.end() ? std::nullopt : whole_number_of(*found);
    if (!number) {
      problems.push_back({band.attribute, found == attributes.end()
                                              ? "is required by mode " + mode.name.text()
                                              : "must be a number"});
    } else {
      key += '/';
      append_encoded(band.attribute, key);
      key += '=';
      key += band_name(band, *number);
    }
  }
  return GroupChoice{GroupKey{std::move(key)}};
}

}  // namespace fixkeep::master
