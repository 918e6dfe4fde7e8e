#include "common/process/process_group.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "common/process/self.hpp"

namespace fixkeep::process {

Result<int> open_watch(pid_t process) {
  const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0U));
  if (descriptor < 0) return last_error();
  return descriptor;
}

bool has_ended(int watch) {
  ::pollfd ended{.fd = watch, .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) == 1;
}

void signal_group(pid_t leader, int number) {
  ::kill(-leader, number);
}

int reap(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

int end_group(pid_t leader) {
  signal_group(leader, SIGKILL);
  return reap(leader);
}

std::string how_it_ended(int wait_status) {
  if (WIFEXITED(wait_status)) return "exit code " + std::to_string(WEXITSTATUS(wait_status));
  return "signal " + signal_name(WTERMSIG(wait_status));
}

boost::system::error_code last_error() {
  return {errno, boost::system::system_category()};
}

}  // namespace fixkeep::process
