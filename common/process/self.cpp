#include "common/process/self.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>

namespace fixkeep::process {

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

void ignore_broken_pipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

void forbid_inspection() {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string{name} : "signal " + std::to_string(signal);
}

}  // namespace fixkeep::process
