// Reads what a file that holds a secret or a token says.
//
// Editors and shells of Windows put a byte order mark before a text, and nobody sees it: it is no
// part of the secret, and neither is white space around it.
// Thread rule: free functions without state. Bounds: linear in the text. Errors: a sentence.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::config {

[[nodiscard]] std::string secret_in(std::string_view text);

// True if the text has the mark of UTF-16, as ">" of PowerShell writes it, and is written so: each
// second byte of its first ones is zero, which no secret in UTF-8 has.
[[nodiscard]] bool is_utf16(std::string_view text);

// The token that a program shows to listeners for operators: the first line of `file` or, without a
// file, what the variable FIXKEEP_ADMIN_TOKEN says, be it nothing. It is no option of the program,
// since everybody on the machine reads command lines. Empty, and `problem` filled in, if the file
// has no token.
[[nodiscard]] std::string operators_token(const std::string& file, std::string& problem);

}  // namespace fixkeep::config
