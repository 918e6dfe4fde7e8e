// Percent-encoding (RFC 3986 2.1): bytes that have a meaning of their own where a text is put are
// written as "%2F".
//
// Thread rule: free functions. Errors: no value for text with a percent sign that has not two
// hexadecimal digits behind it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixkeep {

// ASCII letters, digits and the bytes of `kept` stay. Every other byte is encoded with capital
// digits. Injective as long as `kept` has no percent sign.
void append_percent_encoded(std::string_view text, std::string_view kept, std::string& out);

[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace fixkeep
