// JSON as tokens and sets of keys have to be: one object, in which no name is there twice.
//
// A name that is there twice means one thing to one reader and another to the next, so that what
// an issuer has checked is not what we would believe (RFC 8725, section 2.4).
// Thread rule: a free function. Bounds: nested no deeper than 16. Errors: no value.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace fixkeep::auth {

[[nodiscard]] std::optional<nlohmann::json> strict_object(std::string_view text);

// The same for an object of lists, whose entries are spoiled one by one: an entry that has a name
// twice becomes the text "has a name twice".
[[nodiscard]] std::optional<nlohmann::json> object_of_list(std::string_view text);

// The text at `name`; null if there is none, or if it is no text.
[[nodiscard]] const std::string* text_at(const nlohmann::json& object, std::string_view name);

}  // namespace fixkeep::auth
