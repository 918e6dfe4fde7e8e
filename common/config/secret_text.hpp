// Reads a file with a secret or a token.
//
// Editors and shells of Windows put an invisible byte order mark before a text. Neither it nor
// white space around it is a part of the secret.
// Thread rule: free functions without state. Bounds: linear in the text. Errors: a sentence.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::config {

[[nodiscard]] std::string secret_in(std::string_view text);

// True if the text is UTF-16 with its mark as PowerShell's ">" writes it: every second of its first
// bytes is zero. No secret in UTF-8 has zeros.
[[nodiscard]] bool is_utf16(std::string_view text);

// The token of a program for listeners for operators. It is the first line of `file`. Without a
// file it is the variable FIXKEEP_ADMIN_TOKEN. It is no option of the program because all users of
// the machine read command lines. Empty if there is no token; `problem` is set if the file has
// none.
[[nodiscard]] std::string operators_token(const std::string& file, std::string& problem);

}  // namespace fixkeep::config
