// Base64 (RFC 4648). etcd's JSON gateway needs padding (section 4). Seat tokens use the URL-safe
// alphabet without padding (section 5).
//
// Thread rule: free functions. Errors: no value for malformed text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixkeep {

[[nodiscard]] std::string to_base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

void append_base64url(std::string_view bytes, std::string& out);
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

}  // namespace fixkeep
