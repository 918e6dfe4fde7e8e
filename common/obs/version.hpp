// Version, build type and compiler of this program. Thread rule: free functions without state.
// Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::obs {

// For example "0.1.0 (release, Clang 19.1.7)".
[[nodiscard]] std::string version();

// The parts of the version: "0.1.0", "release", "Clang 19.1.7".
[[nodiscard]] std::string_view build_version();
[[nodiscard]] std::string_view build_type();
[[nodiscard]] std::string_view build_compiler();

}  // namespace fixkeep::obs
