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

void ignore_broken_pipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string{name} : "signal " + std::to_string(signal);
}

std::string version() {
  return std::string{build_version()}
      .append(" (")
      .append(build_type())
      .append(", ")
      .append(build_compiler())
      .append(")");
}

std::string_view build_version() {
  return FIXKEEP_VERSION;
}
std::string_view build_type() {
  return FIXKEEP_BUILD_TYPE;
}
std::string_view build_compiler() {
#ifdef __clang__
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace fixkeep::obs
