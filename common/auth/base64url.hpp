// Base64 in the URL-safe alphabet, without padding (RFC 4648, section 5).
//
// Thread rule: free functions. Errors: decode refuses anything that encode would not have made.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::auth {

void append_base64url(std::string_view bytes, std::string& out);
[[nodiscard]] std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace fixkeep::auth
