// Reads the JSON of tokens and key sets: one object without repeated names.
//
// JSON readers differ in the treatment of repeated names. The issuer might have checked a value
// that we do not read (RFC 8725 section 2.4).
// Thread rule: a free function. Bounds: nested no deeper than 16. Errors: no value.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace fixkeep::auth {

[[nodiscard]] std::optional<nlohmann::json> strict_object(std::string_view text);

// Reads an object of lists. An entry with a repeated name is replaced by the text "has a name
// twice"; the other entries remain.
[[nodiscard]] std::optional<nlohmann::json> object_of_list(std::string_view text);

// The text at `name`; null if the member is missing or not text.
[[nodiscard]] const std::string* text_at(const nlohmann::json& object, std::string_view name);

}  // namespace fixkeep::auth
