// One vfork and execve. See launcher.hpp for what the child is given.
// Thread rule: free function; the calling thread waits until the program is executed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace fixkeep::worker {

// `output` becomes standard output and standard error. Errors: those of vfork and execve.
[[nodiscard]] Result<pid_t> spawn(const std::string& program,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment, int input,
                                  int output);

}  // namespace fixkeep::worker
