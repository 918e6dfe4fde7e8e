// What this machine lets the tests do, where it is not the same everywhere.
#pragma once

#include <fstream>
#include <string>

namespace fixkeep::support {

// Whether processes of other users can be looked at, as a worker has to whose games run as users of
// their own: by CAP_SYS_PTRACE, which root has unless a container withholds it, as Docker does.
inline bool sees_processes_of_others() {
  constexpr unsigned sys_ptrace = 19;  // linux/capability.h
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("CapEff:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> sys_ptrace & 1U) != 0;
  }
  return false;
}

}  // namespace fixkeep::support
