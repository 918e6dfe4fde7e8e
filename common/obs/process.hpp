// What a process knows about itself: its limits, its version, the names of signals.
// Thread rule: free functions without state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fixkeep::obs {

// Raises the soft limit of open descriptors to the hard one and returns what it is then: a master
// holds one a waiting player, and 1024 is a common default.
std::size_t raise_descriptor_limit();

// From now on a reader that is gone is an error of the write, not the end of the process.
void ignore_broken_pipes();

// "SIGTERM"; "signal 42" for one without a name.
[[nodiscard]] std::string signal_name(int signal);

// "0.1.0 (release, GCC 12.2.0)"
[[nodiscard]] std::string version();

// The parts of it: "0.1.0", "release", "GCC 12.2.0".
[[nodiscard]] std::string_view build_version();
[[nodiscard]] std::string_view build_type();
[[nodiscard]] std::string_view build_compiler();

}  // namespace fixkeep::obs
