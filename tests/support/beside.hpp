// Programs that a test starts: they are built into the folder of the test's own program.
// Thread rule: a free function. Errors: an exception where /proc is missing.
#pragma once

#include <filesystem>
#include <string>

namespace fixkeep::support {

[[nodiscard]] inline std::string beside(const std::string& program) {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename(program).string();
}

}  // namespace fixkeep::support
