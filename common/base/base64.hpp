// Base64 (RFC 4648): with padding (section 4) for etcd's JSON gateway. It is URL-safe without
// padding (section 5) for seat tokens.
//
// Thread rule: free functions. Errors: no value for text that is no output of encoding.
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
