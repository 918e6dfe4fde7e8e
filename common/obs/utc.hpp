// Wall-clock time as text.
//
// Thread rule: a pure function. Errors: none.
#pragma once

#include <chrono>
#include <string>

namespace fixkeep::obs {

// RFC 3339 in UTC with milliseconds: "2026-11-22T05:28:48.123Z".
// REQUIRES: not before 1970.
[[nodiscard]] std::string utc_text(std::chrono::sys_time<std::chrono::milliseconds> time);

}  // namespace fixkeep::obs
