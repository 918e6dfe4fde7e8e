// One vfork and execve. It must be called from a thread that lives as long as the child may.
// Thread rule: free function; the calling thread waits until the program is executed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace fixkeep::process {

// `output` becomes standard output and standard error. Errors: those of vfork and execve.
[[nodiscard]] Result<pid_t> spawn(const std::string& program,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment, int input,
                                  int output);

}  // namespace fixkeep::process
