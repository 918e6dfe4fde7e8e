// Makes foreign text harmless in a log line. The text cannot begin a new line, move a terminal's
// cursor or change the direction of the text around it.
// Thread rule: free functions. Bounds: the result is at most six times as long as the text. Errors:
// none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep {

// Writes control characters (C0, DEL, C1), line and paragraph separators, and bidirectional marks
// as escapes like "\u0085". A JSON parser restores the character. A byte outside valid UTF-8
// becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);
// True if printable() leaves the text as it is.
[[nodiscard]] bool is_printable(std::string_view text);

}  // namespace fixkeep
