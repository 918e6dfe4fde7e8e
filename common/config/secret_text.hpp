// Reads a file with a secret or a token.
//
// Editors and shells of Windows put an invisible byte order mark before a text. The secret does not
// include this mark or white space around the text.
// Thread rule: free functions without state. Bounds: linear in the text. Errors: a sentence.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::config {

[[nodiscard]] std::string secret_in(std::string_view text);

// True if the text begins with a mark of UTF-16, and each second byte after the mark (within the
// first 16 bytes) is zero. PowerShell's ">" writes such files. No secret in UTF-8 has zero bytes.
[[nodiscard]] bool is_utf16(std::string_view text);

// Reads the token that a program sends to operators' listeners. The token is the first line of
// `file`. If `file` is empty, the token is the value of the variable FIXKEEP_ADMIN_TOKEN. There is
// no command-line option because all users of the machine can read command lines. Empty if there is
// no token. Sets `problem` if the file has no token.
[[nodiscard]] std::string operators_token(const std::string& file, std::string& problem);

}  // namespace fixkeep::config
