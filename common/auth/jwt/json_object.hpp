// JSON of tokens and key sets: one object without repeated names.
//
// Readers differ in their view of a repeated name. An issuer may have checked another value than
// the one that we would read (RFC 8725 section 2.4).
// Thread rule: a free function. Bounds: nested no deeper than 16. Errors: no value.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace fixkeep::auth {

[[nodiscard]] std::optional<nlohmann::json> strict_object(std::string_view text);

// The same for an object of lists. Entries are spoiled one by one: one with a repeated name becomes
// the text "has a name twice".
[[nodiscard]] std::optional<nlohmann::json> object_of_list(std::string_view text);

// The text at `name`; null if it is missing or no text.
[[nodiscard]] const std::string* text_at(const nlohmann::json& object, std::string_view name);

}  // namespace fixkeep::auth
