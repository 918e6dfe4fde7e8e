#include "common/process/spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "common/process/c_strings.hpp"
#include "common/process/process_group.hpp"

namespace fixkeep::process {
namespace {

struct Plan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int input;
  int output;
  int errors;
  int* inherited;
  int inherited_count;
  pid_t ends_with;  // parent whose death ends the child; 0: none
  // The child writes this member: until execve it shares our memory. The compiler cannot see this
  // write, so the member is volatile.
  volatile int error;
};

// First moves all descriptors above all final numbers, because a descriptor may occupy the final
// number of another descriptor.
bool place_descriptors(const Plan& plan) noexcept {
  constexpr int first = 3;
  const int end = first + plan.inherited_count;
  for (int i = 0; i < plan.inherited_count; ++i) {
    plan.inherited[i] = fcntl(plan.inherited[i], F_DUPFD, end);
    if (plan.inherited[i] < 0) return false;
  }
  if (dup2(plan.input, 0) < 0 || dup2(plan.output, 1) < 0 || dup2(plan.errors, 2) < 0) return false;
  for (int i = 0; i < plan.inherited_count; ++i) {
    if (dup2(plan.inherited[i], first + i) < 0) return false;
  }
  return syscall(SYS_close_range, static_cast<unsigned>(end), ~0U, 0U) == 0;
}

// The parent has blocked all signals, so no handler of the parent runs in the child.
void prepare_and_execute(Plan& plan) noexcept {
  for (int number = 1; number < NSIG; ++number) {
    // sigaction() fails for SIGKILL, SIGSTOP and the C library's own signals: these failures are
    // ignored.
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(number, &usual, nullptr);
  }
  setsid();
  if (plan.ends_with != 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan.ends_with) _exit(127);  // the parent died before prctl()
  }
  if (place_descriptors(plan)) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(plan.program, plan.arguments, plan.environment);
  }
  plan.error = errno;
  _exit(127);
}

[[gnu::noinline]] pid_t fork_and_execute(Plan& plan) noexcept {
  const pid_t child = vfork();
  if (child == 0) prepare_and_execute(plan);
  return child;
}

}  // namespace

Result<pid_t> spawn(const Spawn& spawn) {
  const std::vector<char*> argument_pointers = c_strings(spawn.arguments);
  const std::vector<char*> environment_pointers = c_strings(spawn.environment);
  std::vector<int> inherited = spawn.inherited;
  Plan plan{.program = spawn.program.c_str(),
            .arguments = argument_pointers.data(),
            .environment = environment_pointers.data(),
            .input = spawn.input,
            .output = spawn.output,
            .errors = spawn.error < 0 ? spawn.output : spawn.error,
            .inherited = inherited.data(),
            .inherited_count = static_cast<int>(inherited.size()),
            .ends_with = spawn.ends_with_us ? getpid() : 0,
            .error = 0};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork_and_execute(plan);
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  const auto failed = [](int error) {
    return boost::system::error_code{error, boost::system::system_category()};
  };
  if (child < 0) return failed(fork_error);
  if (plan.error != 0) {
    reap(child);
    return failed(plan.error);
  }
  return child;
}

}  // namespace fixkeep::process
