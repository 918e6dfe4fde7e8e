// Finds the program of a game: first in the folder of this executable, then in the folders of PATH,
// as execvp does.
// Thread rule: free functions. Bounds: none. Errors: FoundProgram::problem.
#pragma once

#include <string>
#include <vector>

namespace fixkeep::process {

struct FoundProgram {
  std::string path;     // empty if no program can be executed
  std::string problem;  // for example "Permission denied", "not in PATH", "is a folder"
};

// A `name` with a slash is the path of the program. Otherwise searches `folders` in order for an
// executable file `name`.
[[nodiscard]] FoundProgram find_program(const std::string& name,
                                        const std::vector<std::string>& folders);

// The folder of this executable, then the folders of PATH.
[[nodiscard]] std::vector<std::string> program_folders();

}  // namespace fixkeep::process
