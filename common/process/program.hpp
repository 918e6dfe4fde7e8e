// Where the program of a game is. It is searched as execvp would but in the folder of this
// executable first. Thread rule: free functions. Bounds: none. Errors: in words.
#pragma once

#include <string>
#include <vector>

namespace fixkeep::process {

struct FoundProgram {
  std::string path;     // empty: it cannot be executed
  std::string problem;  // why: "Permission denied", "not in PATH", "is a folder"
};

// The program is `name` if that has a slash. Otherwise it is an executable file of that name in the
// first of `folders` that has one.
[[nodiscard]] FoundProgram find_program(const std::string& name,
                                        const std::vector<std::string>& folders);

// The folder of this executable, then the folders of PATH.
[[nodiscard]] std::vector<std::string> program_folders();

}  // namespace fixkeep::process
