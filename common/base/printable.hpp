// Text that came from outside, made harmless for a log line: it can neither begin a line of its
// own, nor move the cursor of a terminal, nor turn the direction of what stands around it.
// Thread rule: free functions. Bounds: six times the length of the text. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep {

// Control characters (C0, DEL, C1), line and paragraph separators, and the marks that steer
// bidirectional text become "\u0085" and so on, which JSON reads as the same character. A byte that
// belongs to no valid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);
// That would be left as it is.
[[nodiscard]] bool is_printable(std::string_view text);

}  // namespace fixkeep
