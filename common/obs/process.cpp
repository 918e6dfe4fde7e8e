#include "common/obs/process.hpp"

#include <sys/resource.h>

#include <csignal>
#include <cstring>

namespace fixkeep::obs {

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string{name} : "signal " + std::to_string(signal);
}

std::string version() {
#ifdef __clang__
  const std::string compiler = "Clang " __clang_version__;
#else
  const std::string compiler = "GCC " __VERSION__;
#endif
  return FIXKEEP_VERSION " (" FIXKEEP_BUILD_TYPE ", " + compiler + ")";
}

}  // namespace fixkeep::obs
