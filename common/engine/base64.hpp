// Base64 with padding (RFC 4648, 4): how etcd's JSON gateway carries bytes.
// Thread rule: free functions without state. Errors: text that is not base64 is no value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::engine {

[[nodiscard]] std::string to_base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace fixkeep::engine
