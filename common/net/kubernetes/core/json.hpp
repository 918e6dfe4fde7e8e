// Reads objects of an API server without trusting them.
//
// Thread rule: free functions; sans-IO. Bounds: as in common/base/json_bounds.hpp. Fault model:
// every member may be missing or have another type; an answer may be endless brackets. Errors: null
// or empty.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/json_bounds.hpp"

namespace fixkeep::kubernetes {

using Json = nlohmann::json;

[[nodiscard]] inline Json parsed(std::string_view text) {
  if (!is_within(text)) return Json(Json::value_t::discarded);
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

// Returns null if the member is missing or `from` is not an object.
[[nodiscard]] inline const Json& at(const Json& from, const char* key) {
  static const Json nothing;
  if (!from.is_object()) return nothing;
  const auto found = from.find(key);
  return found == from.end() ? nothing : *found;
}

[[nodiscard]] inline std::string text_at(const Json& from, const char* key) {
  const Json& value = at(from, key);
  return value.is_string() ? value.get<std::string>() : std::string{};
}

[[nodiscard]] inline std::optional<std::int64_t> number_at(const Json& from, const char* key) {
  const Json& value = at(from, key);
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return value.get<std::int64_t>();
}

}  // namespace fixkeep::kubernetes
