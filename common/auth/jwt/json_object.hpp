// Reads the JSON of tokens and key sets: one object without repeated names.
//
// If a name is repeated, different JSON readers use different values. The issuer might have checked
// one value, and we would read the other value (RFC 8725 section 2.4). Thread rule: a free
// function. Bounds: at most 16 levels of nesting. Errors: no value.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace fixkeep::auth {

[[nodiscard]] std::optional<nlohmann::json> strict_object(std::string_view text);

// Reads an object whose members are lists of objects. A list entry with a repeated name is replaced
// by the text "has a name twice"; the other entries remain.
[[nodiscard]] std::optional<nlohmann::json> object_of_list(std::string_view text);

// Returns the text of the member `name`; null if the member is missing or not text.
[[nodiscard]] const std::string* text_at(const nlohmann::json& object, std::string_view name);

}  // namespace fixkeep::auth
