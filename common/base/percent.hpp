// Percent-encoding (RFC 3986 2.1): bytes with a special meaning in a URL are written as "%2F".
//
// Thread rule: free functions. Errors: no value if a percent sign is not followed by two
// hexadecimal digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixkeep {

// Copies ASCII letters, digits and the bytes in `kept`. Encodes every other byte with upper-case
// digits. Different texts give different results, unless `kept` contains the percent sign.
void append_percent_encoded(std::string_view text, std::string_view kept, std::string& out);

[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace fixkeep
