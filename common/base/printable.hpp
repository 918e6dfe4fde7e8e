// Makes foreign text harmless for a log line. It cannot begin a new line, move the cursor of a
// terminal or turn the direction of the text around it.
// Thread rule: free functions. Bounds: six times the length of the text. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep {

// Escapes control characters (C0, DEL, C1), line and paragraph separators, and bidirectional marks
// as "\u0085" and so on. JSON reads that as the same character. A byte outside valid UTF-8 becomes
// U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);
// True if printable() leaves the text as it is.
[[nodiscard]] bool is_printable(std::string_view text);

}  // namespace fixkeep
